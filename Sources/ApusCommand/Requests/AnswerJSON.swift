import Apus
import Documents
import FoundationEssentials
import HTTPTypes

/// An answer as the members of a JSON object.
///
/// Version 1. Members may be added; none changes its meaning.
///
/// | member | what it is |
/// |---|---|
/// | `status`, `reason` | the status code and its phrase, which may be empty |
/// | `headers` | `[[name, value], …]` in the order received; bytes as U+0000 to U+00FF |
/// | `body` or `bodyBase64` | the body: as text when it is UTF-8 |
/// | `source` | `server`, `memory`, `disk`, `stub`, `replay` … |
/// | `url`, `redirected` | the URL that answered, its secrets masked, and whether redirects led there |
/// | `withheld` | which fields redirects to other origins left out, a text for each redirect that did |
/// | `decision` | why the HTTP cache answered so, if it was asked: `DecisionJSON` |
/// | `serverFailure` | as `error`: why the server's answer did not come after the cache's |
/// | `protocol`, `remote` | the HTTP version and the address, for answers of the server |
enum AnswerJSON {
    typealias Members = [(key: String, value: JSON)]

    /// The answer's members; `hidesSecrets` is false for a program that gave the URL itself.
    ///
    /// - Throws: `ApusError` with the reason `.file` if the body is in a file that cannot be read,
    ///   `.cancelled` if the task is cancelled while it is looked at.
    static func members(
        of response: Response,
        hidesSecrets: Bool = true
    ) throws(ApusError) -> AnswerObject {
        let mask = hidesSecrets ? response.request.mask : .nothing
        var members =
            [
                ("status", JSON(response.status)),
                ("reason", JSON(response.head.status.reasonPhrase)),
            ] + (try content(of: response))
        members.append("source", JSON(response.source.word))
        members.append("url", JSON(mask.masking(url: response.finalURL)))
        members.append("redirected", JSON(response.metrics?.redirects.isEmpty == false))
        let withheld = response.redirects.compactMap(\.withheldText)
        if !withheld.isEmpty {
            members.append("withheld", JSON(withheld.map { JSON(mask.masking(text: $0)) }))
        }
        if let decision = response.decision {
            members.append("decision", DecisionJSON.value(of: decision))
        }
        if let failure = response.serverFailure {
            members.append("serverFailure", .object(FailureJSON.object(of: failure)))
        }
        if case .server = response.source, let metrics = response.metrics {
            if let version = metrics.negotiatedVersion {
                members.append("protocol", JSON(version))
            }
            if let address = metrics.remoteAddress { members.append("remote", JSON(address)) }
        }
        return members
    }

    /// The fields and the body.
    ///
    /// - Throws: As `members(of:)`.
    static func content(of response: Response) throws(ApusError) -> AnswerObject {
        try content(response.head.headerFields, response.body)
    }

    /// Of a request, or an answer.
    static func content(
        _ fields: HTTPFields,
        _ body: ResponseBody
    ) throws(ApusError) -> AnswerObject {
        let fields = fields.map { field in
            JSON([JSON(field.name.rawName), JSON(FieldText.text(of: field))])
        }
        let body = try BodyText(body)
        var members = AnswerObject([("headers", JSON(fields))])
        members.append(body.key, .body(body))
        return members
    }

    /// The members of a result: those of the answer, or `error`; and `timings` if the time is known.
    static func members(
        of result: Result<Response, ApusError>,
        after duration: Duration?,
        hidesSecrets: Bool = true
    ) -> AnswerObject {
        var members: AnswerObject
        var response: Response?
        do throws(ApusError) {
            let answer = try result.get()
            response = answer
            members = try self.members(of: answer, hidesSecrets: hidesSecrets)
        } catch {
            response = error.response
            members = AnswerObject([])
            members.append("error", .object(FailureJSON.object(of: error)))
        }
        guard let duration else { return members }
        members.append("timings", timings(of: response, total: duration))
        return members
    }

    /// When each phase of the transfer had ended, in milliseconds from its begin, and the whole
    /// time as the caller saw it; a cached answer has only that.
    static func timings(of response: Response?, total: Duration) -> JSON {
        var members: Members = []
        if case .server = response?.source, let phases = response?.metrics?.phases {
            members = [
                ("nameLookup", milliseconds(phases.nameLookup)),
                ("connect", milliseconds(phases.connect)),
                ("secureConnect", milliseconds(phases.secureConnect)),
                ("preTransfer", milliseconds(phases.preTransfer)),
                ("firstByte", milliseconds(phases.firstByte)),
                ("transfer", milliseconds(phases.total)),
            ]
        }
        members.append(("total", milliseconds(total)))
        return JSON(members: members)
    }

    /// Milliseconds, to the microsecond.
    static func milliseconds(_ duration: Duration) -> JSON {
        JSON((duration / .microseconds(1)).rounded() / 1000)
    }
}

extension ApusError.RequestLine {
    /// Its method and URL, secrets masked, as a JSON object.
    var json: JSON { JSON(members: [("method", JSON(method)), ("url", JSON(url))]) }
}

extension ResponseSource {
    /// The source in one word.
    var word: String {
        switch self {
        case .server: "server"
        case .memory: "memory"
        case .disk: "disk"
        case .stub: "stub"
        case .replay: "replay"
        case .synthetic: "synthetic"
        case .gateway: "gateway"
        }
    }
}

/// A decision of the HTTP cache as a JSON object.
///
/// Version 1: `outcome` (`fresh`, `revalidate`, `mustFetch` …), `rule` (its stable name), `section`
/// (where it is written: "RFC 9111, 4.2"), `summary` (one line with the numbers) and `findings`, what
/// was looked at, a line each.
enum DecisionJSON {
    static func value(of decision: CacheDecision) -> JSON {
        JSON(members: [
            ("outcome", JSON("\(decision.outcome)")),
            ("rule", JSON(decision.rule.rawValue)),
            ("section", JSON(decision.rule.section)),
            ("summary", JSON(decision.description)),
            ("findings", JSON(decision.findings.map { JSON($0.description) })),
        ])
    }
}

/// A failure as the value of the member `error`.
///
/// Version 1: `code` is what the program would exit with, `reason` the engine's number of the
/// reason, which says more, `message` is for people. What had come of an answer is in `response`.
enum FailureJSON {
    static func object(of error: ApusError) -> AnswerObject {
        var object = AnswerObject([
            ("code", JSON(ExitStatus.of(error))),
            ("reason", JSON(error.code)),
            ("message", JSON(error.message.description)),
        ])
        guard var response = error.response else { return object }
        switch error.reason {
        case .bodyTooLarge, .contentDecoding:
            // What was refused for its size is not written down as a whole.
            response.body = .bytes(Self.begin(of: response.body))
        default: break
        }
        // If the body cannot be read, the rest is still printed.
        if let answer = try? AnswerJSON.members(of: response) {
            object.append("response", .object(answer))
        }
        return object
    }

    private static func begin(of body: ResponseBody) -> [UInt8] {
        struct Enough: Error {}
        var begin: [UInt8] = []
        try? body.forEachPiece(of: 64 << 10) { piece in
            begin = Array(piece)
            throw Enough()
        }
        return begin
    }
}
