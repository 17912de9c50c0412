import Apus
import Documents
import Terminal

/// What became of a step of a chain, for people and for programs.
enum ChainStepText {
    /// One line.
    static func line(for step: ChainStepResult, of graph: ChainGraph) -> String {
        var parts = [step.name, word(for: step.outcome)]
        if let status = step.status { parts.append(String(status)) }
        parts.append(Readable.duration(step.duration))
        if let reason = reason(for: step.outcome) { parts.append(reason) }
        parts += captures(step, graph).map { "\($0.key)=\(short($0.value))" }
        return parts.joined(separator: "  ")
    }

    /// The members of its JSON object.
    static func members(of step: ChainStepResult, of graph: ChainGraph) -> AnswerObject {
        var members: AnswerJSON.Members = [
            ("version", 1), ("step", JSON(step.name)), ("index", JSON(step.index)),
            ("outcome", JSON(word(for: step.outcome))),
        ]
        if let reason = reason(for: step.outcome) { members.append(("reason", JSON(reason))) }
        members.append(("captures", JSON(members: captures(step, graph))))
        var object = AnswerObject(members)
        object.append(
            "answers",
            .list(step.results.map { AnswerJSON.members(of: $0, after: nil) })
        )
        object.append("milliseconds", AnswerJSON.milliseconds(step.duration))
        return object
    }

    /// How a chain ended, in a word.
    static func word(for ending: ChainGraphSummary.Ending) -> String {
        switch ending {
        case .done: "done"
        case .failed: "failed"
        case .timedOut: "timedOut"
        case .cancelled: "cancelled"
        }
    }

    private static func word(for outcome: ChainStepResult.Outcome) -> String {
        switch outcome {
        case .done: "done"
        case .restored: "restored"
        case .failed: "failed"
        case .skipped: "skipped"
        case .cancelled: "cancelled"
        }
    }

    private static func reason(for outcome: ChainStepResult.Outcome) -> String? {
        switch outcome {
        case .done, .restored, .cancelled: nil
        case .failed(.exchange(let error)): FailureText.line(for: error)
        case .failed(let failure): failure.description
        case .skipped(let skip): skip.description
        }
    }

    private static func captures(
        _ step: ChainStepResult,
        _ graph: ChainGraph
    ) -> AnswerJSON.Members {
        graph.shownCaptures(of: step).sorted { $0.name < $1.name }.map { ($0.name, $0.value) }
    }

    /// A value in a few characters.
    private static func short(_ value: JSON) -> String {
        let text = value.string ?? value.text() ?? ""
        return text.count > 40 ? "\(text.prefix(39))…" : text
    }
}
