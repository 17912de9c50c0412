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

    /// Names a certificate.
    public init(
        file: String,
        format: Format = .pem,
        keyFile: String? = nil,
        password: Secret? = nil
    ) {
        self.file = file
        self.format = format
        self.keyFile = keyFile
        self.password = password
    }
}
