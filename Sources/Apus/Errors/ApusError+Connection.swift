extension ApusError {
    /// At which point, or how, a connection ended too early.
    public enum ConnectionLoss: String, Sendable, Hashable, CaseIterable {
        /// It closed in the body: fewer bytes arrived than announced, or the last chunk is missing.
        case inBody
        /// It closed before the first byte of a response.
        case beforeHeader
        /// It closed in the header of the response.
        case inHeader
        /// The peer reset the TCP connection.
        case reset
        /// It failed while the request was being sent.
        case sending
        /// The server ended this HTTP/2 stream with an error (RFC 9113, section 6.4).
        case streamReset
        /// The server ended the HTTP/2 connection (GOAWAY, RFC 9113, section 6.8) or broke its rules before
        /// the response was complete.
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
    /// Why TLS failed.
    public enum TLSFailure: String, Sendable, Hashable, CaseIterable, Codable {
        /// The certificate is from an untrusted authority, or its chain has a gap.
        case untrustedCertificate
        /// The certificate is self-signed, or its chain ends in a self-signed certificate that is not
        /// trusted.
        case selfSignedCertificate
        /// The certificate, or one in its chain, has expired.
        case expiredCertificate
        /// The certificate is not valid yet; often this machine's clock is wrong.
        case notYetValidCertificate
        /// The certificate's authority has revoked it.
        case revokedCertificate
        /// The certificate is for another host.
        case otherHost
        /// The server's key is not the pinned one.
        case pinMismatch
        /// The client certificate or its key cannot be used.
        case clientCertificate
        /// The file of trusted certificates cannot be used.
        case certificateAuthority
        /// Any other fault in the handshake, such as no common cipher.
        case handshake
        /// The server wants a client certificate, and the request has none.
        case certificateRequired
        /// The server does not accept the client certificate.
        case certificateRefused
        /// The server does not accept the version of TLS.
        case protocolVersion
        /// The server ended the connection right after the handshake; why, is not known.
        case endedAfterHandshake

        /// Whether the server's certificate was not accepted.
        public var concernsServerCertificate: Bool {
            switch self {
            case .untrustedCertificate, .selfSignedCertificate, .expiredCertificate,
                .notYetValidCertificate, .revokedCertificate, .otherHost:
                true
            case .pinMismatch, .clientCertificate, .certificateAuthority, .handshake,
                .certificateRequired, .certificateRefused, .protocolVersion, .endedAfterHandshake:
                false
            }
        }

        var code: Int {
            switch self {
            case .untrustedCertificate: 2301
            case .pinMismatch: 2302
            case .clientCertificate: 2303
            case .certificateAuthority: 2304
            case .handshake: 2305
            case .certificateRequired: 2306
            case .certificateRefused: 2307
            case .protocolVersion: 2308
            case .endedAfterHandshake: 2309
            case .selfSignedCertificate: 2311
            case .expiredCertificate: 2312
            case .notYetValidCertificate: 2313
            case .revokedCertificate: 2314
            case .otherHost: 2315
            }
        }
    }
}

extension ApusError {
    /// The proxy at which a request ended.
    public struct Proxy: Sendable, Hashable {
        /// How far a request came.
        public enum Failure: String, Sendable, Hashable, CaseIterable {
            /// The proxy's name has no address.
            case nameLookup
            /// There is no connection to it.
            case connect
            /// It did not let the request through.
            case refused
        }

        /// Its host and port: "127.0.0.1:3128".
        public let name: String
        /// The variable of the environment that named it, such as "http_proxy"; nil if the request did.
        public let variable: String?
        /// How far the request came.
        public let failure: Failure

        /// Makes a description of a proxy.
        public init(name: String, variable: String? = nil, failure: Failure) {
            self.name = name
            self.variable = variable
            self.failure = failure
        }

        func message(_ detail: String) -> ErrorMessage {
            let which = variable.map { "the proxy \(name) (\($0))" } ?? "the proxy \(name)"
            let title =
                switch failure {
                case .nameLookup: "Could not resolve \(which)"
                case .connect: "Could not connect to \(which)"
                case .refused:
                    "\(which.prefix(1).uppercased())\(which.dropFirst()) did not let the request through"
                }
            let check =
                switch failure {
                case .nameLookup: "Check the proxy's name"
                case .connect: "Check that the proxy is running"
                case .refused: "Check the proxy's URL and credentials"
                }
            let rest = variable.map { ", unset \($0), or name this host in no_proxy." } ?? "."
            return ErrorMessage(title, detail, advice: check + rest)
        }
    }
}
