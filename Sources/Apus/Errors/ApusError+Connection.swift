extension ApusError {
    /// Where a connection was when it ended too early, or how it ended.
    public enum ConnectionLoss: String, Sendable, Hashable, CaseIterable {
        /// Closed in the body: fewer bytes than announced, or no last chunk.
        case inBody
        /// Closed before the first byte of an answer.
        case beforeHeader
        /// Closed in the header of the answer.
        case inHeader
        /// The peer ended it with a TCP reset.
        case reset
        /// It failed while the request was being sent.
        case sending
        /// The server ended this HTTP/2 stream with an error (RFC 9113, section 6.4).
        case streamReset
        /// The server ended the HTTP/2 connection (GOAWAY, RFC 9113, section 6.8)
        /// or broke its rules, before the answer was whole.
        case http2Connection

        var code: Int {
            switch self {
            case .inBody: 2401
            case .beforeHeader: 2411
            case .inHeader: 2412
            case .reset: 2413
            case .sending: 2414
            case .streamReset: 2415
            case .http2Connection: 2416
            }
        }
    }
}

extension ApusError {
    /// What was wrong with TLS.
    public enum TLSFailure: String, Sendable, Hashable, CaseIterable {
        /// The certificate comes from an authority that is not trusted, or its
        /// chain has a gap.
        case untrustedCertificate
        /// The certificate is its own authority, or its chain ends in one that
        /// nobody has chosen to trust.
        case selfSignedCertificate
        /// The certificate, or one of its chain, is no longer valid.
        case expiredCertificate
        /// The certificate is not valid yet; often this machine's clock is wrong.
        case notYetValidCertificate
        /// The certificate's authority has withdrawn it.
        case revokedCertificate
        /// The certificate is for another host.
        case otherHost
        /// The pinned key is not the server's.
        case pinMismatch
        /// Our own certificate or key cannot be used.
        case clientCertificate
        /// The file of trusted certificates cannot be used.
        case certificateAuthority
        /// Any other fault in the handshake, such as no common TLS version.
        case handshake

        /// Whether it is the server's certificate that is not accepted.
        public var concernsServerCertificate: Bool {
            switch self {
            case .untrustedCertificate, .selfSignedCertificate, .expiredCertificate,
                .notYetValidCertificate, .revokedCertificate, .otherHost:
                true
            case .pinMismatch, .clientCertificate, .certificateAuthority, .handshake: false
            }
        }

        var code: Int {
            switch self {
            case .untrustedCertificate: 2301
            case .pinMismatch: 2302
            case .clientCertificate: 2303
            case .certificateAuthority: 2304
            case .handshake: 2305
            case .selfSignedCertificate: 2311
            case .expiredCertificate: 2312
            case .notYetValidCertificate: 2313
            case .revokedCertificate: 2314
            case .otherHost: 2315
            }
        }
    }
}
