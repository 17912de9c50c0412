import FoundationEssentials
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

/// Turns a stub into the answer to a request.
struct StubbedAnswer {
    let answer: StubAnswer
    let request: PreparedRequest

    init(_ answer: StubAnswer, to request: PreparedRequest) {
        self.answer = answer
        self.request = request
    }

    /// The answer.
    ///
    /// - Throws: the stub's failure; `.file` if a download cannot be written.
    func response() throws(ApusError) -> Response {
        switch answer.content {
        case .failure(let reason): throw ApusError(reason, request: request.line)
        case .response(let head, let body):
            var response = Response(
                request: request,
                head: head,
                body: body,
                source: .stub,
                received: Date()
            )
            if let body = try placed(response) { response.body = body }
            return response
        }
    }

    /// The body in the download's file; nil if it belongs in none.
    private func placed(_ response: Response) throws(ApusError) -> ResponseBody? {
        guard let destination = request.destination, !destination.refuses(response.head) else {
            return nil
        }
        let bytes = try response.body.load()
        var collector = BodyCollector(memoryLimit: request.options.memoryLimit, spool: .at(nil))
        try collector.open(destination.resolved(for: response.head, url: request.url))
        let written = bytes.withUnsafeBytes { chunk in
            Result { () throws(ApusError) in try collector.append(chunk) }
        }
        try written.get()
        return try collector.place(response)
    }
}
