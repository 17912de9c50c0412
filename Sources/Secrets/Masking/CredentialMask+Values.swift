package import Documents
import FoundationEssentials
package import HTTPTypes

/// Credentials in values and in JSON trees, found by the names of members and by known secrets.
extension CredentialMask {
    /// The value without known secrets, without what is secret by its name or its place in a URL, and without
    /// texts for which `isSecret` is true; a number that is or contains a secret becomes a text.
    package func masking(_ value: JSON, where isSecret: (String) -> Bool = { _ in false }) -> JSON {
        guard isOn else { return value }
        // A value that cannot be written cannot be searched.
        guard let bytes = try? value.bytes() else { return JSON(Self.mask) }
        let members = Self.maskingMembers(of: bytes, with: self, where: isSecret)
        // Invalid UTF-8 cannot hide a secret.
        let masked = masking(text: String(decoding: members, as: UTF8.self))
        guard !masked.utf8.elementsEqual(bytes) else { return value }
        return (try? JSON(parsing: masked)) ?? JSON(masked)
    }

    /// An abbreviation for a line, if masking the whole value would take long (50 s for 100 MB of users in
    /// URLs); nil if it would not.
    package func beginning(of value: JSON, _ isSecret: (String) -> Bool) -> JSON? {
        guard isOn, let source = value.source,
            source.document.valueRange(of: source.node).count > Self.longestInLine
        else { return nil }
        switch value.kind {
        case .array: return JSON("[\(value.count)]")
        case .object: return JSON("{\(value.count)}")
        default: break
        }
        guard let text = value.string ?? value.numberText, !isSecret(text) else {
            return JSON(Self.mask)
        }
        let cut = String(decoding: text.utf8.prefix(Self.longestInLine), as: UTF8.self)
        // The part that makes a word a URL with a secret may come after the cut.
        let start = cut.utf8.lastIndex { $0 <= 0x20 }.map(cut.utf8.index(after:)) ?? cut.startIndex
        let word = cut.utf8[start...]
        let isPlain = !word.starts(with: "//".utf8)
        let mark = word.firstIndex { ":?#%@".utf8.contains($0) }
        guard let end = isPlain ? mark : start else { return JSON(masking(line: cut, isCut: true)) }
        return JSON(masking(line: String(cut[..<end]), isCut: true) + Self.mask)
    }

    /// JSON without the values of members with a credential's name, without the credentials in URLs, and
    /// without texts and numbers for which `isSecret` is true.
    package static func maskingMembers(
        of bytes: [UInt8],
        with mask: CredentialMask,
        where isSecret: (String) -> Bool = { _ in false }
    ) -> [UInt8] {
        let document = Document.parse(DocumentBytes(bytes))
        return maskingMembers(of: bytes, as: document, with: mask, where: isSecret)
    }

    /// The same for bytes that are already parsed.
    ///
    /// With `sparesOrdinary`, members such as `key` and `code` are credentials only if they are a long text
    /// without blanks, and null, true and false never are.
    package static func maskingMembers(
        of bytes: [UInt8],
        as document: Document,
        sparesOrdinary: Bool = false,
        with mask: CredentialMask,
        depth: Int = 0,
        where isSecret: (String) -> Bool = { _ in false }
    ) -> [UInt8] {
        // JSON in a string of JSON.
        func nested(_ text: String) -> String? {
            guard depth < deepestText, let first = text.utf8.first,
                first == UInt8(ascii: "{") || first == UInt8(ascii: "["), text.utf8.contains(0x22)
            else { return nil }
            let bytes = Array(text.utf8)
            let inner = Document.parse(DocumentBytes(bytes))
            guard inner.fault == nil else { return nil }
            let masked = maskingMembers(
                of: bytes,
                as: inner,
                sparesOrdinary: sparesOrdinary,
                with: mask,
                depth: depth + 1,
                where: isSecret
            )
            return masked == bytes ? nil : String(decoding: masked, as: UTF8.self)
        }
        let paired = mask.pairedValues(in: document)
        // The replacement for a value; nil to keep it.
        func shown(_ node: NodeIndex) -> String? {
            if mask.isCredential(node, of: document, sparesOrdinary: sparesOrdinary)
                || paired.contains(node)
            {
                return mask.name(of: document.string(of: node) ?? document.sourceText(of: node))
            }
            switch document.kind(of: node) {
            case .string:
                guard let text = document.string(of: node) else { return nil }
                if isSecret(text) { return mask.name(of: text) }
                let masked = nested(text) ?? mask.maskingParts(of: text)
                return mask.maskingMatches(in: masked ?? text) ?? masked
            case .integer, .decimal:
                let text = document.sourceText(of: node)
                // A mask cannot be a part of a number.
                let isSecret = isSecret(text) || mask.maskingMatches(in: text) != nil
                return isSecret ? mask.name(of: text) : nil
            case .null, .true, .false, .array, .object: return nil
            }
        }
        var masked: [(range: Range<Int>, bytes: [UInt8])] = []
        var place = 0
        while place < document.nodeCount {
            let node = NodeIndex(place)
            guard let shown = shown(node) else {
                place += 1
                continue
            }
            masked.append((document.valueRange(of: node), Array((JSON(shown).text() ?? "").utf8)))
            place += document.subtreeSize(of: node)
        }
        // After a fault, the bytes behind the last value were not parsed and may contain anything.
        let done = masked.last?.range.upperBound ?? 0
        let end = document.fault == nil ? bytes.count : max(done, Self.endOfScalars(in: document))
        return bytes[..<end].replacing(masked)
    }

    /// The text of a value without the credentials in URLs, or in the GraphQL document that it is; nil if it
    /// has none.
    private func maskingParts(of text: String) -> String? {
        if text.utf8.contains(UInt8(ascii: ":")) {
            let literals = GraphQLLiterals(text, by: self).places
            if !literals.isEmpty { return text.replacing(literals) { name(of: $0, in: $1) } }
        }
        guard URLCredentials.mayHave(text) else { return nil }
        let places = URLCredentials(in: text, by: self, for: .places).places
        return places.isEmpty ? nil : text.replacing(places, with: name(ofPlace:in:))
    }

    /// How many levels of JSON in strings are searched.
    private static let deepestText = 3

    private func isCredential(
        _ node: NodeIndex,
        of document: Document,
        sparesOrdinary: Bool
    ) -> Bool {
        // Most names can be ruled out without decoding them.
        guard let range = document.keyRange(of: node),
            !rules.isEmpty
                || document.bytes.withUnsafeBytes({ SecretFields.mayContain($0[range]) }),
            let key = document.key(of: node)
        else { return false }
        let isOwn = rules.contains(key)
        guard isOwn || Self.isSecret(parameter: key) else { return false }
        return !sparesOrdinary || isCredential(node, of: document, named: key, isOwn: isOwn)
    }

    /// Whether a value is a credential if it has this name.
    private func isCredential(
        _ node: NodeIndex,
        of document: Document,
        named name: String,
        isOwn: Bool
    ) -> Bool {
        switch document.kind(of: node) {
        case .null, .true, .false: false
        case _ where isOwn: true
        case .string:
            SecretFields.isCredential(.text(document.string(of: node) ?? ""), named: name)
        case .integer, .decimal: SecretFields.isCredential(.number, named: name)
        case .array, .object: SecretFields.isCredential(.group, named: name)
        }
    }

    /// The values of pairs, `{"name": "password", "value": "…"}`, whose name is that of a credential.
    ///
    /// HAR, forms, deployments and many other kinds of JSON write pairs like this.
    private func pairedValues(in document: Document) -> Set<NodeIndex> {
        var found: Set<NodeIndex> = []
        var open: [(end: Int, pair: NamedPair)] = []
        func close() {
            guard let pair = open.popLast()?.pair, let value = pair.value else { return }
            let isSecret = pair.names.contains { name in
                let isOwn = rules.contains(name)
                let isField = HTTPField.Name(name).map(SecretFields.contains) == true
                return (isOwn || isField || Self.isSecret(parameter: name))
                    && isCredential(value, of: document, named: name, isOwn: isOwn)
            }
            if isSecret { found.insert(value) }
        }
        for place in 0..<document.nodeCount {
            while let last = open.last, last.end <= place { close() }
            let node = NodeIndex(place)
            if !open.isEmpty { open[open.count - 1].pair.add(node, in: document) }
            switch document.kind(of: node) {
            case .array, .object:
                open.append((place + document.subtreeSize(of: node), NamedPair()))
            default: break
            }
        }
        while !open.isEmpty { close() }
        return found
    }

    /// The texts that `maskingMembers` with `sparesOrdinary` masks by name, except short ones.
    package func credentials(in document: Document) -> Set<String> {
        let paired = pairedValues(in: document)
        return (0..<document.nodeCount).reduce(into: []) { found, place in
            let node = NodeIndex(place)
            guard let text = document.string(of: node) else { return }
            if isCredential(node, of: document, sparesOrdinary: true) || paired.contains(node) {
                if text.utf8.count >= Self.shortestElsewhere { found.insert(text) }
            } else {
                for text in GraphQLLiterals(text, by: self).texts
                where text.utf8.count >= Self.shortestElsewhere { found.insert(text) }
            }
        }
    }

    /// Shorter texts may well be ordinary words elsewhere.
    package static let shortestElsewhere = 8

    /// The credentials in a URL and in header fields, except short ones.
    package func credentials(in url: String, _ fields: HTTPFields) -> Set<String> {
        let texts =
            URLCredentials(in: url, by: self, for: .texts).texts
            + fields.flatMap(credentials(of:))
        // Decoded, because each is searched for in all of its forms.
        return Set(
            texts.filter { $0.utf8.count >= Self.shortestElsewhere }
                .map { PercentEncoding.decoded($0) ?? $0 }
        )
    }

    /// The credentials in a form, decoded, except short ones.
    package func credentials(inForm bytes: [UInt8]) -> Set<String> {
        let found = bytes.withUnsafeBufferPointer {
            URLCredentials(in: $0, as: .form, by: self, for: .texts)
        }
        return Set(
            found.texts.map { PercentEncoding.decodedForm($0) }
                .filter { $0.utf8.count >= Self.shortestElsewhere }
        )
    }

    /// The end of the last value that is not an array or object; 0 if there is none.
    private static func endOfScalars(in document: Document) -> Int {
        for place in (0..<document.nodeCount).reversed() {
            let node = NodeIndex(place)
            switch document.kind(of: node) {
            case .array, .object: continue
            default: return document.valueRange(of: node).upperBound
            }
        }
        return 0
    }
}

/// The members of an object that may say a name and a value.
private struct NamedPair {
    private(set) var names: [String] = []
    private(set) var value: NodeIndex?

    private static let ofName: Set<String> = [
        "name", "key", "id", "field", "header", "param", "parameter", "variable",
    ]
    private static let ofValue: Set<String> = [
        "value", "val", "content", "text", "stringvalue", "defaultvalue", "default",
    ]
    private static let longest = 12

    /// Adds a member of the object, if it says one of the two.
    mutating func add(_ node: NodeIndex, in document: Document) {
        // Most keys are neither, and this runs for each member of each body.
        guard let range = document.keyRange(of: node), 2...Self.longest ~= range.count,
            let key = document.key(of: node)?.lowercased()
        else { return }
        if Self.ofValue.contains(key) { value = node }
        guard Self.ofName.contains(key) || key == "type", let text = document.string(of: node),
            text.utf8.count <= 64
        else { return }
        // A form says the type of an input.
        if key != "type" || text.lowercased() == "password" { names.append(text) }
    }
}
