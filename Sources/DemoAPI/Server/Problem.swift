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
            "title": .string(StatusPhrase.of(status)),
            "status": .integer(status),
            "detail": .string(detail),
        ]
        if !errors.isEmpty {
            members = members.adding(
                "errors",
                .array(errors.map { ["field": .string($0.field), "message": .string($0.message)] })
            )
        }
        if !near.isEmpty { members = members.adding("near", .array(near.map(JSON.string))) }
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
        HTTPStatusCode(status, phrase: StatusPhrase.of(status))
    }
}

/// The words that stand behind a status number (RFC 9110 section 15 and the IANA registry).
enum StatusPhrase {
    static func of(_ status: Int) -> String {
        phrases[status] ?? "Status \(status)"
    }

    private static let phrases: [Int: String] = [
        200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information",
        204: "No Content",
        205: "Reset Content", 206: "Partial Content", 207: "Multi-Status", 208: "Already Reported",
        226: "IM Used",
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other",
        304: "Not Modified",
        305: "Use Proxy", 307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden",
        404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required",
        408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required",
        412: "Precondition Failed",
        413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type",
        416: "Range Not Satisfiable",
        417: "Expectation Failed", 418: "I'm a teapot", 421: "Misdirected Request",
        422: "Unprocessable Content",
        423: "Locked", 424: "Failed Dependency", 425: "Too Early", 426: "Upgrade Required",
        428: "Precondition Required", 429: "Too Many Requests",
        431: "Request Header Fields Too Large",
        451: "Unavailable For Legal Reasons",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
        503: "Service Unavailable",
        504: "Gateway Timeout", 505: "HTTP Version Not Supported", 507: "Insufficient Storage",
        508: "Loop Detected", 511: "Network Authentication Required",
    ]
}
