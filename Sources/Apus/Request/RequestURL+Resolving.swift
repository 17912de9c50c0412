import Documents

/// Resolves references, such as those of `Location`, against the URL that they came from (RFC 3986, section 5).
///
/// ```
/// base  http://h/a/b?q      c/../d ─▶ http://h/a/d       ?x ─▶ http://h/a/b?x
///                           //i/e  ─▶ http://i/e         #f ─▶ http://h/a/b?q
/// ```
/// Redirects, what a response invalidates, and whatever else is relative, all come here: libcurl's own rules keep
/// dot segments, and drop a segment for `#f`.
extension RequestURL {
    /// Why a reference leads nowhere.
    enum ReferenceError: Error, Hashable {
        /// It has another scheme than http and https; the payload is in lower case.
        case scheme(String)
        /// It is not a URL with a host.
        case noHost
    }

    /// The URL that a reference leads to; bytes that are not ASCII are escaped as they are, whatever their encoding.
    ///
    /// An empty reference leads to the URL itself. There is no fragment, because it is never sent.
    func resolving(_ reference: some Collection<UInt8>) throws(ReferenceError) -> RequestURL {
        let parts = Reference(reference)
        var url = self
        if let scheme = parts.scheme {
            guard scheme == "http" || scheme == "https" else { throw .scheme(scheme) }
            guard parts.authority != nil else { throw .noHost }
            url.scheme = scheme
        }
        if let bytes = parts.authority {
            url.authority = try Self.authority(bytes)
            url.path = Self.withoutDots(Self.escaped(parts.path))
            url.query = parts.query.map(Self.escaped)
            return url
        }
        // A colon in its first segment would make it a scheme (section 4.2).
        guard !parts.path.prefix(while: { $0 != UInt8(ascii: "/") }).contains(UInt8(ascii: ":"))
        else { throw .noHost }
        url.query = parts.query.map(Self.escaped)
        guard let first = parts.path.first else {
            if parts.query == nil { url.query = query }
            return url
        }
        let folder = first == UInt8(ascii: "/") ? "" : Self.folder(of: path)
        url.path = Self.withoutDots(folder + Self.escaped(parts.path))
        return url
    }

    /// The absolute URL, without a fragment.
    var text: String { "\(scheme)://\(authority)\(requestTarget)" }

    /// The path up to its last slash (section 5.2.3).
    private static func folder(of path: String) -> String {
        guard let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "/" }
        return String(path[...end])
    }

    /// Removes the segments `.` and `..` (section 5.2.4).
    static func withoutDots(_ path: String) -> String {
        guard path.utf8.contains(UInt8(ascii: ".")) else { return path }
        let segments = path.utf8.split(
            separator: UInt8(ascii: "/"),
            omittingEmptySubsequences: false
        )
        var kept: [Substring] = []
        // The first one is empty, because the path begins with a slash.
        for (index, segment) in segments.enumerated().dropFirst() {
            let text = Substring(segment)
            guard text == "." || text == ".." else {
                kept.append(text)
                continue
            }
            if text == ".." { _ = kept.popLast() }
            if index == segments.count - 1 { kept.append("") }
        }
        return "/" + kept.joined(separator: "/")
    }

    private static func authority(_ bytes: [UInt8]) throws(ReferenceError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self),
            !bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F || Self.isNeverInHost($0) })
        else { throw .noHost }
        let authority: String
        do throws(HostNameError) {
            authority = try HostName.authority(text)
        } catch {
            throw .noHost
        }
        let host = Authority(authority)
        guard !host.host.isEmpty, isPort(host.portText) else { throw .noHost }
        return authority
    }

    /// Whether a text may follow a host; a port may be empty (section 3.2.3).
    private static func isPort(_ text: String) -> Bool {
        guard let colon = text.utf8.first else { return true }
        let digits = text.utf8.dropFirst()
        return colon == UInt8(ascii: ":") && digits.allSatisfy { 0x30...0x39 ~= $0 }
            && (digits.isEmpty || UInt16(Substring(digits)) != nil)
    }

    private static func isNeverInHost(_ byte: UInt8) -> Bool { #""<>\^`{|}"#.utf8.contains(byte) }

    /// Escapes what a path or a query cannot have, so also brackets, which only a host has.
    private static func escaped(_ bytes: [UInt8]) -> String {
        let text = bytes.withUnsafeBufferPointer { PercentEncoding.keepingLegal($0[...]) }
        return text.replacing("[", with: "%5B").replacing("]", with: "%5D")
    }
}

/// The parts of a reference (RFC 3986, appendix B); nil for those that it does not have.
private struct Reference {
    /// In lower case.
    var scheme: String?
    var authority: [UInt8]?
    var path: [UInt8]
    var query: [UInt8]?

    init(_ reference: some Collection<UInt8>) {
        // Blanks around it are not part of it, as in a header field.
        var rest = Array(reference)[...].drop { $0 <= 0x20 }
        while let last = rest.last, last <= 0x20 { rest.removeLast() }
        rest = rest.prefix { $0 != UInt8(ascii: "#") }
        let isScheme = { (byte: UInt8) in
            0x61...0x7A ~= byte | 0x20 || 0x30...0x39 ~= byte || "+-.".utf8.contains(byte)
        }
        let name = rest.prefix(while: isScheme)
        if let first = name.first, 0x61...0x7A ~= first | 0x20, name.endIndex < rest.endIndex,
            rest[name.endIndex] == UInt8(ascii: ":")
        {
            scheme = String(decoding: name, as: UTF8.self).asciiLowercased
            rest = rest[name.endIndex...].dropFirst()
        }
        if rest.starts(with: "//".utf8) {
            let bytes = rest.dropFirst(2).prefix { !"/?".utf8.contains($0) }
            authority = Array(bytes)
            rest = rest[bytes.endIndex...]
        }
        let before = rest.prefix { $0 != UInt8(ascii: "?") }
        path = Array(before)
        if before.endIndex < rest.endIndex { query = Array(rest[before.endIndex...].dropFirst()) }
    }
}
