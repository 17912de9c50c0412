import Documents
import FlyingFox
import FlyingSocks
import FoundationEssentials

/// An answer that is a refusal: `application/problem+json` (RFC 9457).
struct Problem: Error, Sendable {
    let status: Int
    let detail: String
    var errors: [Field] = []
    var near: [String] = []
    var fields: HTTPHeaders = [:]

    /// What is wrong with one member of the body sent.
    struct Field: Sendable {
        let field: String
        let message: String

        init(_ field: String, _ message: String) {
            self.field = field
            self.message = message
        }
    }

    static func notFound(_ what: String) -> Problem {
        Problem(status: 404, detail: "There is no \(what).")
    }

    static func invalid(_ errors: [Field]) -> Problem {
        let texts = errors.map { "`\($0.field)` \($0.message)" }
        return Problem(status: 422, detail: texts.joined(separator: "; ") + ".", errors: errors)
    }

    static func invalid(_ detail: String) -> Problem {
        Problem(status: 422, detail: detail)
    }

    /// 401 with the challenge that names the scheme asked for.
    static func unauthorized(_ scheme: String, _ detail: String) -> Problem {
        var fields = HTTPHeaders()
        fields.addValue("\(scheme) realm=\"demo\"", for: HTTPHeader("WWW-Authenticate"))
        return Problem(status: 401, detail: detail, fields: fields)
    }

    var response: HTTPResponse {
        var members: JSON = [
            "type": "about:blank",
            "title": JSON(HTTPStatusCode.phrase(of: status)),
            "status": JSON(status),
            "detail": JSON(detail),
        ]
        if !errors.isEmpty {
            members = members.adding(
                "errors",
                JSON(errors.map { ["field": JSON($0.field), "message": JSON($0.message)] })
            )
        }
        if !near.isEmpty { members = members.adding("near", JSON(near.map { JSON($0) })) }
        return .bytes(
            members.pretty,
            type: "application/problem+json",
            status: status,
            fields: fields
        )
    }
}

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
        HTTPStatusCode(status, phrase: phrase(of: status))
    }

    static func phrase(of status: Int) -> String {
        StatusPhrase.registered[status] ?? StatusPhrase.unregistered[status] ?? "Status \(status)"
    }
}
