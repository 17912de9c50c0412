import HTTPTypes

/// A request for what a stored part lacks of the whole.
struct PartCompletion: Sendable, Equatable {
    /// What is sent: the caller's request with `Range` and `If-Range`.
    let request: HTTPRequest
    /// The stored part.
    let part: Int
}
