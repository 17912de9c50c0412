import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Secrets

/// A response as the members of a JSON object.
///
/// Version 1. Members may be added; none changes its meaning.
///
/// | member | meaning |
/// |---|---|
/// | `status`, `reason` | the status code and its phrase, which may be empty |
/// | `headers` | `[[name, value], …]` in the order received |
/// | `headersAsBytes` | the positions in `headers` of values that are not UTF-8: their characters are bytes |
/// | `trailers` | fields after the body, as in `headers` |
/// | `malformedHeaders` | header lines that are not fields, as received |
/// | `interim` | the responses (1xx) before the final one: `{status, reason, headers}` |
/// | `body` or `bodyBase64` | the body, as text if it is UTF-8 |
/// | `source` | `server`, `memory`, `disk`, `stub`, `replay` … |
/// | `url`, `redirected` | the URL that answered, its secrets masked, and whether redirects led there |
/// | `withheld` | the fields that redirects to other origins left out, one text per redirect |
/// | `undecoded` | why the body is as it was received, although `Content-Encoding` names a coding |
/// | `decision` | the decision of the HTTP cache, if it was asked: `DecisionJSON` |
/// | `serverFailure` | like `error`: why a cached response stands in for the server's |
/// | `protocol`, `remote` | the HTTP version and the address, for responses from the server |
/// | `tls` | what was agreed on, whether the server was verified, and its certificates: `TLSJSON` |
enum ResponseJSON {
    typealias Members = [(key: String, value: JSON)]

    /// The response's members; `hidesSecrets` is false for a caller that gave the URL itself.
    ///
    /// - Throws: `ApusError` with the reason `.file` if the body is in a file that cannot be read,
    ///   `.cancelled` if the task is cancelled while it is read.
    static func members(
        of response: Response,
        hidesSecrets: Bool = true
    ) throws(ApusError) -> ResponseObject {
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
        if let reason = response.undecodedReason {
            members.append("undecoded", JSON(mask.masking(text: reason)))
        }
        if let decision = response.decision {
            members.append("decision", DecisionJSON.value(of: decision))
        }
        if let failure = response.serverFailure {
            members.append("serverFailure", .object(FailureJSON.object(of: failure)))
        }
        if let metrics = response.metrics, let tls = metrics.tls {
            members.append("tls", TLSJSON.value(of: tls, metrics.certificates))
        }
        if case .server = response.source, let metrics = response.metrics {
            if let version = metrics.negotiatedVersion {
                members.append("protocol", JSON(version))
            }
            if let address = metrics.remoteAddress { members.append("remote", JSON(address)) }
        }
        if let metrics = response.metrics, response.source.cacheHit == nil {
            for (key, value) in irregular(mask.masking(metrics)) { members.append(key, value) }
        }
        return members
    }

    /// What came before the head, in it without being a field, and after the body.
    static func irregular(_ metrics: TransferMetrics) -> Members {
        var members: Members = []
        let trailers = metrics.trailers.compactMap { HTTPField(line: $0) }
        let malformed =
            metrics.malformedHeaderLines
            + metrics.trailers.filter { HTTPField(line: $0) == nil }
        if !trailers.isEmpty { members.append(("trailers", JSON(trailers.map(pair)))) }
        if !malformed.isEmpty {
            members.append(("malformedHeaders", JSON(malformed.map { JSON($0) })))
        }
        let interim = metrics.interimResponses.map { response in
            JSON(members: [
                ("status", JSON(response.status.code)),
                ("reason", JSON(response.status.reasonPhrase)),
                ("headers", JSON(response.headerFields.map(pair))),
            ])
        }
        if !interim.isEmpty { members.append(("interim", JSON(interim))) }
        return members
    }

    private static func pair(_ field: HTTPField) -> JSON {
        JSON([JSON(field.name.rawName), JSON(field.text)])
    }

    /// The fields and the body.
    ///
    /// - Throws: As `members(of:)`.
    static func content(of response: Response) throws(ApusError) -> ResponseObject {
        try content(response.head.headerFields, response.body)
    }

    /// The fields and the body of a request or a response.
    static func content(
        _ fields: HTTPFields,
        _ body: ResponseBody
    ) throws(ApusError) -> ResponseObject {
        let bytes = fields.enumerated().filter { !$0.element.isUTF8 }.map { JSON($0.offset) }
        let body = try BodyText(body)
        var members = ResponseObject([("headers", JSON(fields.map(pair)))])
        if !bytes.isEmpty { members.append("headersAsBytes", JSON(bytes)) }
        members.append(body.key, .body(body))
        return members
    }

    /// The members of a result: those of the response, or `error`; and `timings` if the time is known.
    static func members(
        of result: Result<Response, ApusError>,
        after duration: Duration?,
        hidesSecrets: Bool = true
    ) -> ResponseObject {
        var members: ResponseObject
        var response: Response?
        do throws(ApusError) {
            let answer = try result.get()
            response = answer
            members = try self.members(of: answer, hidesSecrets: hidesSecrets)
        } catch {
            response = error.response
            members = ResponseObject([])
            members.append("error", .object(FailureJSON.object(of: error)))
        }
        guard let duration else { return members }
        members.append("timings", timings(of: response, total: duration))
        return members
    }

    /// When each phase of the transfer ended, in milliseconds from its start, and the total time for the caller.
    ///
    /// A cached response has only the total.
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
        case .shared: "shared"
        case .stub: "stub"
        case .replay: "replay"
        case .synthetic: "synthetic"
        case .gateway: "gateway"
        }
    }
}

/// A decision of the HTTP cache as a JSON object.
///
/// Version 1: `outcome` (`fresh`, `revalidate`, `mustFetch` …), `rule` (its stable name), `section` (where it
/// stands, such as "RFC 9111, 4.2"), `summary` (one line with the numbers) and `findings` (what was checked, a
/// line each).
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
/// Version 1: `code` is the exit status that the program would have, `reason` the engine's error code, which is
/// more precise, and `message` is for people. `tls` is there if TLS failed. `response` is the response as far as it was received.
enum FailureJSON {
    /// The object; `message` stands in for the error's own.
    static func object(of error: ApusError, message: ErrorMessage? = nil) -> ResponseObject {
        var object = ResponseObject([
            ("code", JSON(ExitStatus.of(error))),
            ("reason", JSON(error.code)),
            ("message", JSON((message ?? error.workspaceMessage).description)),
        ])
        if let refused = error.refusedConnection {
            object.append("tls", TLSJSON.value(of: refused.tls, refused.certificates))
        }
        guard var response = error.response else { return object }
        switch error.reason {
        case .bodyTooLarge, .contentDecoding:
            // Of a body that is too large or cannot be decoded, only the beginning is printed.
            response.body = .bytes(Self.begin(of: response.body))
        default: break
        }
        // If the body cannot be read, the rest is still printed.
        if let answer = try? ResponseJSON.members(of: response) {
            object.append("response", .object(answer))
        }
        return object
    }

    private static func begin(of body: ResponseBody) -> [UInt8] {
        var begin: [UInt8] = []
        // What cannot be read has no beginning.
        _ = try? body.passPieces(of: 64 << 10) { piece in
            begin = Array(piece)
            return false
        }
        return begin
    }
}
