import FoundationEssentials
import HTTPTypes

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
            return Response(
                request: request,
                head: head,
                body: try placed(body, head),
                source: .stub,
                received: Date()
            )
        }
    }

    /// The body where the request wants it: in the download's file, or as it is.
    private func placed(_ body: ResponseBody, _ head: HTTPResponse) throws(ApusError)
        -> ResponseBody
    {
        guard let destination = request.destination else { return body }
        let bytes = try body.load()
        var collector = BodyCollector(memoryLimit: request.options.memoryLimit, spool: .at(nil))
        try collector.open(destination.resolved(for: head, url: request.url))
        let written = bytes.withUnsafeBytes { chunk in
            Result { () throws(ApusError) in try collector.append(chunk) }
        }
        try written.get()
        return try collector.finish()
    }
}
