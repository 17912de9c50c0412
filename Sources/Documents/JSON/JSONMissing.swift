/// What a missing value remembers, as small as a reference; its path is made when it is asked for.
final class JSONMissing: Sendable {
    /// The value that was asked, when it is one of a document.
    let origin: (document: Document, node: NodeIndex)?
    /// The steps from there, the first missing one at `firstMissing`.
    let steps: [PathStep]
    let firstMissing: Int
    let reason: JSONAbsence.Reason

    init(
        _ reason: JSONAbsence.Reason,
        origin: (document: Document, node: NodeIndex)? = nil,
        steps: [PathStep],
        firstMissing: Int = 0
    ) {
        self.reason = reason
        self.origin = origin
        self.steps = steps
        self.firstMissing = firstMissing
    }

    func going(_ step: PathStep) -> JSONMissing {
        JSONMissing(reason, origin: origin, steps: steps + [step], firstMissing: firstMissing)
    }

    func behind(_ start: [PathStep]) -> JSONMissing {
        guard origin == nil else { return self }
        return JSONMissing(
            reason,
            steps: start + steps,
            firstMissing: firstMissing + start.count
        )
    }

    var absence: JSONAbsence {
        let start = origin.map { $0.document.path(of: $0.node) } ?? "$"
        return JSONAbsence(
            reason: reason,
            path: start + steps[...firstMissing].map(\.text).joined(),
            furtherSteps: Array(steps[(firstMissing + 1)...])
        )
    }
}
