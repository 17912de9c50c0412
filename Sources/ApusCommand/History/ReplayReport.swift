import Apus
import Documents
import FoundationEssentials
import Recordings
import Terminal

/// The result of sending an exchange again.
struct ReplayResult: Sendable {
    enum Outcome: String {
        /// The response is the same as recorded.
        case same
        case different
        /// It could not be sent or compared.
        case trouble

        /// The color of its line on a terminal; nil for none.
        var color: StaticString? {
            switch self {
            case .same: nil
            case .different: "\u{1B}[33m"
            case .trouble: "\u{1B}[31m"
            }
        }
    }

    /// The method and URL, as sent now.
    let request: ApusError.RequestLine
    /// The recorded exchange; nil if the request was not sent then.
    let exchange: RecordedExchange?
    let step: String?
    let chain: String?
    var outcome = Outcome.different
    var differences: [ResponseDifference] = []
    /// Why it could not be sent or compared.
    var message: String?
    var status: Int?
    var duration: Duration?

    init(_ request: ApusError.RequestLine, of exchange: RecordedExchange, chain: String?) {
        (self.request, self.exchange, self.chain) = (request, exchange, chain)
        step = exchange.origin.step
    }

    init(_ request: ApusError.RequestLine, step: String, chain: String) {
        (self.request, self.step, self.chain) = (request, step, chain)
        exchange = nil
    }
}

/// Prints the results of a replay.
struct ReplayReport: Sendable {
    let isJSON: Bool
    /// The largest exchange number, for the width of its column.
    let numbers: Int64

    /// The exit status: 2 if any request is in trouble, else 1 if any response differs, else 0.
    static func status(of results: [ReplayResult]) -> Int32 {
        if results.contains(where: { $0.outcome == .trouble }) { return ExitStatus.usage }
        return results.contains { $0.outcome == .different } ? ExitStatus.negative : 0
    }

    /// Prints what would be sent.
    static func show(_ plan: ReplayPlan) throws -> Int32 {
        for part in plan.parts {
            switch part {
            case .request(let exchange, let request):
                try OutputLine.print("\(exchange.id)  \(request.line)")
            case .chain(let graph, let run, _):
                let steps = graph.plan.steps.map(\.name).joined(separator: ", ")
                try OutputLine.print("chain “\(run.name)”: \(steps)")
            }
        }
        return 0
    }

    /// Prints a line for the result, and one for each difference.
    func print(_ result: ReplayResult) throws {
        guard !isJSON else { return try OutputLine.print(Self.members(of: result)) }
        let width = "\(numbers)".count
        let number = result.exchange.map { "\($0.id)" } ?? "-"
        let columns = [
            Self.padded(result.outcome.rawValue, 9), Self.padded(number, width, isRight: true),
            result.status.map { "\($0)" } ?? "---",
            Self.padded(result.duration.map { Readable.duration($0) } ?? "", 8, isRight: true),
            "\(result.request)" + (result.chain.map { "  (\($0): \(result.step ?? ""))" } ?? ""),
        ]
        let indent = String(repeating: " ", count: 11)
        var lines = [(columns.joined(separator: "  "), result.outcome.color)]
        lines += result.differences.map { ("\(indent)\($0)", DifferenceColor.of($0.sign)) }
        if let message = result.message { lines.append(("\(indent)\(message)", nil)) }
        var output = StandardOutput(.text)
        for (line, color) in lines {
            let color = StandardOutput.wantsColor ? color : nil
            if let color { try output.write(ownSequence: color) }
            try output.write(line.inOneLine)
            if color != nil { try output.write(ownSequence: "\u{1B}[0m") }
            try output.write("\n")
        }
        try output.flush()
    }

    private static func padded(_ text: String, _ width: Int, isRight: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - text.count))
        return isRight ? blanks + text : text + blanks
    }

    /// Prints the number of results per outcome.
    func printEnd(_ results: [ReplayResult], _ duration: Duration) throws {
        let counts = Dictionary(grouping: results, by: \.outcome).mapValues(\.count)
        let outcomes = [ReplayResult.Outcome.same, .different, .trouble]
        guard isJSON else {
            let words = outcomes.filter { $0 == .same || counts[$0] != nil }.map {
                "\(counts[$0, default: 0]) \($0.rawValue)"
            }
            let time = Readable.duration(duration)
            StandardError.write(
                "\(ExchangeTable.count(results.count)): \(words.joined(separator: ", ")), \(time)"
            )
            if let advice = Self.advice(results) { StandardError.write("apus: \(advice)") }
            return
        }
        let members =
            [("total", JSON(results.count))]
            + outcomes.map { ($0.rawValue, JSON(counts[$0, default: 0])) }
            + [("milliseconds", ResponseJSON.milliseconds(duration))]
        try OutputLine.print([("version", 1), ("summary", JSON(members: members))])
    }

    /// A hint to ignore the member that differs most often; nil if none differs three times.
    static func advice(_ results: [ReplayResult]) -> String? {
        var counts: [Substring: Int] = [:]
        var total = 0
        for difference in results.flatMap(\.differences) {
            total += 1
            guard case .body(let path?) = difference.subject, difference.sign == "~",
                let dot = path.lastIndex(of: "."),
                !path[dot...].contains(where: { "[]'".contains($0) })
            else { continue }
            counts[path[dot...].dropFirst(), default: 0] += 1
        }
        let most = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
        guard let (name, count) = most, count >= 3 else { return nil }
        return
            "\(count) of \(total) differences are in “\(name)”; use --ignore '$..\(name)' to skip them"
    }

    private static func members(of result: ReplayResult) -> ResponseJSON.Members {
        func text(_ text: String?) -> JSON { text.map { JSON($0) } ?? .null }
        func pair(_ recorded: JSON?, _ now: JSON?) -> JSON {
            JSON(members: [("recorded", recorded ?? .null), ("now", now ?? .null)])
        }
        return [
            ("version", 1), ("number", result.exchange.map { JSON($0.id) } ?? .null),
            ("chain", text(result.chain)), ("step", text(result.step)),
            ("method", JSON(result.request.method)), ("url", JSON(result.request.url)),
            ("outcome", JSON(result.outcome.rawValue)),
            (
                "status",
                pair(result.exchange?.status.map { JSON($0) }, result.status.map { JSON($0) })
            ),
            (
                "milliseconds",
                pair(
                    result.exchange.map { ResponseJSON.milliseconds($0.duration) },
                    result.duration.map { ResponseJSON.milliseconds($0) }
                )
            ),
            (
                "differences",
                JSON(
                    result.differences.map { difference in
                        let (subject, path) = names(of: difference.subject)
                        return JSON(members: [
                            ("subject", JSON(subject)), ("path", text(path)),
                            ("sign", JSON(difference.sign)),
                            ("recorded", text(difference.recorded)), ("now", text(difference.now)),
                        ])
                    }
                )
            ),
            ("message", text(result.message)),
        ]
    }

    private static func names(of subject: ResponseDifference.Subject) -> (String, String?) {
        switch subject {
        case .status: ("status", nil)
        case .mediaType: ("mediaType", nil)
        case .field(let name): ("field", name)
        case .body(let path): ("body", path)
        case .outcome: ("outcome", nil)
        }
    }
}

/// The results as a JUnit report, with differences as failures and unsent requests as errors.
struct JUnitReport {
    private let text: String

    init(session: String, _ results: [ReplayResult], _ duration: Duration) {
        let failures = results.count { $0.outcome == .different }
        let errors = results.count { $0.outcome == .trouble }
        let counts = """
            tests="\(results.count)" failures="\(failures)" errors="\(errors)" skipped="0" \
            time="\(Self.seconds(duration))"
            """
        let now = Date().formatted(Date.ISO8601FormatStyle())
        text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="apus replay" \(counts)>
              <testsuite name="\(Self.escaped(session))" \(counts) timestamp="\(now.dropLast())">
            \(results.map { Self.testCase($0, session) }.joined())  </testsuite>
            </testsuites>

            """
    }

    /// Writes the report, whole or not at all.
    func write(to path: String) throws {
        try OutputFile(path: path, content: .text).write { try $0.write(text) }
    }

    private static func testCase(_ result: ReplayResult, _ session: String) -> String {
        let number = result.exchange.map { "\($0.id) " } ?? ""
        let name = number + (result.chain.map { "\($0): \(result.step ?? "") " } ?? "")
        // Jenkins reads the part before a dot as a package.
        let group = escaped("apus.\(session.replacing(".", with: "_"))")
        let request = result.exchange?.request ?? result.request
        let start = """
                <testcase classname="\(group)" name="\(escaped("\(name)\(request)"))" \
            time="\(seconds(result.duration ?? .zero))"
            """
        let lines = result.differences.map(\.description)
        switch result.outcome {
        case .same: return start + "/>\n"
        case .different:
            let message = lines.count == 1 ? lines[0] : "\(lines.count) differences"
            return start
                + """
                >
                      <failure message="\(escaped(message))" type="difference">\
                \(escaped(lines.joined(separator: "\n")))</failure>
                    </testcase>

                """
        case .trouble:
            let message = result.message ?? ""
            return start
                + """
                >
                      <error message="\(escaped(message))" type="trouble">\
                \(escaped(message))</error>
                    </testcase>

                """
        }
    }

    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = Int((duration / .milliseconds(1)).rounded())
        let rest = "\(milliseconds % 1000)"
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }

    /// Escapes text for XML 1.0; characters that are not allowed become U+FFFD.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\n": escaped += "&#10;"
            case "\t": escaped += "&#9;"
            case "\0"..<" ", "\u{7F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
