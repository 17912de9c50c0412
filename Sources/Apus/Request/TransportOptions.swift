/// How a request travels.
///
/// Every field has a default that suits debugging an API. All of them take part
/// in equality: two requests that travel differently are never taken for one.
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

    /// Time for the whole request, redirects included; nil for no limit.
    ///
    /// Each repetition by a `RetryPolicy` has it anew, and the pauses do not count. The default is
    /// 60 s.
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
    /// Default yes. Pinned keys are checked in any case.
    public var verifiesTLS: Bool
    /// The HTTP version asked for.
    public var requestedVersion: HTTPVersion
    /// Whether compressed bodies are asked for and decoded.
    ///
    /// Default yes.
    public var decodesContent: Bool
    /// A body of more bytes than this, decoded, ends the exchange; `.max` for no limit.
    ///
    /// Nil, the default, stands for `standardMaximumBodySize`; a download has the disk for its
    /// limit, and a stream, which nobody collects, none. And it ends a body of more than a gigabyte
    /// that is decoded to more than 500 times of what came: 330 KB of zstd can become 10 GB, gzip
    /// reaches 1030 times, and no answer that means something has so little to say.
    public var maximumBodySize: Int?
    /// A body of more bytes than this goes to a file.
    ///
    /// The default is 8 MiB.
    public var memoryLimit: Int
    /// Whether the bytes on the wire are recorded (headers and TLS messages).
    public var tracesWire: Bool
    /// What is seldom set; nil if nothing is.
    var shared: CopyOnWriteBox<RareOptions>?

    /// The time for a whole request, if nothing else is said.
    public static let defaultTimeout = Duration.seconds(60)

    /// The most bytes of a body that is collected, if nothing else is said: 4 GiB, which is more
    /// than a program can make use of at once, and less than fills a disk.
    public static let standardMaximumBodySize = 4 << 30

    /// Makes options; what is not given has its default.
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

    /// The same options with some of them changed.
    ///
    /// ```swift
    /// TransportOptions().with { $0.minimumTLSVersion = .tls13 }
    /// ```
    public func with(_ change: (inout TransportOptions) -> Void) -> TransportOptions {
        var options = self
        change(&options)
        return options
    }

    /// What is seldom set, with its defaults where nothing is.
    var rare: CopyOnWriteBox<RareOptions> {
        get { shared ?? RareOptions.none }
        // Without a reference for the defaults, so that equal options look equal.
        set { shared = newValue == RareOptions.none ? nil : newValue }
    }
}

/// Which kind of address is connected to.
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
/// It holds for one request only: unlike curl's `--resolve`, nothing of it stays
/// in the transport's memory of names.
public struct AddressOverride: Sendable, Hashable {
    /// The host of the URL that it concerns; empty for every host.
    public var host: String
    /// The port of the URL that it concerns; nil for every port.
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
