public import Documents

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
