import Documents
import Workspaces

/// Reads a script that handles a response, as far as its statements have one of the common shapes: assertions, and
/// variables that are set from the response.
struct HandlerScript {
    /// A variable that the script sets.
    struct Assignment {
        let name: String
        /// Where in the response the value is; nil if it is `value`.
        let capture: String?
        let value: Value?
    }

    /// What the script expects of the response.
    var expected: ExpectedResponse
    /// The variables that it sets.
    private(set) var assignments: [Assignment] = []
    /// Whether all of the script was understood.
    private(set) var isWhole = true
    /// What names stand for: `const json = response.body;`.
    var aliases: [String: String] = [:]

    /// Reads a script; what is expected already is kept.
    init(_ script: String, expected: ExpectedResponse) {
        self.expected = expected
        guard script.utf8.count <= 64 << 10 else {
            isWhole = false
            return
        }
        run(Self.statements(script), depth: 0)
    }

    // MARK: Statements

    private mutating func run(_ statements: [String], depth: Int) {
        for statement in statements where !statement.isEmpty {
            if !read(statement, depth: depth) { isWhole = false }
        }
    }

    private mutating func read(_ statement: String, depth: Int) -> Bool {
        if let body = Self.testBody(statement) {
            guard depth < 4 else { return false }
            run(Self.statements(body), depth: depth + 1)
            return true
        }
        for keyword in ["const ", "let ", "var "] where statement.hasPrefix(keyword) {
            let rest = statement.dropFirst(keyword.count)
            guard let sign = rest.firstIndex(of: "=") else { return false }
            let name = rest[..<sign].trimmingBlanks
            let value = String(rest[rest.index(after: sign)...]).trimmingBlanks
            guard Self.isName(name), subject(value) != nil || Self.isBody(value) else {
                return false
            }
            aliases[name] = value
            return true
        }
        for setter in Self.setters {
            guard let arguments = Self.call(setter, statement) else { continue }
            return assign(arguments)
        }
        if let arguments = Self.call("client.assert", statement) ?? Self.call("assert", statement) {
            guard let condition = arguments.first else { return false }
            return check(condition)
        }
        if statement.hasPrefix("expect(") || statement.hasPrefix("assert.") {
            return chai(statement)
        }
        return false
    }

    private static let setters = [
        "client.global.set", "client.variables.global.set", "client.variables.file.set",
        "client.variables.environment.set", "bru.setVar", "bru.setEnvVar",
        "bru.setGlobalEnvVar", "bru.setCollectionVar",
    ]

    private mutating func assign(_ arguments: [String]) -> Bool {
        guard arguments.count >= 2, let name = Self.literal(arguments[0]) else { return false }
        if let capture = subject(arguments[1])?.capture {
            assignments.append(Assignment(name: name.variableText, capture: capture, value: nil))
            return true
        }
        guard let value = Self.literal(arguments[1]) else { return false }
        assignments.append(Assignment(name: name.variableText, capture: nil, value: value))
        return true
    }

    // MARK: Conditions

    private mutating func check(_ condition: String) -> Bool {
        // Its brackets are taken off one by one.
        guard condition.utf8.count <= 4_096 else { return false }
        var condition = condition.trimmingBlanks
        while condition.hasPrefix("("),
            Self.closing(condition) == condition.index(before: condition.endIndex)
        {
            condition = String(condition.dropFirst().dropLast()).trimmingBlanks
        }
        let parts = Self.split(condition, at: "&&")
        if parts.count > 1 {
            // Read one by one, so that nothing is expected of a condition that is not understood whole.
            let before = expected
            for part in parts where !check(part) {
                expected = before
                return false
            }
            return true
        }
        guard Self.split(condition, at: "||").count == 1 else { return statuses(condition) }
        for (sign, comparison) in Self.signs {
            let sides = Self.split(condition, at: sign)
            guard sides.count == 2 else { continue }
            return compare(sides[0].trimmingBlanks, comparison, sides[1].trimmingBlanks)
        }
        if condition.hasPrefix("Array.isArray("), condition.hasSuffix(")") {
            guard let subject = subject(String(condition.dropFirst(14).dropLast())) else {
                return false
            }
            return expected.add(subject, "type", .string("array"))
        }
        for (method, comparison) in [
            ("hasOwnProperty", "exists"), ("includes", "contains"), ("startsWith", "matches"),
        ] {
            guard let mark = condition.firstRange(of: ".\(method)("), condition.hasSuffix(")"),
                let value = Self.literal(String(condition[mark.upperBound...].dropLast())),
                let subject = subject(String(condition[..<mark.lowerBound]))
            else { continue }
            switch comparison {
            case "exists": return property(of: subject, value, is: nil)
            case "matches":
                return expected.add(
                    subject,
                    "matches",
                    .string("^" + Self.escaped(value.variableText))
                )
            default: return expected.add(subject, comparison, value)
            }
        }
        if let sides = condition.firstRange(of: " in "),
            let name = Self.literal(String(condition[..<sides.lowerBound])),
            let subject = subject(String(condition[sides.upperBound...]))
        {
            return property(of: subject, name, is: nil)
        }
        if condition.hasPrefix("!"), !condition.hasPrefix("!!") { return false }
        let bare = condition.hasPrefix("!!") ? String(condition.dropFirst(2)) : condition
        guard let subject = subject(bare), subject != .status else { return false }
        return expected.add(subject, "exists", .boolean(true))
    }

    private static let signs = [
        ("===", "is"), ("!==", "not"), ("==", "is"), ("!=", "not"), (">=", ">="), ("<=", "<="),
        (">", ">"), ("<", "<"),
    ]

    /// `status === 200 || status === 201`.
    private mutating func statuses(_ condition: String) -> Bool {
        var codes: [Value] = []
        for part in Self.split(condition, at: "||") {
            let sides = Self.split(part.trimmingBlanks, at: part.contains("===") ? "===" : "==")
            guard sides.count == 2, subject(sides[0].trimmingBlanks) == .status,
                let code = Self.literal(sides[1].trimmingBlanks)
            else { return false }
            codes.append(code)
        }
        return expected.add(.status, "in", .array(codes))
    }

    private mutating func compare(_ left: String, _ comparison: String, _ right: String) -> Bool {
        if left.hasPrefix("typeof ") {
            guard comparison == "is", let subject = subject(String(left.dropFirst(7))),
                let type = Self.literal(right)
            else { return false }
            return expected.add(subject, "type", type)
        }
        if right == "undefined" || right == "null" {
            guard let subject = subject(left) else { return false }
            if right == "null", comparison == "is" { return expected.add(subject, "is", .null) }
            return expected.add(subject, "exists", .boolean(comparison == "not"))
        }
        guard let value = Self.literal(right) else { return false }
        if left.hasSuffix(".length"), let subject = subject(String(left.dropLast(7))) {
            return count(subject, comparison, value)
        }
        guard let subject = subject(left) else { return false }
        return expected.add(subject, comparison, value)
    }

    private mutating func count(_ subject: ResponseSubject, _ comparison: String, _ value: Value)
        -> Bool
    {
        guard case .number(let text) = value, Int(text) != nil, comparison != "not" else {
            return false
        }
        return expected.add(
            subject,
            "count",
            comparison == "is" ? value : .string("\(comparison) \(text)")
        )
    }

    private mutating func property(of subject: ResponseSubject, _ name: Value, is value: Value?)
        -> Bool
    {
        let name = name.variableText
        if case .field("") = subject {
            return expected.add(
                .field(name),
                value == nil ? "exists" : "is",
                value ?? .boolean(true)
            )
        }
        guard case .json(let path) = subject, !name.isEmpty else { return false }
        let member: String
        if Self.isName(name) {
            member = "\(path).\(name)"
        } else {
            guard !name.contains("'"), !name.contains("\\") else { return false }
            let isDotted = name.split(separator: ".").allSatisfy { Self.isName(String($0)) }
            member = isDotted ? "\(path).\(name)" : "\(path)['\(name)']"
        }
        return expected.add(.json(member), value == nil ? "exists" : "is", value ?? .boolean(true))
    }

    // MARK: Chai

    private mutating func chai(_ statement: String) -> Bool {
        guard let close = Self.closing(statement) else { return false }
        let open = statement.firstIndex(of: "(") ?? statement.startIndex
        guard statement.hasPrefix("expect(") else { return false }
        let target = String(statement[statement.index(after: open)..<close])
        let actual = Self.split(target, at: ",").first?.trimmingBlanks ?? ""
        var words: [String] = []
        var argument: String?
        var rest = statement[statement.index(after: close)...]
        while let first = rest.first, first == "." {
            rest = rest.dropFirst()
            let word = rest.prefix { $0.isLetter }
            words.append(String(word))
            rest = rest[word.endIndex...]
            if rest.first == "(" {
                guard let end = Self.closing(String(rest)) else { return false }
                let text = String(rest)
                guard argument == nil || argument == "" else { return false }
                argument = String(text[..<end].dropFirst())
                rest = rest.dropFirst(text.distance(from: text.startIndex, to: end) + 1)
            }
        }
        guard rest.trimmingBlanks.isEmpty else { return false }
        let passive: Set<String> = [
            "to", "be", "been", "is", "that", "and", "have", "has", "with", "deep", "a", "an",
        ]
        let verbs = words.filter { !passive.contains($0) }
        let isNegated = verbs.contains("not")
        let verb = verbs.filter { $0 != "not" }.joined(separator: ".")
        let isType = verb.isEmpty && (words.contains("a") || words.contains("an"))
        return chai(actual, isType ? "type" : verb, argument ?? "", isNegated)
    }

    private mutating func chai(
        _ actual: String,
        _ verb: String,
        _ argument: String,
        _ isNegated: Bool
    ) -> Bool {
        let arguments = Self.split(argument, at: ",").map(\.trimmingBlanks)
        let value =
            Self.literal(argument.trimmingBlanks) ?? arguments.first.flatMap { Self.literal($0) }
        if actual.hasSuffix(".length"), let subject = subject(String(actual.dropLast(7))),
            let value, !isNegated
        {
            let signs = [
                "equal": "is", "eql": "is", "equals": "is", "above": ">", "greaterThan": ">",
                "gt": ">",
                "least": ">=", "at.least": ">=", "gte": ">=", "below": "<", "lessThan": "<",
                "lt": "<",
                "most": "<=", "at.most": "<=", "lte": "<=",
            ]
            guard let sign = signs[verb] else { return false }
            return count(subject, sign, value)
        }
        guard let subject = subject(actual) else { return false }
        switch (verb, isNegated) {
        case ("equal", _), ("eql", _), ("equals", _), ("eq", _):
            guard arguments.count == 1 || Self.literal(argument.trimmingBlanks) != nil else {
                return false
            }
            if argument.trimmingBlanks == "undefined" {
                return expected.add(subject, "exists", .boolean(isNegated))
            }
            guard let value = Self.literal(argument.trimmingBlanks) else { return false }
            return expected.add(subject, isNegated ? "not" : "is", value)
        case ("status", false): return value.map { expected.add(.status, "is", $0) } ?? false
        case ("include", false), ("contain", false), ("includes", false), ("contains", false):
            return value.map { expected.add(subject, "contains", $0) } ?? false
        case ("property", false):
            guard let name = arguments.first.flatMap({ Self.literal($0) }) else { return false }
            guard arguments.count > 1 else { return property(of: subject, name, is: nil) }
            let rest = Self.literal(
                Self.split(argument, at: ",").dropFirst().joined(separator: ",").trimmingBlanks
            )
            return rest.map { property(of: subject, name, is: $0) } ?? false
        case ("type", false):
            guard let type = value?.variableText,
                ["string", "number", "boolean", "array", "object", "null"].contains(type)
            else { return false }
            return expected.add(subject, "type", .string(type))
        case ("true", false): return expected.add(subject, "is", .boolean(true))
        case ("false", false): return expected.add(subject, "is", .boolean(false))
        case ("null", _): return expected.add(subject, isNegated ? "not" : "is", .null)
        case ("undefined", _): return expected.add(subject, "exists", .boolean(isNegated))
        case ("exist", _), ("ok", false):
            return expected.add(subject, "exists", .boolean(!isNegated))
        case ("empty", true): return expected.add(subject, "count", .string("> 0"))
        case ("empty", false): return expected.add(subject, "count", .number("0"))
        case ("above", false), ("greaterThan", false), ("gt", false):
            return value.map { expected.add(subject, ">", $0) } ?? false
        case ("below", false), ("lessThan", false), ("lt", false):
            return value.map { expected.add(subject, "<", $0) } ?? false
        case ("at.least", false), ("least", false), ("gte", false):
            return value.map { expected.add(subject, ">=", $0) } ?? false
        case ("at.most", false), ("most", false), ("lte", false):
            return value.map { expected.add(subject, "<=", $0) } ?? false
        case ("oneOf", false):
            return Self.literal(argument.trimmingBlanks).map { expected.add(subject, "in", $0) }
                ?? false
        case ("match", false):
            guard let pattern = Self.pattern(argument.trimmingBlanks) else { return false }
            return expected.add(subject, "matches", .string(pattern))
        case ("length", false), ("lengthOf", false), ("length.of", false):
            return value.map { count(subject, "is", $0) } ?? false
        default: return false
        }
    }
}
