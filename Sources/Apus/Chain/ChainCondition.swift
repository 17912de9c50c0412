public import Documents

/// Whether a step runs, decided by what was captured before it.
///
/// Written as a filter of RFC 9535 section 2.3.5 in which `$` is everything that
/// was captured, and `$.steps.NAME.status` is the status of a step:
/// `$.role == 'admin' && $.steps.create.status == 201`, `$.next`, `!$.next`,
/// `length($.items) > 0`.
public struct ChainCondition: Sendable {
    /// Tests the values.
    public typealias Test = @Sendable (ChainValues) async throws -> Bool

    /// The condition as it was written.
    public let text: String
    /// The captured values that it looks at.
    public let uses: [String]
    /// The steps whose status it looks at.
    public let steps: [String]
    let test: Test

    /// Reads a condition.
    ///
    /// It fails its step when it takes far longer than honest ones do, 5 seconds and more of
    /// processor time, or has a regular expression that is too costly for a value.
    ///
    /// - Throws: `JSONPathError`, with the column in `text`.
    public init(_ text: String) throws(JSONPathError) { try self.init(text, timeLimit: nil) }

    init(_ text: String, timeLimit: Duration?) throws(JSONPathError) {
        let query: JSONPath
        do throws(JSONPathError) {
            query = try JSONPath(Self.opening + text + "]")
        } catch {
            throw error.moved(back: Self.opening.utf8.count, within: text)
        }
        let references = query.filterReferences
        guard !references.hasRelative else {
            let found = JSONPathError.Reason.unexpected(found: "@", expected: "$")
            let at = text.firstIndex(of: "@") ?? text.startIndex
            throw JSONPathError(
                found,
                utf8Offset: text.utf8.distance(from: text.startIndex, to: at),
                column: text.unicodeScalars.distance(from: text.startIndex, to: at) + 1
            )
        }
        let names = references.absolute.compactMap(\.first)
        self.text = text
        uses = names.filter { $0 != ChainValues.stepsName }
        steps = references.absolute.compactMap {
            $0.count > 1 && $0[0] == ChainValues.stepsName ? $0[1] : nil
        }
        let hasNames = !references.hasNested && references.absolute.allSatisfy { !$0.isEmpty }
        let looked = hasNames ? Set(names) : nil
        test = { values in
            // Others made the values, and may have made them to be slow.
            try await ReadingExecutor.bounded.run {
                try values.document(of: looked).matches(query, timeLimit)
            }
        }
    }

    /// Makes a condition of code.
    ///
    /// - Parameters:
    ///   - text: What a skipped step says of it.
    ///   - uses: The captured values that `test` looks at.
    ///   - steps: The steps whose status it looks at.
    ///   - test: A step whose condition throws fails.
    public init(
        _ text: String,
        uses: [String],
        steps: [String] = [],
        test: @escaping Test
    ) {
        self.text = text
        self.uses = uses
        self.steps = steps
        self.test = test
    }

    private static let opening = "$[?"

    /// Whether the condition is true of some values.
    ///
    /// - Throws: what `test` throws.
    public func isTrue(of values: ChainValues) async throws -> Bool { try await test(values) }
}

extension JSON {
    /// Whether a filter at the root selects anything.
    fileprivate func matches(_ query: JSONPath, _ timeLimit: Duration?) throws -> Bool {
        let bytes = DocumentBytes(try bytes())
        let budget = ReadingBudget(ofText: bytes.count, limit: timeLimit)
        var found = BoundedQuery(query, in: Document.parse(bytes), within: budget)
        return try found.next() != nil
    }
}

extension JSONPathError {
    /// The error in a part of the text that was parsed.
    fileprivate func moved(back count: Int, within text: String) -> JSONPathError {
        JSONPathError(
            reason,
            utf8Offset: min(max(0, utf8Offset - count), text.utf8.count),
            column: min(max(1, column - count), text.unicodeScalars.count + 1)
        )
    }
}

/// What a step may use: the values captured by the steps that it needs.
public struct ChainValues: Sendable {
    /// The name under which conditions find the steps; no capture has it.
    static let stepsName = "steps"

    /// All values by name; in a step with `forEach` the element and `index` too.
    public internal(set) var all: [String: JSON] = [:]
    /// The statuses of the steps that were needed, by step.
    public internal(set) var statuses: [String: Int] = [:]

    /// What the run is not to show of them.
    package internal(set) var secrets = ChainSecrets()

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

    /// The values of these names, or all, and the statuses under `steps`, for a condition to look at.
    ///
    /// It is parsed for each: a long list that it does not name would cost as much each time.
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
