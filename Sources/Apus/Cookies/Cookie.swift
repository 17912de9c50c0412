public import FoundationEssentials

/// A cookie, with all that decides where it is sent (RFC 6265 section 5.3).
///
/// Its value is a secret to descriptions and logs.
public struct Cookie: Sendable, Hashable {
    /// Whether other sites' pages may have it sent.
    ///
    /// An API client has no pages: it is kept to be shown.
    public enum SameSite: String, Sendable, Hashable, CaseIterable {
        /// From its own site only.
        case strict = "Strict"
        /// Also when a person follows a link.
        case lax = "Lax"
        /// From anywhere; `Secure` only.
        case none = "None"
    }

    /// What tells one cookie from another in a jar.
    public struct ID: Sendable, Hashable {
        /// The cookie's name; case counts.
        public let name: String
        /// Its domain, in lower case, without a dot before it.
        public let domain: String
        /// Its path, without a slash at its end.
        public let path: String

        /// Makes an identity.
        public init(name: String, domain: String, path: String = "/") {
            self.name = name
            self.domain = String(domain.lowercased().drop { $0 == "." })
            // The same folder to all rules of RFC 6265, and to libcurl.
            let isFolder = path.count > 1 && path.hasSuffix("/") && !path.hasSuffix("//")
            self.path = isFolder ? String(path.dropLast()) : path
        }
    }

    /// Name, domain and path.
    public var id: ID
    /// Its value.
    public var value: Secret
    /// Whether it goes to the domain's own host only, not to hosts below it.
    public var isHostOnly: Bool
    /// When it ends; nil for a cookie of the session.
    public var expires: Date?
    /// Whether it goes over TLS only.
    public var isSecure: Bool
    /// Whether scripts of a page may not see it.
    public var isHTTPOnly: Bool
    /// What the server said of other sites; nil if nothing.
    public var sameSite: SameSite?

    /// Makes a cookie.
    public init(
        _ name: String,
        _ value: Secret,
        domain: String,
        path: String = "/",
        isHostOnly: Bool = true,
        expires: Date? = nil,
        isSecure: Bool = false,
        isHTTPOnly: Bool = false,
        sameSite: SameSite? = nil
    ) {
        id = ID(name: name, domain: domain, path: path)
        self.value = value
        self.isHostOnly = isHostOnly
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
    }

    /// Its name.
    public var name: String { id.name }
    /// Its domain, without a dot before it.
    public var domain: String { id.domain }
    /// Its path.
    public var path: String { id.path }
    /// Whether it ends with the session.
    public var isSessionCookie: Bool { expires == nil }
}

/// A cookie as a line of Netscape's cookie file: what libcurl gives and takes, and
/// what `curl -b` and `-c` read and write.
///
/// ```
/// [#HttpOnly_][.]domain ⇥ TRUE|FALSE ⇥ path ⇥ TRUE|FALSE ⇥ expires ⇥ name ⇥ value
/// ```
struct CookieLine {
    private static let httpOnlyMark = "#HttpOnly_"

    /// A number of seconds that any date and any integer can hold: 30 million years.
    private static let latestEnd: Double = 1e15

    let text: String

    /// Writes a cookie; nil if it cannot be one (RFC 6265 section 4.1.1).
    init?(_ cookie: Cookie) {
        guard Self.isToken(cookie.name), Self.isValue(cookie.value.value),
            Self.isPlain(cookie.path), cookie.path.hasPrefix("/"),
            Self.isPlain(cookie.domain), !cookie.domain.isEmpty, !cookie.domain.hasPrefix("#")
        else { return nil }
        // Zero would be a cookie of the session, and one is past; no end is further than libcurl's.
        let seconds = cookie.expires.map {
            Int(min(max(1, $0.timeIntervalSince1970.rounded(.down)), Self.latestEnd))
        }
        text = [
            (cookie.isHTTPOnly ? Self.httpOnlyMark : "")
                + (cookie.isHostOnly ? "" : ".") + cookie.domain,
            cookie.isHostOnly ? "FALSE" : "TRUE",
            cookie.path,
            cookie.isSecure ? "TRUE" : "FALSE",
            String(seconds ?? 0),
            cookie.name,
            cookie.value.value,
        ].joined(separator: "\t")
    }

    /// A line of a file or of libcurl's.
    init(text: String) { self.text = text }

    /// The cookie; nil if the line is none.
    var cookie: Cookie? {
        let isHTTPOnly = text.hasPrefix(Self.httpOnlyMark)
        // By scalars, as libcurl: a tab with an accent upon it separates.
        let line = text.unicodeScalars.dropFirst(isHTTPOnly ? Self.httpOnlyMark.utf8.count : 0)
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard line.first != "#", parts.count >= 6, let seconds = Int(parts[4]) else { return nil }
        return Cookie(
            parts[5],
            Secret(parts.count > 6 ? parts[6...].joined(separator: "\t") : ""),
            domain: parts[0],
            path: parts[2],
            isHostOnly: parts[1] != "TRUE",
            expires: seconds == 0 ? nil : Date(timeIntervalSince1970: Double(seconds)),
            isSecure: parts[3] == "TRUE",
            isHTTPOnly: isHTTPOnly
        )
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                byte > 0x20 && byte < 0x7F && !#"()<>@,;:\"/[]?={}"#.utf8.contains(byte)
            }
    }

    private static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") }
    }

    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") }
    }
}

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
