import Documents
import HTTPTypes
import Workspaces

/// What of a response an assertion of another program is about.
enum ResponseSubject: Hashable {
    case status
    case time
    case field(String)
    /// A JSONPath.
    case json(String)
    case text

    /// Where a workspace captures it; nil if it cannot.
    var capture: String? {
        switch self {
        case .status: "status"
        case .field(let name): HTTPField.Name(name) == nil ? nil : "header:\(name)"
        case .json(let path): (try? JSONPath(parsing: path)) == nil ? nil : path
        case .time, .text: nil
        }
    }
}

/// What a target expects, as it is collected from the assertions of another program.
struct ExpectedResponse {
    private var statuses: ClosedRange<Int>?
    private var statusList: [Int] = []
    private var time: String?
    private var fields: [Value.Member] = []
    private var json: [Value.Member] = []
    private var text: [Value.Member] = []
    private var others: [Value.Member] = []

    /// The value of `expect`; nil if nothing is expected.
    var value: Value? {
        var members: [Value.Member] = []
        if !statusList.isEmpty {
            let values = statusList.map { Value.number("\($0)") }
            members["status"] = values.count == 1 ? values[0] : .array(values)
        } else if let statuses {
            let isOne = statuses.lowerBound == statuses.upperBound
            members["status"] =
                isOne
                ? .number("\(statuses.lowerBound)")
                : .string("\(statuses.lowerBound)-\(statuses.upperBound)")
        }
        if let time { members["time"] = .string(time) }
        if !fields.isEmpty { members["fields"] = .object(fields) }
        if !json.isEmpty { members["json"] = .object(json) }
        if !text.isEmpty { members["text"] = .object(text) }
        members += others
        return members.isEmpty ? nil : .object(members)
    }

    /// Sets a key of `expect` that has one value, such as `redirects` or `body`.
    mutating func set(_ key: String, _ value: Value) -> Bool {
        if others[key] != nil { return others[key] == value }
        others[key] = value
        return true
    }

    /// Adds a comparison.
    ///
    /// - Returns: False if a workspace cannot expect it beside what is there.
    mutating func add(_ subject: ResponseSubject, _ comparison: String, _ operand: Value) -> Bool {
        switch subject {
        case .status: return addStatus(comparison, operand)
        case .time: return addTime(comparison, operand)
        case .field(let name):
            guard HTTPField.Name(name) != nil else { return false }
            return Self.add(comparison, operand, named: name, to: &fields)
        case .json(let path):
            guard (try? JSONPath(parsing: path)) != nil else { return false }
            return Self.add(comparison, operand, named: path, to: &json)
        case .text: return Self.add(comparison, operand, to: &text)
        }
    }

    private static func add(
        _ comparison: String,
        _ operand: Value,
        named name: String,
        to members: inout [Value.Member]
    ) -> Bool {
        var comparisons: [Value.Member] = []
        if case .object(let known)? = members[name] { comparisons = known }
        guard add(comparison, operand, to: &comparisons) else { return false }
        members[name] = .object(comparisons)
        return true
    }

    private static func add(
        _ comparison: String,
        _ operand: Value,
        to comparisons: inout [Value.Member]
    ) -> Bool {
        guard isValid(comparison, operand) else { return false }
        if let known = comparisons[comparison] { return known == operand }
        comparisons[comparison] = operand
        return true
    }

    private static func isValid(_ comparison: String, _ operand: Value) -> Bool {
        switch comparison {
        case "matches":
            guard case .string(let pattern) = operand else { return false }
            return (try? RegularExpression(multiline: pattern)) != nil
        case "<", "<=", ">", ">=":
            switch operand {
            case .number, .string: return true
            default: return false
            }
        default: return true
        }
    }

    private mutating func addStatus(_ comparison: String, _ operand: Value) -> Bool {
        if comparison == "in", case .array(let values) = operand {
            let codes = values.compactMap { Int($0.variableText) }.filter { 100...999 ~= $0 }
            guard codes.count == values.count, statuses == nil, statusList.isEmpty else {
                return false
            }
            statusList = codes
            return true
        }
        // A status that is expected already is no other one.
        if comparison == "not", let statuses, let code = Int(operand.variableText),
            !statuses.contains(code)
        {
            return true
        }
        guard statusList.isEmpty, let code = Int(operand.variableText), 99...1000 ~= code else {
            return false
        }
        let range: ClosedRange<Int>
        switch comparison {
        case "is" where 100...999 ~= code: range = code...code
        case "<" where code > 100: range = 100...(code - 1)
        case "<=" where code >= 100 && code < 1000: range = 100...code
        case ">" where code < 999: range = (code + 1)...999
        case ">=" where code < 1000: range = max(code, 100)...999
        default: return false
        }
        let known = statuses ?? 100...999
        let (low, high) = (
            max(known.lowerBound, range.lowerBound), min(known.upperBound, range.upperBound)
        )
        guard low <= high else { return false }
        statuses = low...high
        return true
    }

    /// A time in milliseconds.
    private mutating func addTime(_ comparison: String, _ operand: Value) -> Bool {
        guard time == nil, ["<", "<=", ">", ">="].contains(comparison),
            let number = Double(operand.variableText), number >= 0, number < 1e9
        else { return false }
        time = "\(comparison) \(Int(number.rounded(.up))) ms"
        return true
    }
}
