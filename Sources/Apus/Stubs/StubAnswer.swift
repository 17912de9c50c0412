public import HTTPTypes

/// An answer, or a failure, that stands in for the server's.
public struct StubAnswer: Sendable, Hashable {
    /// What is answered.
    public enum Content: Sendable, Hashable {
        /// A whole answer.
        case response(HTTPResponse, ResponseBody)
        /// A failure.
        case failure(ApusError.Reason)
    }

    /// What is answered.
    public var content: Content

    /// Makes an answer; by default 200 without fields and body.
    public init(
        status: Int = 200,
        fields: HTTPFields = [:],
        body: ResponseBody = .bytes([])
    ) {
        content = .response(
            HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: fields),
            body
        )
    }

    private init(_ content: Content) { self.content = content }

    /// A failure.
    public static func failure(_ reason: ApusError.Reason) -> StubAnswer {
        StubAnswer(.failure(reason))
    }

    /// Text, as `text/plain` in UTF-8.
    public static func text(_ text: String, status: Int = 200) -> StubAnswer {
        StubAnswer(
            status: status,
            fields: [.contentType: "text/plain; charset=utf-8"],
            body: .bytes(Array(text.utf8))
        )
    }

    /// JSON, sent as written.
    public static func json(_ text: String, status: Int = 200) -> StubAnswer {
        StubAnswer(
            status: status,
            fields: [.contentType: "application/json"],
            body: .bytes(Array(text.utf8))
        )
    }
}
