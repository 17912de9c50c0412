import Secrets

/// A text that must not be shown: a password, a token, a key.
///
/// Printing, logging or reflecting it, or a value that holds it, shows a mask. It is not wiped from memory.
public struct Secret: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The secret in clear.
    public let value: String

    /// Wraps a text.
    public init(_ value: String) { self.value = value }
    /// Wraps a literal; for tests, because a literal in a program is not secret.
    public init(stringLiteral value: String) { self.value = value }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A mask, of the same length for every secret.
    public var description: String { CredentialMask.mask }
    /// The mask that `description` shows.
    public var debugDescription: String { CredentialMask.mask }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// A user and password with which libcurl authenticates to a server or a proxy.
public struct ServerCredentials: Sendable, Hashable {
    /// How the password is sent or proven to the server.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// In clear text, with the first request (RFC 7617).
        case basic
        /// As a digest of a challenge (RFC 7616).
        case digest
        /// Microsoft's NTLM, which ties the connection to one user.
        case ntlm
        /// Kerberos by SPNEGO (RFC 4559), with the user's ticket and no password.
        case negotiate
        /// The strongest scheme that the server offers; learning which costs a request.
        case any
    }

    /// How the password is sent or proven to the server.
    public var scheme: Scheme
    /// The user's name in clear.
    public var user: String
    /// The user's password; masked when printed.
    public var password: Secret

    /// Makes credentials.
    public init(_ scheme: Scheme, user: String, password: Secret) {
        self.scheme = scheme
        self.user = user
        self.password = password
    }

    /// Kerberos with the ticket of the user who runs the program.
    public static let negotiate = ServerCredentials(.negotiate, user: "", password: "")
}

/// A client certificate, for servers that ask for one (mutual TLS).
public struct ClientCertificate: Sendable, Hashable {
    /// The format of the certificate's file.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// PEM: Base64 between `-----BEGIN` and `-----END` lines.
        case pem
        /// PKCS#12, certificate and key in one file (`.p12`, `.pfx`).
        case pkcs12
    }

    /// The path of the file with the certificate.
    public var file: String
    /// The format of that file.
    public var format: Format
    /// The path of the private key in PEM form; nil if `file` holds it too.
    public var keyFile: String?
    /// The password of the key or the PKCS#12 file; nil if it has none.
    public var password: Secret?

    /// Names a certificate; if `format` is nil, a file `.p12` or `.pfx` is PKCS#12 and any other is PEM.
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
