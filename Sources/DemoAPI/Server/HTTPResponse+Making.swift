import FlyingFox
import FlyingSocks
import FoundationEssentials

extension HTTPResponse {
    static func json(_ value: JSON, status: Int = 200, fields: HTTPHeaders = [:]) -> HTTPResponse {
        .bytes(value.pretty, type: "application/json", status: status, fields: fields)
    }

    static func text(_ text: String, type: String = "text/plain; charset=utf-8") -> HTTPResponse {
        .bytes(Array(text.utf8), type: type)
    }

    static func bytes(
        _ bytes: [UInt8],
        type: String,
        status: Int = 200,
        fields: HTTPHeaders = [:]
    ) -> HTTPResponse {
        var headers = fields
        headers[.contentType] = type
        return HTTPResponse(
            statusCode: .of(status),
            headers: headers,
            // One buffer: FlyingFox would otherwise write a body in pieces of 4 KiB.
            body: HTTPBodySequence(data: Data(bytes), suggestedBufferSize: max(1, bytes.count))
        )
    }

    /// A body that is made while it is sent, at the speed of the reader.
    ///
    /// Without a `count` the length is unknown, and the body is sent in chunks.
    static func stream(_ body: some AsyncBufferedSequence<UInt8>, count: Int?, type: String)
        -> HTTPResponse
    {
        let sequence =
            count.map { HTTPBodySequence(from: body, count: $0, suggestedBufferSize: 65_536) }
            ?? HTTPBodySequence(from: body, suggestedBufferSize: 65_536)
        return HTTPResponse(statusCode: .of(200), headers: [.contentType: type], body: sequence)
    }

    /// An answer that has no body by its nature (204, 205, 304).
    static func empty(status: Int, fields: HTTPHeaders = [:]) -> HTTPResponse {
        HTTPResponse(statusCode: .of(status), headers: fields)
    }
}

extension HTTPStatusCode {
    static func of(_ status: Int) -> HTTPStatusCode {
        HTTPStatusCode(status, phrase: StatusPhrase.of(status))
    }
}
