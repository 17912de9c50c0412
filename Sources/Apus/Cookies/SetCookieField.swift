/// The part of a `Set-Cookie` field that libcurl does not keep: `SameSite`, and for
/// which cookie it was said.
struct SetCookieField {
    let id: Cookie.ID
    let sameSite: Cookie.SameSite?

    /// Reads a field of an answer to a URL; nil if it sets nothing (RFC 6265 section
    /// 5.2), or a cookie of a host that it does not come from (section 5.3, step 6).
    init?(_ field: String, from url: String) {
        guard let url = try? RequestURL(absolute: url) else { return nil }
        let parts = field.unicodeScalars.split(separator: ";", omittingEmptySubsequences: false)
        guard let pair = parts.first, let equals = pair.firstIndex(of: "=") else { return nil }
        let host = Self.host(of: url.authority).lowercased()
        var domain = host
        var path = Self.defaultPath(of: url.path)
        var sameSite: Cookie.SameSite?
        for part in parts.dropFirst() {
            let name = part.prefix { $0 != "=" }
            let value = Self.trimmed(part[name.endIndex...].dropFirst())
            switch Self.trimmed(name).lowercased() {
            case "domain" where !value.isEmpty: domain = value
            case "path":
                path =
                    value.utf8.first == UInt8(ascii: "/") ? value : Self.defaultPath(of: url.path)
            case "samesite":
                sameSite = Cookie.SameSite.allCases.first {
                    $0.rawValue.lowercased() == value.lowercased()
                }
            default: continue
            }
        }
        id = Cookie.ID(name: Self.trimmed(pair[..<equals]), domain: domain, path: path)
        guard host == id.domain || host.hasSuffix(".\(id.domain)") else { return nil }
        self.sameSite = sameSite
    }

    private static func trimmed(_ text: Substring.UnicodeScalarView) -> String {
        let isSpace = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return String(text)
    }

    private static func host(of authority: String) -> String {
        guard let host = authority.unicodeScalars.split(separator: "@").last else { return "" }
        if host.first == "[", let end = host.firstIndex(of: "]") {
            return String(host[host.index(after: host.startIndex)..<end])
        }
        return String(host.prefix { $0 != ":" })
    }

    /// The folder of a path (section 5.1.4).
    private static func defaultPath(of path: String) -> String {
        guard let slash = path.unicodeScalars.lastIndex(of: "/"), slash > path.startIndex else {
            return "/"
        }
        return String(path[..<slash])
    }
}
