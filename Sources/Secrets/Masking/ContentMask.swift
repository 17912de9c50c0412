import Documents
import Glibc

/// Masks the values with a credential's name in content of any media type, and collects them.
///
///     JSON ─┬─ nothing more to do ─────────────────────────────┐
///           ├─ script, GraphQL, form, parts, events ───────────┼─▶ masked text, and the credentials found
///           └─ XML, HTML, YAML, plain text ─▶ `NamedValues` ───┘
package struct ContentMask {
    /// Credentials beyond this limit are masked only where they were found, because searching for one takes a
    /// hundred times its size.
    private static let foundLimit = (count: 1000, size: 250 << 10)
    /// How many levels of nested multipart bodies are searched.
    private static let deepest = 4
    /// The largest text without a format in which pairs are searched for.
    private static let plainLimit = 4 << 20
    /// Enough for any document that a person writes.
    private static let treeLimit = TreeMemoryLimit(base: 64 << 20, perTextByte: 4)

    /// What says which names are those of credentials.
    package let mask: CredentialMask
    /// The credentials that were found, up to `foundLimit`.
    package private(set) var found: Set<String> = []
    private var foundSize = 0

    /// Makes a mask for one or several contents of an exchange.
    package init(_ mask: CredentialMask) { self.mask = mask }

    /// Masks the values with a credential's name in a text of the given media type.
    package mutating func masking(_ text: [UInt8], _ type: String?) -> [UInt8] {
        masking(text, type, depth: 0)
    }

    mutating func masking(_ text: [UInt8], _ type: String?, depth: Int) -> [UInt8] {
        let text = json(text)
        guard let type else { return plain(text) }
        guard !type.hasPrefix("application/json") else { return text }
        if type.contains("javascript") { return script(text) }
        let small = type.lowercased()
        if small.hasPrefix("application/graphql"), !small.contains("json") {
            let (masked, found) = mask.masking(graphQL: text)
            add(found)
            return masked
        }
        switch DocumentFormat(contentType: type) {
        case .form:
            let masked = mask.masking(form: text)
            if masked != text { add(mask.credentials(inForm: text)) }
            return masked
        case .multipart(let boundary) where depth < Self.deepest:
            return parts(of: text, boundary, depth)
        case .eventStream: return events(text)
        case .xml where !small.contains("xhtml"):
            return masking(NamedValues(inXML: text, where: mask.isSecret(member:)), in: text)
        case .html, .xml:
            let values = NamedValues(inXML: text, isHTML: true, where: mask.isSecret(member:))
            let masked = masking(values, in: text)
            let parameters = NamedValues(parametersIn: masked, where: mask.isSecret(member:))
            return masking(parameters, in: masked)
        case .yaml:
            return masking(NamedValues(inYAML: text, where: mask.isSecret(member:)), in: text)
        case nil where Self.plainTypes.contains(where: small.contains): return plain(text)
        default: return text
        }
    }

    /// What the types of text without a format contain.
    private static let plainTypes = [
        "text/plain", "text/markdown", "text/x-", "properties", "toml", "dotenv", "/x-sh",
    ]

    /// Masks lines and pairs such as `PASSWORD=…` in text without a format.
    private mutating func plain(_ bytes: [UInt8]) -> [UInt8] {
        // Most texts have no pair, and a picture has no lines.
        guard bytes.count <= Self.plainLimit, NamedValues.sign(in: bytes) != nil,
            !Self.hasZero(bytes)
        else { return bytes }
        // What is JSON or markup has been masked as such.
        let isMarkup = bytes.first { $0 > 0x20 } == UInt8(ascii: "<")
        guard !isMarkup, !Self.isJSON(bytes) else { return bytes }
        return masking(NamedValues(inText: bytes, where: mask.isSecret(member:)), in: bytes)
    }

    /// Masks the members with a credential's name in JSON or lines of JSON; returns anything else unchanged.
    mutating func json(_ bytes: [UInt8]) -> [UInt8] {
        var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        // Some servers put a line before JSON that keeps it from running as a script.
        if bytes[start...].starts(with: ")]}'".utf8) {
            start = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
        }
        guard let first = bytes[start...].first(where: { $0 > 0x20 }), "{[".utf8.contains(first)
        else { return bytes }
        guard start < 4 else { return Array(bytes[..<start]) + json(Array(bytes[start...])) }
        let source = DocumentBytes(bytes)
        let document = Document.parse(source, memory: Self.treeLimit)
        guard let fault = document.fault else { return masking(bytes, as: document) }
        if fault.kind == .trailingBytes {
            let lines = Document.parse(source, as: .sequence, memory: Self.treeLimit)
            if lines.fault == nil { return masking(bytes, as: lines) }
        }
        // Cut off, or not JSON. The rest after the fault is masked only if it may have a credential.
        return hasName(bytes[...]) ? masking(bytes, as: document) : bytes
    }

    /// Whether a text is a whole array or object, or several of them.
    static func isJSON(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first(where: { $0 > 0x20 }), "{[".utf8.contains(first) else {
            return false
        }
        let document = Document.parse(DocumentBytes(bytes), as: .sequence, memory: treeLimit)
        return document.fault == nil
    }

    /// Whether a credential's name occurs in quotation marks.
    func hasName(_ bytes: ArraySlice<UInt8>) -> Bool {
        var start = bytes.startIndex
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\"")) {
            let part = bytes[start..<end]
            if !part.isEmpty, part.count <= 64,
                mask.isSecret(member: String(decoding: part, as: UTF8.self))
            {
                return true
            }
            start = end + 1
        }
        return false
    }

    private mutating func masking(_ bytes: [UInt8], as document: Document) -> [UInt8] {
        let masked = CredentialMask.maskingMembers(
            of: bytes,
            as: document,
            sparesOrdinary: true,
            with: mask
        )
        // Return the same array, so that comparing it later need not look at the bytes.
        guard masked != bytes else { return bytes }
        add(mask.credentials(in: document))
        return masked
    }

    /// Masks JSON that a page loads as a script: `callback({…});`.
    private mutating func script(_ bytes: [UInt8]) -> [UInt8] {
        guard let open = bytes.prefix(512).firstIndex(of: UInt8(ascii: "(")),
            let close = bytes.lastIndex(of: UInt8(ascii: ")")), open < close
        else { return bytes }
        let inner = Array(bytes[open + 1..<close])
        let masked = json(inner)
        return masked == inner ? bytes : bytes[...open] + masked + bytes[close...]
    }

    /// Masks the values that were found by their names.
    private mutating func masking(_ values: NamedValues, in bytes: [UInt8]) -> [UInt8] {
        var masked: [(range: Range<Int>, bytes: [UInt8])] = []
        var credentials: Set<String> = []
        for (name, range) in values.found {
            let value = String(decoding: bytes[range], as: UTF8.self)
            let shown = mask.masking(value: value, named: name)
            guard shown != value else { continue }
            masked.append((range, Array(shown.utf8)))
            if value.utf8.count >= CredentialMask.shortestElsewhere { credentials.insert(value) }
        }
        guard !masked.isEmpty else { return bytes }
        add(credentials)
        return bytes.replacing(masked)
    }

    /// Adds credentials that must be masked wherever they occur.
    mutating func add(_ credentials: Set<String>) {
        guard found.count < Self.foundLimit.count else { return }
        // Sorted, so that another process keeps the same ones.
        for text in credentials.subtracting(found).sorted() {
            let size = foundSize + text.utf8.count
            guard found.count < Self.foundLimit.count, size <= Self.foundLimit.size else { return }
            found.insert(text)
            foundSize = size
        }
    }

    /// Whether a byte is zero, as in a picture or in UTF-16: fast, and few texts have one.
    package static func hasZero(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { text in
            text.baseAddress.flatMap { memchr($0, 0, text.count) } != nil
        }
    }
}
