/// A user and password that libcurl shows to a server or a proxy.
public struct ServerCredentials: Sendable, Hashable {
    /// How they are shown.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// In clear text, with the first request (RFC 7617).
        case basic
        /// As a digest of a challenge (RFC 7616).
        case digest
        /// Microsoft's NTLM; the connection is then one user's.
        case ntlm
        /// Kerberos by SPNEGO (RFC 4559); the user's ticket is used, no password.
        case negotiate
        /// The strongest that the server offers; costs a request to learn which.
        case any
    }

    /// How they are shown.
    public var scheme: Scheme
    /// The user.
    public var user: String
    /// The password.
    public var password: Secret

    /// Makes credentials.
    public init(_ scheme: Scheme, user: String, password: Secret) {
        self.scheme = scheme
        self.user = user
        self.password = password
    }

    /// Kerberos, by the ticket of the user that runs the program.
    public static let negotiate = ServerCredentials(.negotiate, user: "", password: "")
}
