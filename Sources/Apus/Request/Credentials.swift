/// A text that must not be shown: a password, a token, a key.
///
/// Printing, logging or reflecting it, or anything that holds it, gives a mask.
/// It is not wiped from memory.
public struct Secret: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The text itself.
    public let value: String

    /// Hides a text.
    public init(_ value: String) { self.value = value }
    /// Hides a text; for tests, as a literal in a program is no secret.
    public init(stringLiteral value: String) { self.value = value }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A mask, of the same length for every secret.
    public var description: String { CredentialMask.mask }
    /// The same mask.
    public var debugDescription: String { CredentialMask.mask }
    /// Nothing to see.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

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

/// A certificate of our own, for servers that ask who we are (mutual TLS).
public struct ClientCertificate: Sendable, Hashable {
    /// How the file is written.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// Base64 between dashes.
        case pem
        /// PKCS#12, certificate and key in one file (`.p12`, `.pfx`).
        case pkcs12
    }

    /// The file with the certificate.
    public var file: String
    /// How it is written.
    public var format: Format
    /// The file with the private key in PEM form; nil if `file` holds it too.
    public var keyFile: String?
    /// What the key or the PKCS#12 file is locked with.
    public var password: Secret?

    /// Names a certificate; without a format the file's name tells it, `.p12` and `.pfx` being PKCS#12.
    public init(
        file: String,
        format: Format? = nil,
        keyFile: String? = nil,
        password: Secret? = nil
    ) {
        let name = file.lowercased()
        let isPKCS12 = name.hasSuffix(".p12") || name.hasSuffix(".pfx")
        self.file = file
        self.format = format ?? (isPKCS12 ? .pkcs12 : .pem)
        self.keyFile = keyFile
        self.password = password
    }
}
