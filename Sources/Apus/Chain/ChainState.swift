import Documents

/// Which steps of a graph are done, so that a later run, in this process or another, can go on from there.
///
/// It holds the captured values, including secrets, so store it safely. Printing it shows none of them;
/// encoding it does.
public struct ChainState: Sendable, Codable {
    /// What is kept of a step.
    struct Step: Sendable, Codable {
        var isDone: Bool
        var status: Int?
        /// Each value as JSON text, so that numbers stay as they were written.
        var captures: [String: String]
        var credentials: [String]?
        /// By index in the list; nil for an element that must be sent again.
        var elements: [Element?]
    }

    /// An element of a `forEach` that is done.
    struct Element: Sendable, Codable {
        var captures: [String: String]
        /// The credentials in the captures, which their names alone may not reveal; nil if there are none.
        var credentials: [String]?
    }

    var steps: [String: Step] = [:]

    /// The steps that are done and will not be sent again.
    public var done: Set<String> { Set(steps.filter(\.value.isDone).keys) }

    /// Forgets a step, so that it and all steps that need it run again.
    public mutating func forget(_ step: String) { steps[step] = nil }

    /// The values as JSON texts.
    static func texts(_ values: [String: JSON]) -> [String: String] {
        values.compactMapValues { $0.text() }
    }

    /// The credentials sorted and without duplicates; nil if there are none.
    static func kept(_ credentials: [String]) -> [String]? {
        credentials.isEmpty ? nil : Set(credentials).sorted()
    }

    /// Parses kept values; nil if one of `names` is missing or is not JSON.
    static func values(_ texts: [String: String], _ names: [String]) -> [String: JSON]? {
        var values: [String: JSON] = [:]
        for name in names {
            guard let text = texts[name], let value = try? JSON(parsing: text) else { return nil }
            values[name] = value
        }
        return values
    }
}

extension ChainPlan.Step {
    /// The credentials in values that an earlier run captured: those that it found, and those that have a
    /// credential's name now.
    func credentials(in values: [String: JSON], _ kept: [String]?) -> [String] {
        captures.reduce(into: kept ?? []) { found, capture in
            guard let value = values[capture.name] else { return }
            found += CapturedCredentials.credentials(
                in: value,
                shortest: capture.shortestCredential
            )
        }
    }
}

extension ChainState.Step {
    init(_ result: ChainStepResult) {
        isDone = result.outcome.isDone
        status = result.status
        captures = ChainState.texts(result.captures)
        credentials = ChainState.kept(result.credentials)
        elements = isDone ? [] : result.elements
    }
}

extension ChainState: CustomStringConvertible, CustomReflectable {
    /// The names of the steps that are done, without their captures.
    public var description: String { "ChainState(done: \(done.sorted()))" }
    /// The names of the steps that are done.
    public var customMirror: Mirror { Mirror(self, children: ["done": done.sorted()]) }
}
