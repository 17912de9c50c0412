/// Why a connection ends in the middle of a request or of a response.
package enum ConnectionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The client closed it within a body.
    case closedByClient
    /// A response has begun: the client would take a second one for the response to its next request.
    case responseBegun
    /// The response's body is longer than its `Content-Length`.
    case bodyTooLong
    /// The handler ends it, where the response is to be incomplete.
    case cut

    package var description: String {
        switch self {
        case .closedByClient: "the client closed the connection"
        case .responseBegun: "a response has begun already"
        case .bodyTooLong: "the body is longer than its Content-Length"
        case .cut: "the connection was cut"
        }
    }
}
