import Documents
import HTTPTypes

/// An error response: `application/problem+json` (RFC 9457).
struct Problem: Error, Sendable {
    let status: Int
    let detail: String
    var errors: [Field] = []
    var near: [String] = []
    var fields: HTTPFields = [:]

    /// What is wrong with one member of the request's body.
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

    /// A 401 with a challenge for an authentication scheme.
    static func unauthorized(_ scheme: String, _ detail: String) -> Problem {
        Problem(
            status: 401,
            detail: detail,
            fields: [.wwwAuthenticate: "\(scheme) realm=\"demo\""]
        )
    }

    var response: DemoResponse {
        var members: JSON = [
            "type": "about:blank",
            "title": JSON(DemoResponse.phrase(of: status)),
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
