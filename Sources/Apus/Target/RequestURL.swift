/// A base, a path and parameters, put together to what a request line needs
/// (RFC 3986 section 5, RFC 9110 section 7.1).
struct RequestURL: Hashable {
    var scheme: String
    var authority: String
    var path: String
    var query: String?

    /// Takes an absolute `http` or `https` URL apart; a fragment is dropped,
    /// for it is never sent.
    init(absolute text: String) throws(ApusError) {
        // Bytes, not characters: this runs for every request.
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > bytes.startIndex,
            bytes[colon...].starts(with: "://".utf8)
        else { throw ApusError(.invalidRequest(.url(text))) }
        scheme = Self.scheme(text[..<colon])
        guard scheme == "http" || scheme == "https" else {
            throw ApusError(.invalidRequest(.scheme(scheme)))
        }
        let rest = bytes[bytes.index(colon, offsetBy: 3)...]
        let authority = rest.prefix {
            $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
        }
        guard let last = authority.last, last != UInt8(ascii: "@"),
            !authority.contains(where: { $0 <= 0x20 || $0 == 0x7F })
        else { throw ApusError(.invalidRequest(.url(text))) }
        self.authority = String(text[authority.startIndex..<authority.endIndex])
        (path, query) = Self.splitReference(text[authority.endIndex...])
    }

    private static func scheme(_ text: Substring) -> String {
        text == "http" || text == "https" ? String(text) : text.lowercased()
    }

    /// Appends `reference` to the base, as `TargetType.path` says.
    init(base: String, appending reference: String) throws(ApusError) {
        if Self.isAbsolute(reference) {
            try self.init(absolute: reference)
            return
        }
        try self.init(absolute: base)
        guard !reference.isEmpty else { return }
        let (added, addedQuery) = Self.splitReference(reference[...])
        if !added.isEmpty {
            let front = path.hasSuffix("/") ? String(path.dropLast()) : path
            path = front + (added.hasPrefix("/") ? added : "/" + added)
        }
        if let addedQuery { append(query: addedQuery) }
    }

    /// Whether a text begins with a scheme (RFC 3986, section 3.1) and "://".
    static func isAbsolute(_ text: String) -> Bool {
        var bytes = text.utf8[...]
        guard let first = bytes.popFirst(), isLetter(first) else { return false }
        while let byte = bytes.first, byte != UInt8(ascii: ":") {
            guard isLetter(byte) || "+-.0123456789".utf8.contains(byte) else { return false }
            bytes.removeFirst()
        }
        return bytes.starts(with: "://".utf8)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Adds to the query, after what it already has.
    mutating func append(query more: String) {
        guard !more.isEmpty else { return }
        if let query, !query.isEmpty {
            self.query = "\(query)&\(more)"
        } else {
            query = more
        }
    }

    /// What stands in the request line: the path, never empty, and the query.
    var requestTarget: String {
        let path = path.isEmpty ? "/" : path
        return query.map { "\(path)?\($0)" } ?? path
    }

    private static func splitReference(_ text: Substring) -> (path: String, query: String?) {
        let bytes = text.utf8
        let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        guard let mark = bytes[..<end].firstIndex(of: UInt8(ascii: "?")) else {
            return (PercentEncoding.keepingLegal(text[..<end]), nil)
        }
        let query = text[bytes.index(after: mark)..<end]
        return (
            PercentEncoding.keepingLegal(text[..<mark]), PercentEncoding.keepingLegal(query)
        )
    }
}
