import Apus
import Documents
import HTTPTypes
import Workspaces

/// An expectation as assertions of hurl.
struct HurlAssert {
    /// The lines; nil if hurl cannot say it.
    let lines: [String]?

    init(
        _ expectation: Expectation,
        _ request: ExportedRequest
    ) {
        guard let query = Self.query(expectation.subject) else {
            lines = nil
            return
        }
        func quoted(_ text: String) -> String { HurlExport.quoted(request.text(text)) }
        switch expectation.requirement {
        case .statuses(let ranges):
            let isSingle = ranges.allSatisfy { $0.count == 1 }
            guard isSingle, !ranges.isEmpty else {
                lines = nil
                return
            }
            let words = ranges.map { "\($0.lowerBound)" }.joined(separator: "|")
            lines = ["status toString matches /^(\(words))$/"]
        case .quantity(let sign, let number):
            lines = Self.quantity(expectation.subject, query, sign, number)
        case .flag, .document: lines = nil
        case .value(let sign, let value):
            lines = Self.comparison(sign, value, quoted).map { ["\(query) \($0)"] }
        }
    }

    /// What a capture's path is in hurl.
    static func query(_ path: CapturePath) -> String {
        switch path {
        case .status: "status"
        case .header(let name): "header \(StringLiteral.quoted(name))"
        case .body(let path): "jsonpath \(StringLiteral.quoted("\(path)"))"
        }
    }

    private static func query(_ subject: Expectation.Subject) -> String? {
        switch subject {
        case .status: "status"
        case .time: "duration"
        case .size: "bytes count"
        case .redirects: "redirects count"
        case .certificateDays: "certificate \"Expire-Date\" daysAfterNow"
        case .field(let name): "header \(StringLiteral.quoted(name.rawName))"
        case .json(let path, _): "jsonpath \(StringLiteral.quoted("\(path)"))"
        case .text: "body"
        case .body, .fromCache, .failed, .percentile: nil
        }
    }

    private static func quantity(
        _ subject: Expectation.Subject,
        _ query: String,
        _ sign: Expectation.Operator,
        _ number: Int
    ) -> [String]? {
        guard let word = signs[sign] else { return nil }
        // Microseconds.
        let value = subject == .time ? number / 1000 : number
        return ["\(query) \(word) \(value)"]
    }

    private static let signs: [Expectation.Operator: String] = [
        .equals: "==", .differs: "!=", .less: "<", .atMost: "<=", .more: ">", .atLeast: ">=",
    ]

    private static func comparison(
        _ sign: Expectation.Operator,
        _ value: Value,
        _ quoted: (String) -> String
    ) -> String? {
        if let word = signs[sign] { return literal(value, quoted).map { "\(word) \($0)" } }
        switch sign {
        case .contains: return literal(value, quoted).map { "contains \($0)" }
        case .matches:
            guard case .string(let pattern) = value else { return nil }
            return "matches \(quoted(pattern))"
        case .exists: return value == .boolean(false) ? "not exists" : "exists"
        case .count:
            switch value {
            case .number(let number): return "count == \(number)"
            case .string(let text):
                let parts = text.split(separator: " ")
                guard parts.count == 2, signs.values.contains(String(parts[0])),
                    Int(parts[1]) != nil
                else { return nil }
                return "count \(text)"
            default: return nil
            }
        case .type:
            guard case .string(let name) = value else { return nil }
            let words = [
                "string": "isString", "number": "isNumber", "integer": "isInteger",
                "boolean": "isBoolean", "array": "isList", "object": "isObject", "null": "== null",
            ]
            return words[name]
        default: return nil
        }
    }

    private static func literal(_ value: Value, _ quoted: (String) -> String) -> String? {
        switch value {
        case .string(let text): quoted(text)
        case .number(let number): Double(number) == nil ? quoted(number) : number
        case .boolean(let flag): flag ? "true" : "false"
        case .null: "null"
        case .array, .object: nil
        }
    }
}
