import Documents

/// What is done of a graph, so that a later run can go on from there, in this
/// process or another.
///
/// It holds what was captured, secrets among it: keep it accordingly. Printing it shows
/// none of that; encoding it does.
public struct ChainState: Sendable, Codable {
    /// A step, or one element of it.
    struct Step: Sendable, Codable {
        var isDone: Bool
        var status: Int?
        /// Each value as JSON, so that numbers stay as they were written.
        var captures: [String: String]
        /// By place in the list; nil for what is to be sent again.
        var elements: [Element?]
    }

    /// An element of a `forEach` that is done.
    struct Element: Sendable, Codable {
        var captures: [String: String]
    }

    var steps: [String: Step] = [:]

    /// The steps that are done and will not be sent again.
    public var done: Set<String> { Set(steps.filter(\.value.isDone).keys) }

    /// Forgets a step, so that it and all that need it are run again.
    public mutating func forget(_ step: String) { steps[step] = nil }

    /// Values as they are kept.
    static func texts(_ values: [String: JSON]) -> [String: String] {
        values.compactMapValues { $0.text() }
    }

    /// Kept values as values; nil if one of `names` is missing or none.
    static func values(_ texts: [String: String], _ names: [String]) -> [String: JSON]? {
        var values: [String: JSON] = [:]
        for name in names {
            guard let text = texts[name], let value = try? JSON(parsing: text) else { return nil }
            values[name] = value
        }
        return values
    }
}

extension ChainState.Step {
    init(_ result: ChainStepResult) {
        isDone = result.outcome.isDone
        status = result.status
        captures = ChainState.texts(result.captures)
        elements = isDone ? [] : result.elements
    }
}

extension ChainState: CustomStringConvertible, CustomReflectable {
    /// The steps that are done; never what they captured.
    public var description: String { "ChainState(done: \(done.sorted()))" }
    /// The same.
    public var customMirror: Mirror { Mirror(self, children: ["done": done.sorted()]) }
}
