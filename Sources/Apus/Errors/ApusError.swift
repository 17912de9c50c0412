/// What went wrong in an exchange: the reason, the request, and what there is
/// of an answer.
///
/// A status of 400 or more is an answer and no error, unless the target's
/// `validation` says otherwise.
public struct ApusError: Error, Sendable, Hashable {
    private struct Parts: Sendable, Hashable {
        var reason: Reason
        var request: RequestLine?
        var response: Response?
        var batchIndex: Int?
        var isAfterRedirect = false
    }

    // One reference, for a result has room for it when all is well.
    private var parts: CopyOnWriteBox<Parts>

    /// Why it failed.
    public var reason: Reason { parts.value.reason }
    /// The method and URL of the request, with secrets masked; nil if there was none yet.
    public var request: RequestLine? {
        get { parts.value.request }
        set { parts = parts.with { $0.request = newValue } }
    }
    /// The answer, or the part of it that was received.
    public var response: Response? {
        get { parts.value.response }
        set { parts = parts.with { $0.response = newValue } }
    }

    /// Which target of a batch failed, where the failure is that of the batch.
    public internal(set) var batchIndex: Int? {
        get { parts.value.batchIndex }
        set { parts = parts.with { $0.batchIndex = newValue } }
    }

    /// Whether the request itself was answered, by a redirect, and it failed at a later place.
    var isAfterRedirect: Bool {
        get { parts.value.isAfterRedirect }
        set { parts = parts.with { $0.isAfterRedirect = newValue } }
    }

    /// Makes an error.
    public init(_ reason: Reason, request: RequestLine? = nil, response: Response? = nil) {
        parts = CopyOnWriteBox(
            Parts(
                reason: reason,
                request: request,
                response: response
            )
        )
    }

    /// A request's method and URL, as far as it may be shown.
    public struct RequestLine: Sendable, Hashable, CustomStringConvertible {
        /// The method.
        public let method: String
        /// The URL, its secrets masked.
        public let url: String

        /// Makes a line, masking a password in the URL, and the values of parameters
        /// that carry credentials: those with the usual names, and `secrets`.
        public init(method: String, url: String, secrets: Set<String> = []) {
            self.init(method: method, url: url, mask: CredentialMask(parameters: secrets))
        }

        /// Makes a line with what a mask leaves of the URL.
        package init(method: String, url: String, mask: CredentialMask) {
            self.method = method
            self.url = mask.masking(url: url)
        }

        /// Makes a line of a URL whose secrets are masked already.
        init(method: String, maskedURL url: String) {
            self.method = method
            self.url = url
        }

        /// "GET https://host/path".
        public var description: String { "\(method) \(url)" }
    }
}

extension ApusError {
    /// Why an exchange failed; the case is the stage, its payload the evidence.
    public enum Reason: Sendable, Hashable {
        /// The request cannot be built; nothing was sent.
        case invalidRequest(InvalidRequest)
        /// The request has to be sent again (a redirect, a challenge, a retry), but
        /// its body came from a stream that can be read only once.
        case bodyNotReplayable(detail: String)
        /// The stream that the request's body comes from failed, or gave another
        /// number of bytes than it had announced.
        case bodySource(detail: String)
        /// A plugin, or who was to send it, refused.
        case vetoed(reason: String)
        /// A plugin or an interceptor failed with an error of its own.
        case hookFailed(plugin: String, detail: String)
        /// A plugin or an interceptor did not return in time.
        case hookTimeout(plugin: String, limit: Duration)
        /// The request cannot be authorized, or a token cannot be had.
        case authorization(AuthorizationFault)
        /// It was cancelled.
        case cancelled
        /// The host has no address.
        case nameLookup(host: String, detail: String)
        /// No connection to the host.
        case connect(host: String, port: Int?, detail: String)
        /// The TLS handshake failed.
        case tls(TLSFailure, host: String, detail: String)
        /// It took longer than allowed.
        case timeout(TimeoutPhase, limit: Duration)
        /// The proxy could not be reached or refused.
        case proxy(detail: String)
        /// More redirects than allowed.
        case tooManyRedirects(limit: Int)
        /// The body is larger than allowed.
        case bodyTooLarge(limit: Int)
        /// The connection ended before the answer did; `phase` says where it was.
        case connectionLost(
            received: Int,
            expected: Int?,
            detail: String,
            phase: ConnectionLoss = .inBody
        )
        /// The body is not framed as its chunks say (RFC 9112, section 7.1).
        case brokenChunk(detail: String)
        /// The header has no end, or is longer than is taken.
        case headerTooLarge(limit: Int)
        /// What came back is not HTTP as agreed.
        case protocolViolation(detail: String)
        /// The content encoding of the body is broken or unknown.
        case contentDecoding(detail: String)
        /// A file on this machine could not be read or written.
        case file(path: String, errno: Int32)
        /// Any other fault of the transport, with its own number.
        case transport(code: Int, detail: String)
        /// What a history says of a request that failed when it was recorded, with the number of then; or
        /// that it has no answer to one, with 0.
        case recorded(code: Int, detail: String)
        /// The status is not one that the target accepts.
        case unacceptableStatus(Int)
        /// The cache had no answer and nothing else was to be asked.
        case cacheMiss(CacheKey, CacheMissReason)
        /// The body is not what it was to be read as.
        case mapping(MappingFault)
        /// The envelope around the data says that the server refused; the texts are the server's.
        case envelope(code: String?, message: String?)
        /// The headers and trailers have more lines than are taken.
        case tooManyHeaderLines(limit: Int)
        /// A redirect to another origin would take a body with a secret there.
        case bodyInRedirect(to: String)
        /// A redirect leads to a scheme that is not followed, in small letters.
        case redirectScheme(String)
        /// A redirect leads to what is no URL with a host; the payload is that place.
        case redirectLocation(String)
    }

    /// Why a request cannot be built.
    public enum InvalidRequest: Sendable, Hashable {
        /// Not an absolute URL with a host.
        case url(String)
        /// A scheme that is not spoken.
        case scheme(String)
        /// A value cannot be written as JSON.
        case encoding(detail: String)
        /// Parts of the request contradict each other.
        case combination(detail: String)
        /// No target could be made: what was to make it failed.
        case target(detail: String)
        /// The HTTP library of this machine lacks what was asked for.
        case unsupported(String)
        /// Header fields are more, or longer, than a request may have.
        case fields(detail: String)
    }

    /// What was being waited for when time ran out.
    public enum TimeoutPhase: String, Sendable, Hashable {
        /// Name lookup, connection or TLS.
        case connecting
        /// The answer's first byte.
        case waiting
        /// The rest of the answer.
        case receiving
        /// The end of a chain's step, whatever it was doing.
        case step
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
        case .vetoed: 1101
        case .hookFailed: 1102
        case .hookTimeout: 1103
        case .cancelled: 1201
        case .authorization(let fault): fault.code
        case .bodyNotReplayable: 1302
        case .bodySource: 1303
        case .bodyInRedirect: 1304
        case .timeout(.connecting, _): 2001
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
