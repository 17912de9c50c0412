package import Apus
import Documents
package import FoundationEssentials
import HTTPTypes
package import Secrets

/// Checks a response against what is expected of it.
package struct ResponseCheck {
    /// The text that stands for any value in an expected body.
    static let ignored = "~ignore"

    private let response: Response
    private let duration: Duration
    private let now: Date
    private let mask: CredentialMask
    private lazy var document: Document? = {
        guard let bytes = try? response.body.documentBytes() else { return nil }
        let document = Document.parse(bytes)
        return document.fault == nil && document.nodeCount > 0 ? document : nil
    }()
    private lazy var text: String = {
        (try? response.body.load()).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }()

    /// - Parameters:
    ///   - response: The response.
    ///   - duration: How long it took from the request to its last byte.
    ///   - now: The time from which a certificate's days are counted.
    ///   - mask: Hides secrets in what is said of the values.
    package init(
        _ response: Response,
        after duration: Duration,
        now: Date,
        masking mask: CredentialMask = CredentialMask()
    ) {
        self.response = response
        self.duration = duration
        self.now = now
        self.mask = mask
    }

    /// The outcome of each expectation, in their order.
    package mutating func outcomes(of expectations: [Expectation]) -> [ExpectationOutcome] {
        expectations.map { outcome(of: $0) }
    }

    private mutating func outcome(of expectation: Expectation) -> ExpectationOutcome {
        switch expectation.requirement {
        case .statuses(let ranges):
            ExpectationOutcome(
                expectation,
                isMet: ranges.contains { $0.contains(response.status) },
                actual: "\(response.status)"
            )
        case .quantity(let comparison, let limit):
            quantity(expectation, comparison, limit)
        case .flag(let flag):
            ExpectationOutcome(
                expectation,
                isMet: response.isFromCache == flag,
                actual: response.isFromCache ? "the cache" : "not the cache"
            )
        case .value(let comparison, let operand): value(expectation, comparison, operand)
        case .document(let expected): whole(expectation, expected)
        }
    }

    // MARK: Quantities

    private func quantity(
        _ expectation: Expectation,
        _ comparison: Expectation.Operator,
        _ limit: Int
    ) -> ExpectationOutcome {
        guard let number = number(of: expectation.subject) else {
            return ExpectationOutcome(expectation, isMet: false, actual: "not known")
        }
        return ExpectationOutcome(
            expectation,
            isMet: comparison.holds(number, limit),
            actual: expectation.subject.words(number)
        )
    }

    private func number(of subject: Expectation.Subject) -> Int? {
        switch subject {
        case .time: Int(duration / .microseconds(1))
        case .size: response.body.count
        case .redirects: response.metrics?.redirects.count ?? 0
        case .certificateDays:
            response.metrics?.certificates.first?.summary.endDate.map { end in
                Int((end.timeIntervalSince(now) / 86_400).rounded(.down))
            }
        default: nil
        }
    }

    // MARK: Values

    /// A value that is compared, and its node in the body.
    private struct Found {
        var value: JSON
        var node: NodeIndex?
        /// Whether it is text that a number in the file may stand for, as in a header field.
        var isUntyped = false
        /// The name of the member that it is; nil if it is none.
        var name: String?
        /// Whether it is a secret by the name of its field.
        var isSecret = false
    }

    private mutating func value(
        _ expectation: Expectation,
        _ comparison: Expectation.Operator,
        _ operand: Value
    ) -> ExpectationOutcome {
        let found: Found
        switch lookUp(expectation.subject) {
        case .success(let value): found = value
        case .failure(let absence):
            if case .exists = comparison, operand == .boolean(false), absence.isMissing {
                return ExpectationOutcome(expectation, isMet: true, actual: nil)
            }
            return ExpectationOutcome(expectation, isMet: false, actual: absence.words)
        }
        return ExpectationOutcome(
            expectation,
            isMet: comparison.holds(found.value, operand, isUntyped: found.isUntyped),
            actual: words(found, comparison),
            node: found.node
        )
    }

    /// Why there is no value.
    private struct Absence: Error {
        let words: String
        /// Whether it is certain that there is none.
        let isMissing: Bool
    }

    private mutating func lookUp(_ subject: Expectation.Subject) -> Result<Found, Absence> {
        switch subject {
        case .field(let name):
            guard let value = response.head.headerFields[name] else {
                return .failure(Absence(words: "there is no such field", isMissing: true))
            }
            let isSecret = mask.isSecret(field: name)
            return .success(
                Found(value: JSON(value), isUntyped: true, isSecret: isSecret)
            )
        case .text: return .success(Found(value: JSON(text), isUntyped: true))
        case .json(let path, _): return find(path)
        default: return .failure(Absence(words: "there is no such value", isMissing: true))
        }
    }

    private mutating func find(_ path: JSONPath) -> Result<Found, Absence> {
        guard let document else {
            return .failure(Absence(words: "the body is not JSON", isMissing: true))
        }
        if path.isSingular {
            let value = JSON(document: document).at(path)
            guard value.exists else {
                return .failure(Absence(words: "there is no such value", isMissing: true))
            }
            let node = value.source?.node
            let name = node.flatMap { document.key(of: $0) }
            return .success(Found(value: value, node: node, name: name))
        }
        var query = BoundedQuery(path, in: document)
        var values: [JSON] = []
        var first: NodeIndex?
        do throws(QueryInterruption) {
            while let node = try query.next() {
                first = first ?? node
                values.append(JSON(document: document, node: node))
            }
        } catch {
            return .failure(Absence(words: error.description, isMissing: false))
        }
        guard !values.isEmpty else {
            return .failure(Absence(words: "there is no such value", isMissing: true))
        }
        return .success(Found(value: JSON(values), node: first))
    }

    /// What a value is, as a message says it; secrets are masked before the text is cut.
    private func words(_ found: Found, _ comparison: Expectation.Operator) -> String {
        switch comparison {
        case .count: return "\(found.value.size ?? 0)"
        case .type: return found.value.typeName
        default:
            if found.isSecret { return CredentialMask.mask }
            return mask.masking(line: masked(found).text() ?? "").shortened
        }
    }

    /// A value without the secrets that names and known texts give away.
    private func masked(_ found: Found) -> JSON {
        if let beginning = mask.beginning(of: found.value, { _ in false }) { return beginning }
        guard let name = found.name, let key = JSON(name).text(), let text = found.value.text(),
            let member = try? JSON(parsing: "{\(key):\(text)}")
        else { return mask.masking(found.value) }
        return mask.masking(member)[name]
    }

    // MARK: The whole body

    private mutating func whole(
        _ expectation: Expectation,
        _ expected: Value
    ) -> ExpectationOutcome {
        guard let document else {
            return ExpectationOutcome(expectation, isMet: false, actual: "the body is not JSON")
        }
        let pattern = Document.parse(DocumentBytes(Array(expected.json.utf8)))
        // What is ignored must be there: without a counterpart it is a difference like any other.
        let ignored = Self.ignored(in: pattern).compactMap { node in
            Self.counterpart(of: node, in: pattern, document).map { (node, $0) }
        }
        let difference = DocumentDiff(
            between: pattern,
            and: document,
            options: DiffOptions(
                ignoredLeft: NodeSet(ignored.map(\.0)),
                ignoredRight: NodeSet(ignored.map(\.1))
            )
        )
        let count = difference.differences.count
        return ExpectationOutcome(
            expectation,
            isMet: count == 0,
            actual: count == 1 ? "1 difference" : "\(count) differences",
            node: difference.differences.first?.right,
            differences: Array(difference.lines().prefix(20))
        )
    }

    /// The values of a document that are the text `~ignore`.
    private static func ignored(in document: Document) -> [NodeIndex] {
        (0..<document.nodeCount).map { NodeIndex($0) }.filter { node in
            document.kind(of: node) == .string
                && JSON(document: document, node: node).string == ignored
        }
    }

    /// The value at the same path in another document.
    private static func counterpart(
        of node: NodeIndex,
        in document: Document,
        _ other: Document
    ) -> NodeIndex? {
        guard let path = try? JSONPath(document.path(of: node)) else { return nil }
        return other.first(matching: path)
    }
}

extension Expectation.Operator {
    /// Whether two numbers compare so.
    func holds(_ number: Int, _ limit: Int) -> Bool {
        switch self {
        case .less: number < limit
        case .atMost: number <= limit
        case .more: number > limit
        case .atLeast: number >= limit
        case .differs: number != limit
        default: number == limit
        }
    }

    /// Whether a value of a response compares so with what the file says.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - operand: What the file says.
    ///   - isUntyped: Whether the value is text that stands for a number or a Boolean as well.
    /// - Returns: Whether it holds.
    func holds(_ value: JSON, _ operand: Value, isUntyped: Bool) -> Bool {
        switch self {
        case .equals: Self.equal(value, operand, isUntyped)
        case .differs: !Self.equal(value, operand, isUntyped)
        case .less, .atMost, .more, .atLeast:
            Self.order(value, operand, isUntyped).map { holds($0, 0) } ?? false
        case .isOneOf:
            operand.elements.contains { Self.equal(value, $0, isUntyped) }
        case .contains: Self.contains(value, operand)
        case .matches: Self.matches(value, operand)
        case .exists: operand == .boolean(true)
        case .count:
            Self.count(operand).map { comparison, count in
                value.size.map { comparison.holds($0, count) } ?? false
            } ?? false
        case .type:
            operand.scalarText == value.typeName || operand == .null && value.isNull
                || operand.scalarText == "integer" && value.kind == .integer
        }
    }

    private static func equal(_ value: JSON, _ operand: Value, _ isUntyped: Bool) -> Bool {
        if isUntyped, let text = operand.scalarText { return value.string == text }
        return operand.parsed == value
    }

    /// -1, 0 or 1 as a value is less than, equal to or more than the operand; nil if they cannot be compared.
    private static func order(_ value: JSON, _ operand: Value, _ isUntyped: Bool) -> Int? {
        if case .number(let limit) = operand {
            let text = value.numberText ?? (isUntyped ? value.string : nil)
            guard let text, let left = DecimalNumber(text), let right = DecimalNumber(limit) else {
                return nil
            }
            return left == right ? 0 : left < right ? -1 : 1
        }
        guard let left = value.string, let right = operand.scalarText else { return nil }
        // By code points, so that dates of one form are in their order.
        return left == right
            ? 0 : left.unicodeScalars.lexicographicallyPrecedes(right.unicodeScalars) ? -1 : 1
    }

    private static func contains(_ value: JSON, _ operand: Value) -> Bool {
        switch value.kind {
        case .string: operand.scalarText.map { value.stringValue.contains($0) } ?? false
        case .array: value.elements.contains { operand.parsed == $0 }
        case .object: operand.scalarText.map { value[$0].exists } ?? false
        default: false
        }
    }

    private static func matches(_ value: JSON, _ operand: Value) -> Bool {
        guard let pattern = operand.scalarText, let text = value.string ?? value.text() else {
            return false
        }
        let found = try? RegularExpression(multiline: pattern).firstMatch(in: text)
        return found != nil
    }
}

extension Value {
    fileprivate var elements: [Value] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// The value as JSON; missing if it has no JSON text.
    fileprivate var parsed: JSON {
        (try? JSON(parsing: json)) ?? .null["missing"]
    }
}

extension JSON {
    /// The number of elements, members or characters; nil for what has none.
    fileprivate var size: Int? {
        switch kind {
        case .array, .object: count
        case .string: stringValue.count
        default: nil
        }
    }

    /// The name of the type, as `type` says it.
    fileprivate var typeName: String {
        switch kind {
        case .string: "string"
        case .integer, .decimal: "number"
        case .true, .false: "boolean"
        case .array: "array"
        case .object: "object"
        case .null: "null"
        case nil: "missing"
        }
    }
}

extension String {
    /// The text in a line of at most 120 characters.
    fileprivate var shortened: String { count > 120 ? prefix(119) + "…" : self }
}
