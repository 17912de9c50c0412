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
