import Documents

// Paths are strings, not `URL`s: `appendingPathComponent` would escape `?` and double-escape `%`.
// Characters that a path or a query may have stay as written; the rest is escaped.

/// The parts of a URL that a request line needs, made from a base, a path and parameters (RFC 3986 section 5,
/// RFC 9110 section 7.1).
struct RequestURL: Hashable {
    var scheme: String
    var authority: String
    var path: String
    var query: String?

    /// Parses an absolute `http` or `https` URL; its host is then in ASCII, and its fragment is dropped, because
    /// it is never sent.
    init(absolute text: String) throws(ApusError) {
        // Bytes, not characters, because this runs for every request.
        var bytes = text
        guard let url = bytes.withUTF8({ Self.parsed($0) }) else {
            throw ApusError(.invalidRequest(.url(text)))
        }
        guard url.scheme == "http" || url.scheme == "https" else {
            throw ApusError(.invalidRequest(.scheme(url.scheme)))
        }
        self = consume url
        do throws(HostNameError) {
            authority = try HostName.authority(authority)
        } catch {
            throw ApusError(.invalidRequest(.host(text, detail: error.detail)))
        }
    }

    private init(scheme: String, authority: String, reference: Bytes) {
        self.scheme = scheme
        self.authority = authority
        (path, query) = Self.splitReference(reference)
    }

    private typealias Bytes = UnsafeBufferPointer<UInt8>

    private static func parsed(_ bytes: Bytes) -> RequestURL? {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            colon + 2 < bytes.count, bytes[colon + 1] == UInt8(ascii: "/"),
            bytes[colon + 2] == UInt8(ascii: "/")
        else { return nil }
        let start = colon + 3
        let end =
            bytes[start...].firstIndex {
                $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
            } ?? bytes.count
        let authority = bytes[start..<end]
        guard let last = authority.last, last != UInt8(ascii: "@"),
            !authority.contains(where: { $0 <= 0x20 || $0 == 0x7F })
        else { return nil }
        return RequestURL(
            scheme: scheme(bytes[..<colon]),
            authority: String(decoding: authority, as: UTF8.self),
            reference: Bytes(rebasing: bytes[end...])
        )
    }

    private static func scheme(_ bytes: Slice<Bytes>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        return text == "http" || text == "https" ? text : text.asciiLowercased
    }

    /// Appends `reference` to the base as `TargetType.path` describes.
    init(base: String, appending reference: String) throws(ApusError) {
        if Self.isAbsolute(reference) {
            try self.init(absolute: reference)
            return
        }
        try self.init(absolute: base)
        guard !reference.isEmpty else { return }
        var bytes = reference
        let (added, addedQuery) = bytes.withUTF8 { Self.splitReference($0) }
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

    /// Adds to the query, after its present content.
    mutating func append(query more: String) {
        guard !more.isEmpty else { return }
        if let query, !query.isEmpty {
            self.query = "\(query)&\(more)"
        } else {
            query = more
        }
    }

    /// The path, never empty, and the query, as in the request line.
    var requestTarget: String {
        let path = path.isEmpty ? "/" : path
        return query.map { "\(path)?\($0)" } ?? path
    }

    private static func splitReference(_ bytes: Bytes) -> (path: String, query: String?) {
        let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
        guard let mark = bytes[..<end].firstIndex(of: UInt8(ascii: "?")) else {
            return (PercentEncoding.keepingLegal(bytes[..<end]), nil)
        }
        let query = PercentEncoding.keepingLegal(bytes[(mark + 1)..<end])
        return (PercentEncoding.keepingLegal(bytes[..<mark]), query)
    }
}

/// The scheme, host and port of a URL (RFC 6454).
package enum URLOrigin {
    /// Whether two absolute URLs have the same origin; false if either is not a valid HTTP URL.
    package static func isSame(_ a: String, _ b: String) -> Bool {
        guard let a = try? RequestURL(absolute: a), let b = try? RequestURL(absolute: b) else {
            return false
        }
        return a.scheme == b.scheme && authority(of: a) == authority(of: b)
    }

    /// The authority without the scheme's default port.
    ///
    /// It includes the user, because a link that names another user leads to another account.
    private static func authority(of url: RequestURL) -> String {
        let authority = url.authority.asciiLowercased
        let port = url.scheme == "https" ? ":443" : ":80"
        return authority.hasSuffix(port) ? String(authority.dropLast(port.count)) : authority
    }
}
