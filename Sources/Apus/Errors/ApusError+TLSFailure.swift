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
