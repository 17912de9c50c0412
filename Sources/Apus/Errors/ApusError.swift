package import Secrets

/// What went wrong in an exchange: the reason, the request, and the response as far as it arrived.
///
/// A status of 400 or more is a response, not an error, unless the target's `validation` says otherwise.
public struct ApusError: Error, Sendable, Hashable {
    private struct Parts: Sendable, Hashable {
        var reason: Reason
        var request: RequestLine?
        var response: Response?
        var batchIndex: Int?
        var isAfterRedirect = false
        var connection: RefusedConnection?
    }

    // One reference, so that errors do not make every `Result` larger.
    private var parts: CopyOnWriteBox<Parts>

    /// Why it failed.
    public var reason: Reason { parts.value.reason }
    /// The method and URL of the request, with secrets masked; nil if there was none yet.
    public var request: RequestLine? {
        get { parts.value.request }
        set { parts = parts.with { $0.request = newValue } }
    }
    /// The response, or the part of it that was received; nil if there is none.
    public var response: Response? {
        get { parts.value.response }
        set { parts = parts.with { $0.response = newValue } }
    }

    /// The index of the target that made a batch fail; nil if the error is not that of a batch.
    public internal(set) var batchIndex: Int? {
        get { parts.value.batchIndex }
        set { parts = parts.with { $0.batchIndex = newValue } }
    }

    /// What is known of the connection whose TLS handshake failed; nil for other errors.
    public package(set) var refusedConnection: RefusedConnection? {
        get { parts.value.connection }
        set { parts = parts.with { $0.connection = newValue } }
    }

    /// A TLS connection that was not used, because its server was not trusted.
    public struct RefusedConnection: Sendable, Hashable, Codable {
        /// What was agreed on, and why the certificate was refused.
        public var tls: TransferMetrics.TLS
        /// The certificates that the server presented, its own first; empty if none were, or if libcurl's TLS
        /// library does not show those that it refuses.
        public var certificates: [TransferMetrics.Certificate]

        /// Makes a description of a connection.
        public init(
            tls: TransferMetrics.TLS,
            certificates: [TransferMetrics.Certificate]
        ) {
            self.tls = tls
            self.certificates = certificates
        }
    }

    /// Whether the request was answered by a redirect and failed at a later location.
    var isAfterRedirect: Bool {
        get { parts.value.isAfterRedirect }
        set { parts = parts.with { $0.isAfterRedirect = newValue } }
    }

    /// Creates an error.
    public init(_ reason: Reason, request: RequestLine? = nil, response: Response? = nil) {
        parts = CopyOnWriteBox(
            Parts(
                reason: reason,
                request: request,
                response: response
            )
        )
    }

    /// A request's method and URL, with secrets masked.
    public struct RequestLine: Sendable, Hashable, CustomStringConvertible {
        /// The method.
        public let method: String
        /// The URL, with its secrets masked.
        public let url: String

        /// Creates a line, masking a password in the URL and the values of parameters that carry credentials:
        /// those with the usual names, and `secrets`.
        public init(method: String, url: String, secrets: Set<String> = []) {
            self.init(method: method, url: url, mask: CredentialMask(parameters: secrets))
        }

        /// Creates a line, masking the URL with `mask`.
        package init(method: String, url: String, mask: CredentialMask) {
            self.method = method
            self.url = mask.masking(url: url)
        }

        /// Creates a line from a URL that is already masked.
        init(method: String, maskedURL url: String) {
            self.method = method
            self.url = url
        }

        /// "GET https://host/path".
        public var description: String { "\(method) \(url)" }
    }
}

extension ApusError {
    /// Why an exchange failed: the case is the stage, its payload the details.
    public enum Reason: Sendable, Hashable {
        /// The request cannot be built; nothing was sent.
        case invalidRequest(InvalidRequest)
        /// The request must be sent again (a redirect, a challenge, a retry), but its body came from a stream
        /// that can be read only once.
        case bodyNotReplayable(detail: String)
        /// The stream of the request's body failed, or gave another number of bytes than announced.
        case bodySource(detail: String)
        /// A plugin, or the program that was to send the request, refused.
        case vetoed(reason: String)
        /// A plugin or an interceptor failed with an error of its own.
        case hookFailed(plugin: String, detail: String)
        /// A plugin or an interceptor did not return in time.
        case hookTimeout(plugin: String, limit: Duration)
        /// The request cannot be authorized, or a token cannot be obtained.
        case authorization(AuthorizationError)
        /// The exchange was cancelled.
        case cancelled
        /// The host name has no address.
        case nameLookup(host: String, detail: String)
        /// No connection to the host could be made.
        case connect(host: String, port: Int?, detail: String)
        /// The TLS handshake failed.
        case tls(TLSFailure, host: String, detail: String)
        /// It took longer than allowed.
        case timeout(TimeoutPhase, limit: Duration)
        /// A proxy could not be reached, or it refused the request.
        case proxy(detail: String, at: Proxy? = nil)
        /// More redirects than allowed.
        case tooManyRedirects(limit: Int)
        /// The body is larger than allowed.
        case bodyTooLarge(limit: Int)
        /// The connection ended before the response was complete; `phase` says at which point.
        case connectionLost(
            received: Int,
            expected: Int?,
            detail: String,
            phase: ConnectionLoss = .inBody
        )
        /// The chunks of the body are malformed (RFC 9112, section 7.1).
        case brokenChunk(detail: String)
        /// The header does not end, or is larger than allowed.
        case headerTooLarge(limit: Int)
        /// What the server sent is not valid HTTP.
        case protocolViolation(detail: String)
        /// The content encoding of the body is malformed or unknown.
        case contentDecoding(detail: String)
        /// A file on this machine could not be read or written.
        case file(path: String, errno: Int32)
        /// Any other fault of the transport, with the error code of libcurl.
        case transport(code: Int, detail: String)
        /// A failure that was recorded and is replayed, with its code at that time; or, with code 0, a
        /// request for which the recording has no response.
        case recorded(code: Int, detail: String)
        /// The status is not one that the target accepts.
        case unacceptableStatus(Int)
        /// The cache had no response, and the server was not to be asked.
        case cacheMiss(CacheKey, CacheMissReason)
        /// The body cannot be read as the expected kind of value.
        case mapping(MappingFault)
        /// The envelope around the data says that the server refused; the texts are the server's.
        case envelope(code: String?, message: String?)
        /// The headers and trailers have more lines than allowed.
        case tooManyHeaderLines(limit: Int)
        /// A redirect to another origin would send a body with a secret there.
        case bodyInRedirect(to: String)
        /// A redirect leads to a scheme that is not followed; the payload is the scheme in lower case.
        case redirectScheme(String)
        /// A redirect leads to something that is not a URL with a host; the payload is that location.
        case redirectLocation(String)
    }

    /// Why a request cannot be built.
    public enum InvalidRequest: Sendable, Hashable {
        /// Not an absolute URL with a host.
        case url(String)
        /// The host of a URL is not one that can be asked for; `detail` says why.
        case host(String, detail: String)
        /// The scheme is not supported.
        case scheme(String)
        /// A value cannot be written as JSON.
        case encoding(detail: String)
        /// Parts of the request contradict each other.
        case combination(detail: String)
        /// The target could not be created.
        case target(detail: String)
        /// libcurl on this machine lacks a feature that was asked for.
        case unsupported(String)
        /// The header fields are too many or too long for a request.
        case fields(detail: String)
    }

    /// What an exchange was waiting for when time ran out.
    public enum TimeoutPhase: String, Sendable, Hashable {
        /// The address of the host's name.
        case lookingUp
        /// A connection to the server or the proxy, or the proxy's own.
        case connecting
        /// The end of the TLS handshake.
        case securing
        /// The first byte of the response.
        case waiting
        /// The rest of the response.
        case receiving
        /// The end of a chain's step, whatever it was doing.
        case step

        /// Whether nothing could be sent yet.
        public var isConnecting: Bool {
            switch self {
            case .lookingUp, .connecting, .securing: true
            case .waiting, .receiving, .step: false
            }
        }
    }

    /// The number of the reason; a number never changes its meaning.
    public var code: Int {
        switch reason {
        case .invalidRequest(.url): 1001
        case .invalidRequest(.scheme): 1002
        case .invalidRequest(.encoding): 1003
        case .invalidRequest(.combination): 1004
        case .invalidRequest(.unsupported): 1005
        case .invalidRequest(.target): 1006
        case .invalidRequest(.fields): 1007
        case .invalidRequest(.host): 1008
        case .vetoed: 1101
        case .hookFailed: 1102
        case .hookTimeout: 1103
        case .cancelled: 1201
        case .authorization(let fault): fault.code
        case .bodyNotReplayable: 1302
        case .bodySource: 1303
        case .bodyInRedirect: 1304
        case .timeout(.lookingUp, _), .timeout(.connecting, _), .timeout(.securing, _): 2001
        case .timeout(.waiting, _): 2002
        case .timeout(.receiving, _): 2003
        case .timeout(.step, _): 2005
        case .nameLookup: 2101
        case .connect: 2201
        case .proxy: 2202
        case .tls(let failure, _, _): failure.code
        case .connectionLost(_, _, _, let phase): phase.code
        case .protocolViolation: 2402
        case .contentDecoding: 2403
        case .bodyTooLarge: 2404
        case .tooManyRedirects: 2405
        case .headerTooLarge: 2406
        case .brokenChunk: 2407
        case .tooManyHeaderLines: 2408
        case .redirectScheme: 2409
        case .redirectLocation: 2410
        case .file: 2501
        case .transport: 2901
        case .recorded: 2902
        case .unacceptableStatus: 3001
        case .cacheMiss: 4001
        case .mapping(let fault): fault.kind.code
        case .envelope: 5101
        }
    }
}

extension ApusError.MappingFault.Kind {
    var code: Int {
        switch self {
        case .custom: 5001
        case .string: 5002
        case .json: 5003
        case .object: 5004
        case .image: 5005
        case .xml: 5006
        case .document: 5007
        case .empty: 5008
        case .path: 5009
        case .envelope: 5010
        }
    }
}
