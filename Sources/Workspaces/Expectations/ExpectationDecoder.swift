import Documents
import HTTPTypes

/// Reads `expect`.
struct ExpectationDecoder {
    let log: ProblemLog
    private var read: NodeReader { NodeReader(log: log) }

    init(log: ProblemLog) {
        self.log = log
    }

    /// The expectations of a mapping, in the file's order.
    func decode(_ node: YAMLNode) -> [ExpectationSetting] {
        guard let fields = Fields(node, of: .expect, log: log) else { return [] }
        return fields.entries(of: FormatSection[.expect].names).flatMap { entry in
            settings(entry.key, entry.value)
        }
    }

    /// The expectations of a batch as a whole.
    func batch(_ node: YAMLNode) -> [Expectation] {
        guard let fields = Fields(node, of: .batchExpect, log: log) else { return [] }
        return fields.entries(of: FormatSection[.batchExpect].names).compactMap { entry in
            let percent = Expectation.Subject.percentiles.map(\.0)
                .first { Expectation.Subject.percentile($0).description == entry.key }
            let requirement =
                percent == nil
                ? number(entry.value, "`\(entry.key)`") : time(entry.value, "`\(entry.key)`")
            return requirement.map {
                Expectation(
                    subject: percent.map { .percentile($0) } ?? .failed,
                    requirement: $0,
                    location: entry.value.span.location
                )
            }
        }
    }

    private func time(_ node: YAMLNode, _ what: String) -> Expectation.Requirement? {
        quantity(node, what, "a time, such as `< 2 s`") { text in
            Quantity.duration(text).map { Int($0 / .microseconds(1)) }
        }
    }

    private func number(_ node: YAMLNode, _ what: String) -> Expectation.Requirement? {
        quantity(node, what, "a number, such as `0` or `< 3`", alone: .equals) { Int($0) }
    }

    private func settings(_ key: String, _ node: YAMLNode) -> [ExpectationSetting] {
        switch key {
        case "status": one(.status, statuses(node).map { .statuses($0) }, node.span)
        case "time": one(.time, time(node, "`time`"), node.span)
        case "size":
            one(
                .size,
                quantity(node, "`size`", "a size, such as `< 10 kB`", Quantity.size),
                node.span
            )
        case "redirects": one(.redirects, number(node, "`redirects`"), node.span)
        case "certificateDays":
            one(
                .certificateDays,
                read.integer(node, "`certificateDays`", in: 0...100_000)
                    .map { .quantity(.atLeast, $0) },
                node.span
            )
        case "fromCache":
            one(.fromCache, read.boolean(node, "`fromCache`").map { .flag($0) }, node.span)
        case "fields": read.entries(node, "`fields`").flatMap(field)
        case "json": read.entries(node, "`json`").flatMap(member)
        case "text": comparisons(node, of: .text, what: "`text`")
        default:
            [
                ExpectationSetting(
                    subject: .body,
                    requirement: .document(TemplateValue(node, log)),
                    span: node.span
                )
            ]
        }
    }

    private func one(
        _ subject: Expectation.Subject,
        _ requirement: Expectation.Requirement?,
        _ span: Span
    ) -> [ExpectationSetting] {
        requirement.map {
            [ExpectationSetting(subject: subject, requirement: .fixed($0), span: span)]
        } ?? []
    }

    private func field(_ entry: YAMLNode.Entry) -> [ExpectationSetting] {
        guard let name = HTTPField.Name(entry.key) else {
            log.add(entry.keySpan, "`\(entry.key)` cannot be the name of a header field")
            return []
        }
        return comparisons(
            entry.value,
            of: .field(name),
            what: "the field `\(entry.key)`"
        )
    }

    private func member(_ entry: YAMLNode.Entry) -> [ExpectationSetting] {
        do {
            let path = try JSONPath(parsing: entry.key)
            return comparisons(
                entry.value,
                of: .json(path, written: entry.key),
                what: "`\(entry.key)`"
            )
        } catch {
            log.add(
                entry.keySpan,
                "`\(entry.key)` is not a path: \(error.description)",
                expected: "a path such as `$.users[0].name`"
            )
            return []
        }
    }

    /// A value that must be equal, or a mapping of comparisons.
    private func comparisons(
        _ node: YAMLNode,
        of subject: Expectation.Subject,
        what: String
    ) -> [ExpectationSetting] {
        guard case .mapping = node.content else {
            return [setting(subject, .equals, node)]
        }
        guard
            let fields = Fields(
                node,
                of: .comparison,
                "the comparison of \(what)",
                log: log
            )
        else { return [] }
        return fields.entries(of: FormatSection[.comparison].names).compactMap { entry in
            Expectation.Operator(rawValue: entry.key).map { setting(subject, $0, entry.value) }
        }
    }

    private func setting(
        _ subject: Expectation.Subject,
        _ comparison: Expectation.Operator,
        _ node: YAMLNode
    ) -> ExpectationSetting {
        ExpectationSetting(
            subject: subject,
            requirement: .value(comparison, TemplateValue(node, log)),
            span: node.span
        )
    }

    /// A comparison sign and a quantity; a quantity alone is the most that is allowed, unless `alone` says otherwise.
    private func quantity(
        _ node: YAMLNode,
        _ what: String,
        _ expected: String,
        alone: Expectation.Operator = .atMost,
        _ parse: (String) -> Int?
    ) -> Expectation.Requirement? {
        guard case .scalar(let text, _) = node.content else {
            log.add(node.span, "\(what) cannot be \(node.kindName)", expected: expected)
            return nil
        }
        let sign = String(text.prefix { "<>=".contains($0) })
        let rest = text.dropFirst(sign.count).drop { $0 == " " }
        let comparison = sign.isEmpty ? alone : Expectation.Operator(rawValue: sign)
        guard let comparison, let number = parse(String(rest)) else {
            log.add(node.span, "\(what) cannot be \(read.shown(node))", expected: expected)
            return nil
        }
        return .quantity(comparison, number)
    }

    private func statuses(_ node: YAMLNode) -> [ClosedRange<Int>]? {
        guard case .sequence(let nodes) = node.content else { return status(node).map { [$0] } }
        let ranges = nodes.compactMap(status)
        guard ranges.count == nodes.count else { return nil }
        if ranges.isEmpty { log.add(node.span, "`status` has no status in it") }
        return ranges.isEmpty ? nil : ranges
    }

    /// A status, a class (`2xx`) or a range (`200-299`).
    private func status(_ node: YAMLNode) -> ClosedRange<Int>? {
        if case .scalar(let text, _) = node.content, let range = Self.status(text) { return range }
        log.add(
            node.span,
            "a status cannot be \(read.shown(node))",
            expected: "a status `200`, a class `2xx`, a range `200-299`, or a list of these"
        )
        return nil
    }

    private static func status(_ text: String) -> ClosedRange<Int>? {
        let statuses = 100...999
        if let code = Int(text), statuses.contains(code) { return code...code }
        if text.count == 3, text.hasSuffix("xx"), let hundreds = Int(text.prefix(1)), hundreds > 0 {
            return hundreds * 100...hundreds * 100 + 99
        }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last,
            statuses.contains(first), statuses.contains(last)
        else { return nil }
        return first...last
    }
}

extension Expectation.Operator {
    /// What is wrong with a value that is compared with; nil if nothing is.
    func fault(of value: Value) -> String? {
        switch self {
        case .equals, .differs, .contains: return nil
        case .less, .atMost, .more, .atLeast:
            return value.scalarText == nil
                ? "`\(rawValue)` needs a number or a text, not \(value.kindName)" : nil
        case .isOneOf:
            if case .array = value { return nil }
            return "`in` needs a list, not \(value.kindName)"
        case .matches:
            guard case .string(let pattern) = value else {
                return "`matches` needs a regular expression, not \(value.kindName)"
            }
            do throws(RegularExpressionError) {
                _ = try RegularExpression(multiline: pattern)
                return nil
            } catch {
                return "the regular expression cannot be read: \(error.description)"
            }
        case .exists:
            if case .boolean = value { return nil }
            return "`exists` needs true or false, not \(value.kindName)"
        case .count:
            return Self.count(value) == nil
                ? "`count` needs a number, such as `2`, or a text, such as `\">= 2\"`" : nil
        case .type:
            let names = Self.typeNames
            guard let name = value.scalarText ?? (value == .null ? "null" : nil),
                names.contains(name)
            else { return "`type` needs \(Fields.list(names))" }
            return nil
        }
    }

    /// The types of JSON values, as `type` names them.
    static let typeNames = ["string", "number", "integer", "boolean", "array", "object", "null"]

    /// A number, or a sign and a number; nil for anything else.
    static func count(_ value: Value) -> (Expectation.Operator, Int)? {
        guard let text = value.scalarText else { return nil }
        let sign = String(text.prefix { "<>=".contains($0) })
        guard let comparison = sign.isEmpty ? .equals : Expectation.Operator(rawValue: sign),
            let number = Int(text.dropFirst(sign.count).drop { $0 == " " }), number >= 0
        else { return nil }
        return (comparison, number)
    }
}
