public import Documents

/// What a step may use: the values captured by the steps that it needs.
public struct ChainValues: Sendable {
    /// The name under which conditions find the steps; no capture has it.
    static let stepsName = "steps"

    /// All values by name; in a step with `forEach` the element and `index` too.
    public internal(set) var all: [String: JSON] = [:]
    /// The statuses of the steps that were needed, by step.
    public internal(set) var statuses: [String: Int] = [:]

    /// Makes values, as for a test of a step's target.
    public init(_ all: [String: JSON] = [:], statuses: [String: Int] = [:]) {
        self.all = all
        self.statuses = statuses
    }

    /// The value of this name; nil if no needed step captured one.
    public subscript(name: String) -> JSON? { all[name] }

    /// The value of this name.
    ///
    /// - Throws: `ChainFailure` with the case `.noValue`.
    public func value(_ name: String) throws(ChainFailure) -> JSON {
        guard let value = all[name] else { throw .noValue(name: name) }
        return value
    }

    /// A text, number or truth value as text, as for a path.
    ///
    /// - Throws: `ChainFailure` with the case `.noValue` if there is none, `.notText`
    ///   if it is null, a list or an object.
    public func text(_ name: String) throws(ChainFailure) -> String {
        let value = try value(name)
        if let text = value.string ?? value.numberText { return text }
        if let flag = value.bool { return flag ? "true" : "false" }
        throw .notText(name: name)
    }

    /// The values and, under `steps`, the statuses, for conditions to look at.
    var document: JSON {
        var members = all.map { (key: $0.key, value: $0.value) }
        let steps = statuses.map { step in
            (key: step.key, value: JSON(members: [(key: "status", value: JSON(step.value))]))
        }
        members.append((key: Self.stepsName, value: JSON(members: steps)))
        return JSON(members: members)
    }
}
