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
        guard let mark = text.firstRange(of: "://"), mark.lowerBound > text.startIndex else {
            throw ApusError(.invalidRequest(.url(text)))
        }
        scheme = text[..<mark.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else {
            throw ApusError(.invalidRequest(.scheme(scheme)))
        }
        let rest = text[mark.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.isEmpty, authority.last != "@",
            !authority.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F })
        else { throw ApusError(.invalidRequest(.url(text))) }
        self.authority = String(authority)
        (path, query) = Self.splitReference(rest[authority.endIndex...])
    }

    /// Appends `reference` to the base, as `TargetType.path` says.
    init(base: String, appending reference: String) throws(ApusError) {
        if reference.hasPrefix("http://") || reference.hasPrefix("https://") {
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
        let withoutFragment = text.prefix { $0 != "#" }
        let path = withoutFragment.prefix { $0 != "?" }
        let query = withoutFragment[path.endIndex...].dropFirst()
        return (
            PercentEncoding.keepingLegal(String(path)),
            path.endIndex == withoutFragment.endIndex
                ? nil : PercentEncoding.keepingLegal(String(query))
        )
    }
}
