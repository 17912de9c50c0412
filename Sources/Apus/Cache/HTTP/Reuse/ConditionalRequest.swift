import HTTPTypes

/// A request that asks whether stored responses are still current (RFC 9111, 4.3.1).
struct ConditionalRequest: Sendable, Equatable {
    /// What is sent.
    let request: HTTPRequest
    /// What the caller asked.
    let original: HTTPRequest
    /// The stored response that would answer; nil if none fits the request's fields.
    let selected: Int?
    /// The stored responses that are asked about, the selected one first.
    let validated: [Int]
}
