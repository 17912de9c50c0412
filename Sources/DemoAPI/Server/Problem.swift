import FlyingFox

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
