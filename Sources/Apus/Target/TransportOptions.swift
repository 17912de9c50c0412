/// How a request travels.
///
/// Every field has a default that suits debugging an API.
public struct TransportOptions: Sendable, Hashable {
    /// Which HTTP version is asked for; the server decides what is spoken.
    public enum HTTPVersion: String, Sendable, Hashable, CaseIterable {
        /// HTTP/2 over TLS where the server offers it, else HTTP/1.1.
        case automatic
        /// HTTP/1.1 only.
        case http1
        /// HTTP/2, over TLS by ALPN, in clear text by prior knowledge.
        case http2
    }

    /// Time for the whole exchange; nil for no limit.
    ///
    /// The default is 60 s.
    public var timeout: Duration?
    /// Time to have a connection, name lookup and TLS included.
    ///
    /// Default 15 s.
    public var connectTimeout: Duration?
    /// How many redirects are followed; 0 shows the redirect itself.
    ///
    /// Default 10.
    public var maximumRedirects: Int
    /// Whether the server's certificate and host name are checked.
    ///
    /// Default yes.
    public var verifiesTLS: Bool
    /// A file of certificates in PEM form to trust instead of the system's.
    public var certificateAuthorityFile: String?
    /// The HTTP version asked for.
    public var requestedVersion: HTTPVersion
    /// A proxy's URL (`http://`, `socks5h://` …); nil for what the environment says.
    public var proxy: String?
    /// Whether compressed bodies are asked for and decoded.
    ///
    /// Default yes.
    public var decodesContent: Bool
    /// A body of more bytes than this ends the exchange; nil for no limit.
    public var maximumBodySize: Int?
    /// A body of more bytes than this goes to a file.
    ///
    /// The default is 8 MiB.
    public var memoryLimit: Int
    /// Whether the bytes on the wire are recorded (headers and TLS messages).
    public var tracesWire: Bool

    /// Makes options; what is not given has its default.
    public init(
        timeout: Duration? = .seconds(60),
        connectTimeout: Duration? = .seconds(15),
        maximumRedirects: Int = 10,
        verifiesTLS: Bool = true,
        certificateAuthorityFile: String? = nil,
        requestedVersion: HTTPVersion = .automatic,
        proxy: String? = nil,
        decodesContent: Bool = true,
        maximumBodySize: Int? = nil,
        memoryLimit: Int = 8 << 20,
        tracesWire: Bool = false
    ) {
        self.timeout = timeout
        self.connectTimeout = connectTimeout
        self.maximumRedirects = maximumRedirects
        self.verifiesTLS = verifiesTLS
        self.certificateAuthorityFile = certificateAuthorityFile
        self.requestedVersion = requestedVersion
        self.proxy = proxy
        self.decodesContent = decodesContent
        self.maximumBodySize = maximumBodySize
        self.memoryLimit = memoryLimit
        self.tracesWire = tracesWire
    }
}
