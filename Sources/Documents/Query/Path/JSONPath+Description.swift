extension JSONPath: CustomStringConvertible {
    /// The query in its canonical form, which parses to an equal query.
    ///
    /// A query of names and indexes is written as the normalised path of RFC 9535 section 2.7.
    public var description: String { "$" + Self.text(segments) }

    private static func text(_ segments: [QuerySegment]) -> String {
        segments.map { segment in
            let selectors = segment.selectors.map(text).joined(separator: ",")
            return (segment.isDescendant ? "..[" : "[") + selectors + "]"
        }.joined()
    }

    private static func text(_ selector: QuerySelector) -> String {
        switch selector {
        case .name(let name): name.quoted
        case .wildcard: "*"
        case .index(let index): String(index)
        case .slice(let slice):
            (slice.start.map(String.init) ?? "") + ":" + (slice.end.map(String.init) ?? "")
                + (slice.step == 1 ? "" : ":" + String(slice.step))
        case .filter(let expression): "?" + text(expression)
        }
    }

    // MARK: - Filters

    private static func text(_ expression: FilterExpression) -> String {
        switch expression {
        case .any(let terms): terms.map { part($0) }.joined(separator: " || ")
        case .all(let terms): terms.map { part($0) }.joined(separator: " && ")
        case .not(let term): "!" + part(term, isNegated: true)
        case .exists(let query): text(query)
        case .comparison(let left, let sign, let right):
            text(left) + " " + sign.rawValue + " " + text(right)
        case .test(let function): text(function)
        }
    }

    /// An expression as a part of a larger one, in parentheses where they are needed.
    private static func part(_ expression: FilterExpression, isNegated: Bool = false) -> String {
        switch expression {
        case .any, .all: "(" + text(expression) + ")"
        case .comparison, .not: isNegated ? "(" + text(expression) + ")" : text(expression)
        case .exists, .test: text(expression)
        }
    }

    private static func text(_ query: FilterQuery) -> String {
        (query.absoluteNumber == nil ? "@" : "$") + text(query.segments)
    }

    private static func text(_ operand: FilterOperand) -> String {
        switch operand {
        case .literal(.null): "null"
        case .literal(.bool(let value)): value ? "true" : "false"
        case .literal(.number(let number)): number.description
        case .literal(.string(let text)): text.quoted
        case .query(let query): text(query)
        case .function(let function): text(function)
        }
    }

    private static func text(_ function: FilterFunction) -> String {
        let arguments =
            switch function {
            case .length(let operand): text(operand)
            case .count(let query), .value(let query): text(query)
            case .match(let first, let second), .search(let first, let second):
                text(first) + ", " + text(second)
            }
        return function.name + "(" + arguments + ")"
    }
}

extension QueryName {
    /// The text in single quotes, with the escapes of a normalised path.
    var quoted: String { String(Document.normalised(text).dropFirst().dropLast()) }
}
