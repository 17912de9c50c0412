/// How a request is sent.
///
/// Every field has a default that suits debugging an API. All of them take part in equality: requests that are
/// sent differently are never treated as equal. The options of ``RareOptions`` (TLS, credentials, cookies,
/// secrets, proxies, addresses) are properties like those listed here: `options.proxy = "http://10.0.0.1:8080"`.
@dynamicMemberLookup
public struct TransportOptions: Sendable, Hashable {
    /// Which HTTP version to ask for; the server decides which is spoken.
    public enum HTTPVersion: String, Sendable, Hashable, CaseIterable {
        /// HTTP/2 over TLS where the server offers it, else HTTP/1.1.
        case automatic
        /// HTTP/1.1 only.
        case http1
        /// HTTP/2: over TLS by ALPN, in clear text by prior knowledge.
        case http2
    }

    /// The time limit for the whole request, including redirects; nil for no limit.
    ///
    /// Each attempt of a `RetryPolicy` has the full time, and pauses do not count. The default is 60 s.
    public var timeout: Duration?
    /// The time limit for connecting, including name lookup and TLS; 15 s by default.
    public var connectTimeout: Duration?
    /// How many redirects are followed, 10 by default; with 0, the redirect is the response.
    public var maximumRedirects: Int
    /// Whether the server's certificate and host name are checked.
    ///
    /// Default yes. Pinned keys are always checked.
    public var verifiesTLS: Bool
    /// The HTTP version to ask for.
    public var requestedVersion: HTTPVersion
    /// Whether compressed bodies are requested and decoded; true by default.
    public var decodesContent: Bool
    /// The largest decoded body in bytes, beyond which the exchange ends; `.max` for no limit.
    ///
    /// Nil, the default, stands for `standardMaximumBodySize`, or for no limit if the body is downloaded to a
    /// file or streamed. Nil also ends a body of more than a gigabyte that is decoded to more than 500 times the
    /// bytes received: 330 KB of zstd can become 10 GB and gzip reaches 1030 times, but no genuine response is
    /// so repetitive.
    public var maximumBodySize: Int?
    /// The largest body in bytes that is kept in memory, 8 MiB by default; a larger one goes to a file.
    public var memoryLimit: Int
    /// Whether the bytes on the wire are recorded (headers and TLS messages).
    public var tracesWire: Bool
    /// The options that are rarely set; nil if none is.
    var shared: CopyOnWriteBox<RareOptions>?

    /// The default for `timeout`.
    public static let defaultTimeout = Duration.seconds(60)

    /// The default limit for a body that is collected: 4 GiB, which is more than a program can use at once and
    /// less than fills a disk.
    public static let standardMaximumBodySize = 4 << 30

    /// Makes options; arguments that are left out have their defaults.
    ///
    /// Options that are not parameters here are set as properties.
    public init(
        timeout: Duration? = TransportOptions.defaultTimeout,
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
        self.requestedVersion = requestedVersion
        self.decodesContent = decodesContent
        self.maximumBodySize = maximumBodySize
        self.memoryLimit = memoryLimit
        self.tracesWire = tracesWire
        if let certificateAuthorityFile { self.certificateAuthorityFile = certificateAuthorityFile }
        if let proxy { self.proxy = proxy }
    }

    /// Returns the options with some of them changed.
    ///
    /// ```swift
    /// TransportOptions().with { $0.minimumTLSVersion = .tls13 }
    /// ```
    public func with(_ change: (inout TransportOptions) -> Void) -> TransportOptions {
        var options = self
        change(&options)
        return options
    }

    /// One of the options that are rarely set.
    public subscript<Value>(dynamicMember option: WritableKeyPath<RareOptions, Value>) -> Value {
        // Inlined, a key path costs as little as a property; called, thirty times as much.
        @inline(__always) get {
            if let shared { return shared.value[keyPath: option] }
            return RareOptions.none.value[keyPath: option]
        }
        set { rare = rare.with { $0[keyPath: option] = newValue } }
    }

    /// The options that are rarely set, with their defaults if none is.
    var rare: CopyOnWriteBox<RareOptions> {
        get { shared ?? RareOptions.none }
        // Without a reference for the defaults, so that equal options compare equal.
        set { shared = newValue == RareOptions.none ? nil : newValue }
    }
}

/// The kind of address to connect to.
public enum AddressFamily: String, Sendable, Hashable, CaseIterable {
    /// Whichever answers first.
    case any
    /// IPv4 only.
    case ipv4
    /// IPv6 only.
    case ipv6
}

/// An address to connect to instead of a URL's host.
///
/// It applies to one request only: unlike with curl's `--resolve`, the transport's DNS cache does not keep it.
public struct AddressOverride: Sendable, Hashable {
    /// The host of the URLs that it applies to; empty for every host.
    public var host: String
    /// The port of the URLs that it applies to; nil for every port.
    public var port: Int?
    /// The address or name to connect to.
    public var address: String
    /// The port to connect to; nil for the URL's.
    public var toPort: Int?

    /// Makes an override.
    public init(host: String, port: Int? = nil, address: String, toPort: Int? = nil) {
        self.host = host
        self.port = port
        self.address = address
        self.toPort = toPort
    }
}

/// A version of TLS.
public enum TLSVersion: String, Sendable, Hashable, CaseIterable, Comparable {
    /// TLS 1.0 (RFC 2246); out of use since RFC 8996.
    case tls10 = "1.0"
    /// TLS 1.1 (RFC 4346); out of use since RFC 8996.
    case tls11 = "1.1"
    /// TLS 1.2 (RFC 5246).
    case tls12 = "1.2"
    /// TLS 1.3 (RFC 8446).
    case tls13 = "1.3"

    /// Whether the left version is older.
    public static func < (a: TLSVersion, b: TLSVersion) -> Bool { a.rawValue < b.rawValue }
}
