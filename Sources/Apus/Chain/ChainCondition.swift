public import Documents

/// Decides from captured values whether a step runs.
///
/// It is written as a filter expression (RFC 9535 section 2.3.5). In it, `$` holds all captured values, and
/// `$.steps.NAME.status` is the status of a step: `$.role == 'admin' && $.steps.create.status == 201`,
/// `$.next`, `!$.next`, `length($.items) > 0`.
public struct ChainCondition: Sendable {
    /// Tests the captured values.
    public typealias Test = @Sendable (ChainValues) async throws -> Bool

    /// The condition as it was written.
    public let text: String
    /// The names of the captured values that it reads.
    public let uses: [String]
    /// The names of the steps whose status it reads.
    public let steps: [String]
    let test: Test

    /// Parses a condition.
    ///
    /// Its step fails if evaluating it takes more than 5 seconds of CPU time plus 1 second per 4 MiB of
    /// values, or if it has a regular expression that is too costly for a value.
    ///
    /// - Throws: `JSONPathError` with the column in `text`.
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
            // The values come from servers, which may have made them slow to search.
            try await BlockingWorkExecutor.bounded.run {
                try values.document(of: looked).matches(query, timeLimit)
            }
        }
    }

    /// Makes a condition from a closure.
    ///
    /// - Parameters:
    ///   - text: the text to show for a step that it skips.
    ///   - uses: the names of the captured values that `test` reads.
    ///   - steps: the names of the steps whose status it reads.
    ///   - test: tests the values; if it throws, the step fails.
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

    /// Whether the condition is true for the values.
    ///
    /// - Throws: any error of the test.
    public func isTrue(of values: ChainValues) async throws -> Bool { try await test(values) }
}

extension JSON {
    /// Whether a filter at the root matches anything.
    fileprivate func matches(_ query: JSONPath, _ timeLimit: Duration?) throws -> Bool {
        let bytes = DocumentBytes(try bytes())
        let budget = CPUTimeBudget(ofText: bytes.count, limit: timeLimit)
        var found = BoundedQuery(query, in: Document.parse(bytes), within: budget)
        return try found.next() != nil
    }
}

extension JSONPathError {
    /// The error with its position in `text`, which begins `count` bytes into the parsed text.
    fileprivate func moved(back count: Int, within text: String) -> JSONPathError {
        JSONPathError(
            reason,
            utf8Offset: min(max(0, utf8Offset - count), text.utf8.count),
            column: min(max(1, column - count), text.unicodeScalars.count + 1)
        )
    }
}
