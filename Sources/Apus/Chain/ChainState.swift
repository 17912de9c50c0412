public import Documents
import Secrets

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

/// What a step may use: the values captured, and the statuses received, by the steps that it needs.
public struct ChainValues: Sendable {
    /// The name of the steps in conditions; no capture may have it.
    static let stepsName = "steps"

    /// All values by name; in a step with `forEach`, also the element and `index`.
    public internal(set) var all: [String: JSON] = [:]
    /// The statuses of the needed steps, by step name.
    public internal(set) var statuses: [String: Int] = [:]

    /// The secrets of the run.
    package internal(set) var secrets = ChainSecrets()

    /// Makes values, for example to test the `target` closure of a step.
    public init(_ all: [String: JSON] = [:], statuses: [String: Int] = [:]) {
        self.all = all
        self.statuses = statuses
    }

    /// The value of this name; nil if no needed step captured one.
    public subscript(name: String) -> JSON? { all[name] }

    /// The value of this name.
    ///
    /// - Throws: `ChainFailure` with the case `.noValue` if there is none.
    public func value(_ name: String) throws(ChainFailure) -> JSON {
        guard let value = all[name] else { throw .noValue(name: name) }
        return value
    }

    /// The text of a string, number or Boolean, for example for a URL's path.
    ///
    /// - Throws: `ChainFailure` with the case `.noValue` if there is none, `.notText`
    ///   if it is null, a list or an object.
    public func text(_ name: String) throws(ChainFailure) -> String {
        let value = try value(name)
        if let text = value.string ?? value.numberText { return text }
        if let flag = value.bool { return flag ? "true" : "false" }
        throw .notText(name: name)
    }

    /// The values with these names, or all if nil, and the statuses under `steps`, as an object to test.
    ///
    /// Each condition parses it again, so values that the condition does not name are left out to save time.
    func document(of names: Set<String>?) -> JSON {
        var members = all.filter { names?.contains($0.key) ?? true }
            .map { (key: $0.key, value: $0.value) }
        let steps = statuses.map { step in
            (key: step.key, value: JSON(members: [(key: "status", value: JSON(step.value))]))
        }
        members.append((key: Self.stepsName, value: JSON(members: steps)))
        return JSON(members: members)
    }
}
