extension ApusError {
    /// Why an exchange failed; the case is the stage, its payload the evidence.
    public enum Reason: Sendable, Hashable {
        /// The request cannot be built; nothing was sent.
        case invalidRequest(InvalidRequest)
        /// A plugin refused to send it.
        case vetoed(reason: String)
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
        /// The connection ended before the answer did.
        case connectionLost(received: Int, expected: Int?, detail: String)
        /// What came back is not HTTP as agreed.
        case protocolViolation(detail: String)
        /// The content encoding of the body is broken or unknown.
        case contentDecoding(detail: String)
        /// A file on this machine could not be read or written.
        case file(path: String, errno: Int32)
        /// Any other fault of the transport, with its own number.
        case transport(code: Int, detail: String)
        /// The status is not one that the target accepts.
        case unacceptableStatus(Int)
        /// The cache had no answer and nothing else was to be asked.
        case cacheMiss(CacheKey, CacheMissReason)
        /// The body is not what it was to be read as.
        case mapping(detail: String)
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
    }

    /// What was wrong with TLS.
    public enum TLSFailure: String, Sendable, Hashable {
        /// The certificate is not trusted, expired, or for another host.
        case untrustedCertificate
        /// The pinned key is not the server's.
        case pinMismatch
        /// Our own certificate or key cannot be used.
        case clientCertificate
        /// The file of trusted certificates cannot be used.
        case certificateAuthority
        /// Any other fault in the handshake.
        case handshake
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
        case .invalidRequest(.target): 1006
        case .vetoed: 1101
        case .cancelled: 1201
        case .timeout(.connecting, _): 2001
        case .timeout(.waiting, _): 2002
        case .timeout(.receiving, _): 2003
        case .timeout(.step, _): 2005
        case .nameLookup: 2101
        case .connect: 2201
        case .proxy: 2202
        case .tls(.untrustedCertificate, _, _): 2301
        case .tls(.pinMismatch, _, _): 2302
        case .tls(.clientCertificate, _, _): 2303
        case .tls(.certificateAuthority, _, _): 2304
        case .tls(.handshake, _, _): 2305
        case .connectionLost: 2401
        case .protocolViolation: 2402
        case .contentDecoding: 2403
        case .bodyTooLarge: 2404
        case .tooManyRedirects: 2405
        case .file: 2501
        case .transport: 2901
        case .unacceptableStatus: 3001
        case .cacheMiss: 4001
        case .mapping: 5001
        }
    }
}
