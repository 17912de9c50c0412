/// Why there is no value where one was asked for, and where.
public struct JSONAbsence: Error, Sendable, Hashable {
    /// What was missing.
    public enum Reason: Sendable, Hashable, CaseIterable {
        /// A name was asked of something that is no object.
        case notAnObject
        /// A place was asked of something that is no array.
        case notAnArray
        /// The object has no member of this name.
        case noSuchMember
        /// The array has no element at this place.
        case indexOutOfRange
    }

    /// What was missing.
    public let reason: Reason
    /// The normalised path to the first value that is missing.
    ///
    /// It begins at the document's root; for a value that was built or changed, at the value that was
    /// asked.
    public let path: String
    /// The steps that were asked for behind it.
    public let furtherSteps: [PathStep]
}

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
