import Documents

/// Looks for credentials in a body.
///
/// That is a known secret anywhere in it, the value of a member with a credential's name, and a URL
/// with a credential. Who asks must know of a body that it was searched to its end: what a type
/// promises to have members, and cannot be read as it promises, counts as holding a credential.
///
///     bytes ─┬─────────────────────────────────────────────▶ known secrets
///            └─ as the type says, as they look, as a form ──▶ members ─▶ texts that are JSON again
///
/// Text that is no document, pictures and other bytes are searched for known secrets only.
struct CredentialSearch {
    /// Shorter credentials are words that may well stand anywhere.
    static let shortest = 4
    /// How often JSON may stand as a text in JSON.
    private static let deepest = 4
    /// Types with members that there is no reader for, by a word of their names.
    private static let unreadable: Set<Substring> = [
        "json", "json5", "jsonc", "xml", "yaml", "toml", "cbor", "msgpack", "bson", "graphql",
        "multipart",
    ]

    let mask: CredentialMask
    /// Names beside the usual ones.
    let names: Set<String>

    /// Whether a body of this type has members, which must be read.
    static func mustBeRead(_ type: String?) -> Bool {
        if format(of: type) != nil { return true }
        let name = (type ?? "").lowercased().prefix { $0 != ";" }
        return name.split { !$0.isLetter && !$0.isNumber }.contains(where: unreadable.contains)
    }

    /// What a type names, or the first of several in one line.
    private static func format(of type: String?) -> DocumentFormat? {
        DocumentFormat(contentType: type)
            ?? DocumentFormat(contentType: type.map { String($0.prefix { $0 != "," }) })
    }

    /// Whether a part of a form has a credential's name, and a value.
    func isNamed(_ part: MultipartForm.Part) -> Bool {
        guard isCredential(part.name) else { return false }
        return if case .bytes(let bytes) = part.content { bytes.count >= Self.shortest } else {
            true
        }
    }

    /// Whether a known secret stands in bytes.
    func knows(_ bytes: [UInt8]) -> Bool {
        guard mask.hasSecrets else { return false }
        let text = String(decoding: bytes, as: UTF8.self)
        return mask.masking(text: text) != text
    }

    /// Whether bytes have a credential, or might.
    func finds(in bytes: [UInt8], type: String?) -> Bool {
        guard !knows(bytes) else { return true }
        guard !bytes.isEmpty else { return false }
        let declared = Self.format(of: type)
        let name = (type ?? "").lowercased().drop { $0 == " " || $0 == "\t" }
        let isText = name.isEmpty || name.hasPrefix("text/") || name.hasPrefix("application/octet")
        guard isText || Self.mustBeRead(type) else { return false }
        let text = DocumentBytes(bytes)
        if declared == .json {
            let reading = read(text, as: .json)
            // Nearly all bodies, and what is JSON to its end is nothing else.
            guard !reading.finds, !reading.isWhole else { return reading.finds }
        }
        let first = Self.first(of: bytes)
        var formats = [declared, DocumentFormat(sniffing: text)].compactMap { $0 }
        // What has no type, or the one of a form that tools give to anything.
        var promised = declared == .form ? nil : declared
        if promised == nil, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            formats.append(.json)
        }
        let isObject = first == UInt8(ascii: "{") && !name.hasPrefix("text/")
        if declared == nil && Self.mustBeRead(type) || promised == nil && isObject {
            promised = .json
        }
        if isText, bytes.contains(UInt8(ascii: "=")) { formats.append(.form) }
        var isRead = promised == nil
        for (place, format) in formats.enumerated() where !formats[..<place].contains(format) {
            let reading = read(text, as: format)
            if reading.finds { return true }
            let isPromised = format == promised || format.isJSON && promised?.isJSON == true
            isRead = isRead || isPromised && reading.isWhole
        }
        return !isRead
    }

    /// Whether a reading finds a credential, and whether it came to the end.
    private func read(
        _ text: DocumentBytes,
        as format: DocumentFormat,
        depth: Int = 0
    ) -> (finds: Bool, isWhole: Bool) {
        let opened = FormattedDocument.opening(text, as: format)
        // Another encoding than UTF-8 is read by now.
        let decoded = opened.text === text ? [] : opened.text.array(in: 0..<opened.text.count)
        return (
            knows(decoded) || finds(in: opened.document, depth: depth),
            opened.document.fault == nil && opened.faults.isEmpty
        )
    }

    private func isCredential(_ name: String) -> Bool {
        CredentialMask.isSecret(parameter: name, among: names)
    }

    private func finds(in document: Document, depth: Int) -> Bool {
        // Behind the members with a credential's name: a list of passwords is a secret as one is.
        var end = 0
        var lastPair: NodeIndex?
        for place in 0..<document.nodeCount {
            let node = NodeIndex(place)
            let name = document.key(of: node)
            if place >= end, let name, isCredential(name) {
                end = place + document.subtreeSize(of: node)
            }
            if place < end, isValue(node, document) { return true }
            guard let text = document.string(of: node) else { continue }
            if !URLCredentials(in: text, among: names).texts.isEmpty { return true }
            if isJSON(text) {
                // Deeper ones are not searched.
                guard depth < Self.deepest else { return true }
                let inner = DocumentBytes(Array(text.utf8))
                if read(inner, as: .json, depth: depth + 1).finds { return true }
            }
            // `{"name": "password", "value": "x"}`, and the parts of a form.
            guard name == "name" || name == "@name", isCredential(text),
                let pair = document.parent(of: node), pair != lastPair
            else { continue }
            lastPair = pair
            for other in document.children(of: pair) where isValue(other, document) {
                if ["value", "@value", "#text", "content"].contains(document.key(of: other)) {
                    return true
                }
            }
        }
        return false
    }

    /// Whether a text may be JSON with members.
    private func isJSON(_ text: String) -> Bool {
        guard let first = Self.first(of: text.utf8), "{[".utf8.contains(first) else { return false }
        return text.utf8.contains(UInt8(ascii: "\""))
    }

    /// Whether a value is long enough for a credential.
    private func isValue(_ node: NodeIndex, _ document: Document) -> Bool {
        switch document.kind(of: node) {
        // A text's quotes do not count.
        case .string: document.valueRange(of: node).count - 2 >= Self.shortest
        case .integer, .decimal: document.valueRange(of: node).count >= Self.shortest
        case .null, .true, .false, .array, .object: false
        }
    }

    /// The first byte behind a byte order mark and blanks.
    private static func first(of bytes: some Collection<UInt8>) -> UInt8? {
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        return bytes.dropFirst(hasMark ? 3 : 0).first { !" \t\r\n".utf8.contains($0) }
    }
}
