import FoundationEssentials
public import HTTPTypes

/// A response or a failure that is used instead of the server's.
public struct StubResponse: Sendable, Hashable {
    /// The content of a stub.
    public enum Content: Sendable, Hashable {
        /// A complete response; its status is validated as a server's is.
        case response(HTTPResponse, ResponseBody)
        /// An error that the exchange fails with, for tests of connection failures and the like.
        case failure(ApusError.Reason)
    }

    /// The response or failure.
    public var content: Content

    /// Makes a response; by default a 200 without fields and body.
    public init(
        status: Int = 200,
        headerFields: HTTPFields = [:],
        body: ResponseBody = .bytes([])
    ) {
        content = .response(
            HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: headerFields),
            body
        )
    }

    private init(_ content: Content) { self.content = content }

    /// Makes a failure.
    public static func failure(_ reason: ApusError.Reason) -> StubResponse {
        StubResponse(.failure(reason))
    }

    /// Makes a `text/plain` response in UTF-8.
    public static func text(_ text: String, status: Int = 200) -> StubResponse {
        StubResponse(
            status: status,
            headerFields: [.contentType: "text/plain; charset=utf-8"],
            body: .bytes(Array(text.utf8))
        )
    }

    /// Makes an `application/json` response; the text is sent as written.
    public static func json(_ text: String, status: Int = 200) -> StubResponse {
        StubResponse(
            status: status,
            headerFields: [.contentType: "application/json"],
            body: .bytes(Array(text.utf8))
        )
    }
}

/// Turns a stub into the response to a request.
struct StubbedResponse {
    let answer: StubResponse
    let request: PreparedRequest

    init(_ answer: StubResponse, to request: PreparedRequest) {
        self.answer = answer
        self.request = request
    }

    /// Makes the response.
    ///
    /// - Throws: The stub's failure; `.file` if a download cannot be written.
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

    /// Writes the body to the download's file; nil if the body does not go to a file.
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
