public import HTTPTypes

/// An answer whose body is still coming.
public struct StreamedResponse: Sendable {
    /// The status and header fields.
    public let head: HTTPResponse
    /// The body in chunks; it can be read once.
    public let body: any AsyncSequence<[UInt8], any Error> & Sendable

    /// Makes a streamed answer.
    public init(head: HTTPResponse, body: any AsyncSequence<[UInt8], any Error> & Sendable) {
        self.head = head
        self.body = body
    }
}
