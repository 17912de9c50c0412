package import Documents
package import HTTPTypes
package import Secrets

/// What a person types to expect something of a response, and what the file has for it.
///
///     == "Ada"    != 2    < 2    >= 2    in [1, 2]    contains a    matches ^A    exists    exists false
///     count 2     count >= 2     type number          and for the rest the words of the file: 2xx, < 2 s
package struct TypedExpectation {
    private static let signs: [(String, Expectation.Operator)] = [
        ("==", .equals), ("!=", .differs), ("<=", .atMost), (">=", .atLeast), ("<", .less),
        (">", .more),
    ]
    private static let words: [Expectation.Operator] = [
        .isOneOf, .contains, .matches, .exists, .count, .type,
    ]

    /// What the file has for a typed text.
    ///
    /// - Throws: `WorkspaceError` if it says nothing, or cannot be read.
    static func value(
        of typed: String,
        for subject: Expectation.Subject
    ) throws(WorkspaceError) -> Value {
        let text = typed.trimmed
        guard !text.isEmpty else { throw fault("type what is expected, such as == 1 or exists") }
        switch subject {
        case .field, .json, .text: return try comparison(text)
        case .body: return try operand(text)
        default:
            let rest = text.hasPrefix("==") ? String(text.dropFirst(2)).trimmed : text
            return Value(typed: rest)
        }
    }

    private static func comparison(_ text: String) throws(WorkspaceError) -> Value {
        if let (sign, comparison) = signs.first(where: { text.hasPrefix($0.0) }) {
            let rest = String(text.dropFirst(sign.count)).trimmed
            guard !rest.isEmpty else { throw fault("type a value after \(sign)") }
            return written(comparison, try operand(rest))
        }
        let word = String(text.prefix { $0 != " " })
        guard let comparison = words.first(where: { $0.rawValue == word }) else {
            return written(.equals, try operand(text))
        }
        let rest = String(text.dropFirst(word.count)).trimmed
        switch comparison {
        case .exists where rest.isEmpty: return written(.exists, .boolean(true))
        case .matches where !rest.hasPrefix("\""): return written(.matches, .string(rest))
        case .type: return written(.type, .string(rest))
        case .isOneOf where rest.hasPrefix("["): return written(.isOneOf, Value(typed: rest))
        default:
            guard !rest.isEmpty else { throw fault("type a value after \(word)") }
            return written(comparison, try operand(rest))
        }
    }

    /// The shortest form of a comparison: a value alone is one that must be equal.
    private static func written(_ comparison: Expectation.Operator, _ operand: Value) -> Value {
        if case .equals = comparison {
            guard case .object = operand else { return operand }
        }
        return .object([Value.Member(comparison.rawValue, operand)])
    }

    /// A value: JSON where it begins like a text, a list or an object, else a word as YAML reads it.
    private static func operand(_ text: String) throws(WorkspaceError) -> Value {
        let isTemplate = text.hasPrefix("{{")
        guard !isTemplate, let first = text.unicodeScalars.first,
            "\"[{".unicodeScalars.contains(first)
        else { return Value(plain: text) }
        guard let json = try? JSON(parsing: text), let value = Value(json) else {
            throw fault("this is not JSON: \(text.prefix(60))")
        }
        return value
    }

    private static func fault(_ message: String) -> WorkspaceError {
        WorkspaceError([Problem(file: "", message)])
    }

    // MARK: What is offered

    /// The longest text that is offered to be compared with, in bytes of JSON.
    private static let longestOffered = 300

    /// What can be expected of a value, the most likely first.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - name: Its name, or that of the list around it, which may say that it is a secret; nil if there is none.
    ///   - mask: Knows what must not be written to a file.
    /// - Returns: Texts as they are typed.
    package static func offers(
        for value: JSON,
        named name: String?,
        masking mask: CredentialMask
    ) -> [String] {
        let exists = "exists"
        let isSecret = isSecret(value, named: name, mask)
        switch value.kind {
        case nil: return [exists]
        case .null: return ["== null", exists, "type null"]
        case .object: return ["type object", exists]
        case .array: return ["count \(value.count)", "count >= 1", exists, "type array"]
        case .true, .false:
            return isSecret
                ? [exists, "type boolean"]
                : ["== \(value.text() ?? "true")", exists, "type boolean"]
        case .integer, .decimal:
            guard !isSecret, let number = value.numberText, number.utf8.count <= 40 else {
                return [exists, "type number"]
            }
            return ["== \(number)", exists, "type number", "< \(number)", "> \(number)"]
        case .string:
            let text = isSecret ? nil : value.string
            return text.map { equals($0) + [exists, "type string"] + matches($0) }
                ?? [exists, "type string"]
        }
    }

    private static func isSecret(_ value: JSON, named name: String?, _ mask: CredentialMask) -> Bool
    {
        switch value.kind {
        case nil, .array, .object: return false
        default: break
        }
        guard let text = value.text(), text.utf8.count <= longestOffered,
            let member = try? JSON(parsing: "{\(JSON(name ?? "value").text() ?? ""):\(text)}")
        else {
            // What is not searched is not written.
            return true
        }
        return mask.masking(member) != member
    }

    /// What can be expected of a header field.
    package static func offers(
        forField value: String,
        named name: HTTPField.Name,
        masking mask: CredentialMask
    ) -> [String] {
        let isSecret = mask.isSecret(field: name) || mask.masking(line: value) != value
        return isSecret ? ["exists"] : equals(value) + ["exists"] + matches(value)
    }

    /// An expectation as it would be typed; empty if it is more than a line.
    package static func text(of expectation: Expectation) -> String {
        switch expectation.requirement {
        case .statuses: String(expectation.expected.dropFirst(3)).replacing(" or ", with: ", ")
        case .quantity(let comparison, _):
            comparison == .equals ? String(expectation.expected.dropFirst(3)) : expectation.expected
        case .flag(let flag): "\(flag)"
        case .value(.exists, .boolean(true)): "exists"
        case .value(.equals, let value): "== \(value.json)"
        case .value(.differs, let value): "!= \(value.json)"
        case .value(.matches, .string(let pattern)): "matches \(pattern)"
        case .value(let comparison, let value):
            "\(comparison.rawValue) \(value.scalarText ?? value.json)"
        case .document: ""
        }
    }

    /// What can be expected of a status.
    package static func offers(forStatus status: Int) -> [String] {
        ["\(status)", "\(status / 100)xx"]
    }

    /// What can be expected of the time that a response took: twice that, in a round number.
    package static func offers(forTime time: Duration) -> [String] {
        let wanted = max(1, Int(time / .milliseconds(1)) * 2)
        let steps = (0..<9).lazy.flatMap { power in
            [1, 2, 5].map { $0 * Int(Self.power(power)) }
        }
        let limit = steps.first { $0 >= wanted } ?? wanted
        return [limit < 1000 ? "< \(limit) ms" : "< \(limit / 1000) s"]
    }

    private static func power(_ exponent: Int) -> Int {
        (0..<exponent).reduce(1) { n, _ in n * 10 }
    }

    private static func equals(_ text: String) -> [String] {
        guard let escaped = escaped(text) else { return [] }
        let json = Value.string(escaped).json
        return json.utf8.count <= longestOffered ? ["== \(json)"] : []
    }

    private static func matches(_ text: String) -> [String] {
        let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        guard isPlain, !text.isEmpty, text.utf8.count <= 80 else { return [] }
        // What is escaped is no template either.
        let special = "\\^$.|?*+()[]{}"
        let pattern = text.map { special.contains($0) ? "\\\($0)" : "\($0)" }.joined()
        return ["matches ^\(pattern)$"]
    }

    /// The text as a template that stands for it; nil if there is none.
    private static func escaped(_ text: String) -> String? {
        guard text.contains("{{") || text.contains("${") else { return text }
        guard !text.contains("\\") else { return nil }
        return text.replacing("{{", with: "\\{{").replacing("${", with: "\\${")
    }
}

extension Expectation.Subject {
    /// The keys below `expect` where the file says it.
    var keys: [String] {
        switch self {
        case .certificateDays: ["certificateDays"]
        case .fromCache: ["fromCache"]
        case .field(let name): ["fields", name.rawName]
        case .json(_, let written): ["json", written]
        default: [description]
        }
    }

    /// The value of a JSON body at a path, by its short name if that means the same.
    ///
    /// Nil if the path cannot be read, as if it is too long.
    package static func value(at path: String, shortened short: String) -> Self? {
        guard let whole = try? JSONPath(path) else { return nil }
        let name = path == "$" ? "$" : short.hasPrefix("[") ? "$\(short)" : "$.\(short)"
        if let same = try? JSONPath(name), same == whole { return .json(same, written: name) }
        return .json(whole, written: path)
    }
}
