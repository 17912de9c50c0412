import Documents
public import FoundationEssentials

/// A cookie with all attributes that decide where it is sent (RFC 6265, section 5.3).
///
/// Its value is a secret, which descriptions and logs hide.
public struct Cookie: Sendable, Hashable {
    /// Whether requests from other sites' pages include it.
    ///
    /// An API client has no pages, so this is only kept for display.
    public enum SameSite: String, Sendable, Hashable, CaseIterable {
        /// Only from its own site.
        case strict = "Strict"
        /// Also when the user follows a link from another site.
        case lax = "Lax"
        /// From any site; requires `Secure`.
        case none = "None"
    }

    /// Identifies a cookie in a jar.
    public struct ID: Sendable, Hashable {
        /// The cookie's name; case-sensitive.
        public let name: String
        /// Its domain, in lowercase and ASCII, without a leading dot.
        public let domain: String
        /// Its path, without a trailing slash.
        public let path: String

        /// Makes an ID.
        public init(name: String, domain: String, path: String = "/") {
            self.name = name
            self.domain = HostName.comparable(domain.drop { $0 == "." })
            // With or without the slash, the path means the same to RFC 6265 and to libcurl.
            let isFolder = path.count > 1 && path.hasSuffix("/") && !path.hasSuffix("//")
            self.path = isFolder ? String(path.dropLast()) : path
        }
    }

    /// Name, domain and path.
    public var id: ID
    /// The value as set, which may be empty; masked when printed.
    public var value: Secret
    /// Whether it is sent only to the domain's own host, not to its subdomains.
    public var isHostOnly: Bool
    /// When it expires; nil for a session cookie.
    public var expires: Date?
    /// Whether it is sent only over TLS.
    public var isSecure: Bool
    /// Whether it is hidden from a page's scripts.
    public var isHTTPOnly: Bool
    /// The server's `SameSite` attribute; nil if there is none.
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

    /// The name as sent; case matters.
    public var name: String { id.name }
    /// Its domain, without a leading dot.
    public var domain: String { id.domain }
    /// The path that a request's path must be equal to or below.
    public var path: String { id.path }
    /// Whether it ends with the session.
    public var isSessionCookie: Bool { expires == nil }
}

/// A cookie as a line of a Netscape cookie file: the format of libcurl, and of `curl -b` and `-c`.
///
/// ```
/// [#HttpOnly_][.]domain ⇥ TRUE|FALSE ⇥ path ⇥ TRUE|FALSE ⇥ expires ⇥ name ⇥ value
/// ```
struct CookieLine {
    private static let httpOnlyMark = "#HttpOnly_"

    /// The latest expiry, in seconds since 1970, which any date and integer can hold: 30 million years.
    private static let latestEnd: Double = 1e15

    let text: String

    /// Formats a cookie; nil if it is not valid (RFC 6265, section 4.1.1).
    init?(_ cookie: Cookie) {
        guard Self.isToken(cookie.name), Self.isValue(cookie.value.value),
            Self.isPlain(cookie.path), cookie.path.hasPrefix("/"),
            Self.isPlain(cookie.domain), !cookie.domain.isEmpty, !cookie.domain.hasPrefix("#")
        else { return nil }
        // 0 would mean a session cookie, and 1 is in the past.
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

    /// Takes a line of a file or from libcurl.
    init(text: String) { self.text = text }

    /// The cookie; nil if the line does not contain one.
    var cookie: Cookie? {
        let isHTTPOnly = text.hasPrefix(Self.httpOnlyMark)
        // By scalars, like libcurl: a tab followed by a combining accent is still a separator.
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

/// The part of a `Set-Cookie` field that libcurl does not keep: `SameSite`, and the cookie it belongs to.
struct SetCookieField {
    let id: Cookie.ID
    let sameSite: Cookie.SameSite?

    /// Parses a field of the response from a URL; nil if it sets nothing (RFC 6265, section 5.2) or sets a
    /// cookie for another host (section 5.3, step 6).
    init?(_ field: String, from url: String) {
        guard let url = try? RequestURL(absolute: url) else { return nil }
        let parts = field.unicodeScalars.split(separator: ";", omittingEmptySubsequences: false)
        guard let pair = parts.first, let equals = pair.firstIndex(of: "="),
            !Self.trimmed(pair[..<equals]).isEmpty
        else { return nil }
        let host = Authority(url.authority).host.asciiLowercased
        var domain = host
        var path = Self.defaultPath(of: url.path)
        var sameSite: Cookie.SameSite?
        for part in parts.dropFirst() {
            let name = part.prefix { $0 != "=" }
            let value = Self.trimmed(part[name.endIndex...].dropFirst())
            switch Self.trimmed(name).asciiLowercased {
            case "domain" where !value.isEmpty: domain = value
            case "path":
                path =
                    value.utf8.first == UInt8(ascii: "/") ? value : Self.defaultPath(of: url.path)
            case "samesite":
                sameSite = Cookie.SameSite.allCases.first {
                    $0.rawValue.asciiLowercased == value.asciiLowercased
                }
            default: continue
            }
        }
        id = Cookie.ID(name: Self.trimmed(pair[..<equals]), domain: domain, path: path)
        guard host == id.domain || host.hasSuffix(".\(id.domain)") else { return nil }
        self.sameSite = sameSite
    }

    /// What libcurl 7.88 takes for the cookie in a field without a name; nil for any other field.
    ///
    /// It takes the first attribute with a value, although a field without a name before its first `=`, or
    /// without a pair before its first `;`, sets nothing (section 5.2, step 5).
    static func mistaken(in field: String) -> (name: String, value: String)? {
        let parts = field.unicodeScalars.split(separator: ";", omittingEmptySubsequences: false)
        guard let pair = parts.first, trimmed(pair.prefix { $0 != "=" }).isEmpty else { return nil }
        for part in parts.dropFirst() {
            let name = part.prefix { $0 != "=" }
            guard name.endIndex < part.endIndex, !trimmed(name).isEmpty else { continue }
            return (trimmed(name), trimmed(part[name.endIndex...].dropFirst()))
        }
        return nil
    }

    private static func trimmed(_ text: Substring.UnicodeScalarView) -> String {
        let isSpace = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return String(text)
    }

    /// The default path of a cookie: the folder of the URL's path (section 5.1.4).
    private static func defaultPath(of path: String) -> String {
        guard let slash = path.unicodeScalars.lastIndex(of: "/"), slash > path.startIndex else {
            return "/"
        }
        return String(path[..<slash])
    }
}
