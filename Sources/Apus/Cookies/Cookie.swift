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
