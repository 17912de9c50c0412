import Apus
import Documents
import FoundationEssentials
import Recordings
import Terminal

extension ReplayResult.Outcome {
    /// The color of its line on a terminal; nil for none.
    fileprivate var color: StaticString? {
        switch self {
        case .same: nil
        case .different: "\u{1B}[33m"
        case .trouble: "\u{1B}[31m"
        }
    }
}

/// Prints the progress and the results of a replay.
struct ReplayReport: ReplayObserver {
    let isJSON: Bool
    /// The largest exchange number, for the width of its column.
    let numbers: Int64
    private var progress = ProgressLine()

    init(isJSON: Bool, numbers: Int64) { (self.isJSON, self.numbers) = (isJSON, numbers) }

    mutating func willSend(_ part: ReplayPlan.Part, after done: Int, of count: Int) {
        progress.draw(
            "\(done) of \(count): \(part.exchanges.first.map { "\($0.request)" } ?? "")"
        )
    }

    mutating func didCompare(_ results: [ReplayResult]) throws {
        progress.clear()
        for result in results { try print(result) }
    }

    mutating func didEnd() { progress.clear() }

    /// The exit status: 2 if any request is in trouble, else 1 if any response differs, else 0.
    static func status(of results: [ReplayResult]) -> Int32 {
        if results.contains(where: { $0.outcome == .trouble }) { return ExitStatus.usage }
        return results.contains { $0.outcome == .different } ? ExitStatus.negative : 0
    }

    /// Prints what would be sent.
    static func show(_ plan: ReplayPlan) throws -> Int32 {
        for part in plan.parts {
            switch part {
            case .request(let exchange, let request, _):
                try OutputLine.print("\(exchange.id)  \(request.line)")
            case .chain(let graph, let run, _):
                let steps = graph.plan.steps.map(\.name).joined(separator: ", ")
                try OutputLine.print("chain “\(run.name)”: \(steps)")
            }
        }
        return 0
    }

    /// Prints a line for the result, and one for each difference.
    private func print(_ result: ReplayResult) throws {
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
        let outcomes = ReplayResult.Outcome.allCases
        guard isJSON else {
            let words = outcomes.filter { $0 == .same || counts[$0] != nil }.map {
                "\(counts[$0, default: 0]) \($0.rawValue)"
            }
            let time = Readable.duration(duration)
            StandardError.write(
                "\(ExchangeTable.count(results.count)): \(words.joined(separator: ", ")), \(time)"
            )
            if let most = FrequentDifference(in: results) {
                StandardError.write(
                    "apus: \(most.count) of \(most.total) differences are in “\(most.name)”; "
                        + "use --ignore '$..\(most.name)' to skip them"
                )
            }
            return
        }
        let members =
            [("total", JSON(results.count))]
            + outcomes.map { ($0.rawValue, JSON(counts[$0, default: 0])) }
            + [("milliseconds", ResponseJSON.milliseconds(duration))]
        try OutputLine.print([("version", 1), ("summary", JSON(members: members))])
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
