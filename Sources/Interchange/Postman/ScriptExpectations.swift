import Workspaces

/// Expectations that are made of a script's assertions.
struct ScriptExpectations {
    /// Comparisons by what is compared, such as `status` and `json`.
    private(set) var members: [Value.Member] = []

    /// Makes a change whole or not at all.
    mutating func atomically(_ change: (inout ScriptExpectations) -> Bool) -> Bool {
        var copy = self
        guard change(&copy) else { return false }
        self = copy
        return true
    }

    /// `left === right` and its like.
    mutating func expect(
        _ condition: ScriptExpression,
        _ values: [String: ScriptSubject],
        _ variables: PostmanVariables
    ) -> Bool {
        switch condition {
        case .both(let first, let second):
            return expect(first, values, variables) && expect(second, values, variables)
        case .comparison(let left, let sign, let right):
            let signs = [
                "===": "is", "==": "is", "!==": "not", "!=": "not", "<": "<", ">": ">", "<=": "<=",
                ">=": ">=",
            ]
            guard let subject = ScriptSubject(left, values), let operation = signs[sign] else {
                return false
            }
            if case .chain("undefined", let steps) = right, steps.isEmpty {
                return compare(subject, "exists", .boolean(operation == "not"))
            }
            guard let value = Self.value(right, values, variables) else { return false }
            return compare(subject, operation, value)
        case .chain("responseBody", let steps):
            guard steps.count == 2, case .member(let word) = steps[0],
                word == "has" || word == "includes",
                case .call(let arguments) = steps[1], arguments.count == 1,
                let value = Self.value(arguments[0], values, variables)
            else { return false }
            return compare(.text, "contains", value)
        case .chain(let name, let steps):
            guard ["responseHeaders", "postman"].contains(name), steps.count == 2,
                case .member(let word) = steps[0],
                ["hasOwnProperty", "getResponseHeader"].contains(word),
                case .call(let arguments) = steps[1], arguments.count == 1,
                case .literal(.string(let field)) = arguments[0]
            else { return false }
            return compare(.header(field), "exists", .boolean(true))
        default: return false
        }
    }

    /// `pm.expect(subject).to…` and `pm.response.to…`.
    mutating func assert(
        _ name: String,
        _ steps: [ScriptExpression.Step],
        _ values: [String: ScriptSubject],
        _ variables: PostmanVariables
    ) -> Bool {
        guard name == "pm", steps.count > 2, case .member(let first) = steps[0] else {
            return false
        }
        if first == "response", case .member("to") = steps[1] {
            return assertResponse(steps.dropFirst(2), values, variables)
        }
        guard first == "expect", case .call(let arguments) = steps[1],
            let argument = arguments.first
        else { return false }
        guard let subject = ScriptSubject(argument, values) else {
            // pm.expect(a === b).to.be.true
            guard steps.count > 3, case .member("true") = steps[steps.count - 1],
                !steps.contains(where: { if case .member("not") = $0 { true } else { false } })
            else { return false }
            return expect(argument, values, variables)
        }
        return assert(subject, steps.dropFirst(2), values, variables)
    }

    private static let links: Set<String> = [
        "to", "be", "been", "is", "that", "which", "and", "has", "have", "with", "at", "of", "same",
        "deep", "also", "still", "does", "all",
    ]

    private mutating func assert(
        _ subject: ScriptSubject,
        _ steps: ArraySlice<ScriptExpression.Step>,
        _ values: [String: ScriptSubject],
        _ variables: PostmanVariables
    ) -> Bool {
        var subject = subject
        var rest = steps
        var isNot = false
        var isDone = false
        while let step = rest.popFirst() {
            guard case .member(let word) = step else { return false }
            if word == "not" {
                isNot = true
                continue
            }
            var arguments: [ScriptExpression] = []
            if case .call(let found)? = rest.first {
                arguments = found
                rest.removeFirst()
            } else if Self.links.contains(word) {
                continue
            }
            if word == "property" {
                guard let next = property(subject, arguments, isNot, values, variables) else {
                    return false
                }
                subject = next
            } else {
                guard check(subject, word, arguments, isNot, values, variables) else {
                    return false
                }
            }
            isDone = true
        }
        return isDone
    }

    private mutating func property(
        _ subject: ScriptSubject,
        _ arguments: [ScriptExpression],
        _ isNot: Bool,
        _ values: [String: ScriptSubject],
        _ variables: PostmanVariables
    ) -> ScriptSubject? {
        guard case .json(let path) = subject, case .literal(.string(let name))? = arguments.first
        else { return nil }
        let next = ScriptSubject.json(path + [ScriptSubject.member(name)])
        if arguments.count > 1 {
            guard let value = Self.value(arguments[1], values, variables),
                compare(next, isNot ? "not" : "is", value)
            else { return nil }
        } else if !compare(next, "exists", .boolean(!isNot)) {
            return nil
        }
        return next
    }

    private mutating func check(
        _ subject: ScriptSubject,
        _ word: String,
        _ arguments: [ScriptExpression],
        _ isNot: Bool,
        _ values: [String: ScriptSubject],
        _ variables: PostmanVariables
    ) -> Bool {
        if arguments.isEmpty {
            switch word {
            case "true": return !isNot && compare(subject, "is", .boolean(true))
            case "false": return !isNot && compare(subject, "is", .boolean(false))
            case "null": return compare(subject, isNot ? "not" : "is", .null)
            case "undefined": return compare(subject, "exists", .boolean(isNot))
            case "exist": return compare(subject, "exists", .boolean(!isNot))
            case "empty":
                guard case .json(let path) = subject else { return false }
                return compare(.count(path), isNot ? ">" : "is", .number("0"))
            default: return false
            }
        }
        let operations = [
            "eql": "is", "eqls": "is", "equal": "is", "equals": "is", "eq": "is", "below": "<",
            "lt": "<", "lessThan": "<", "above": ">", "gt": ">", "greaterThan": ">", "least": ">=",
            "gte": ">=", "most": "<=", "lte": "<=", "oneOf": "in", "include": "contains",
            "includes": "contains", "contain": "contains", "contains": "contains",
        ]
        if let operation = operations[word] {
            guard arguments.count <= 2, let value = Self.value(arguments[0], values, variables)
            else {
                return false
            }
            if isNot, operation != "is" { return false }
            return compare(subject, isNot ? "not" : operation, value)
        }
        guard !isNot else { return false }
        switch word {
        case "a", "an":
            guard case .literal(.string(let type)) = arguments[0],
                ["string", "number", "boolean", "array", "object", "null"].contains(
                    type.lowercased()
                )
            else { return false }
            return compare(subject, "type", .string(type.lowercased()))
        case "lengthOf", "length":
            guard case .json(let path) = subject, case .literal(let value) = arguments[0] else {
                return false
            }
            return compare(.count(path), "is", value)
        case "match":
            guard case .pattern(let pattern) = arguments[0] else { return false }
            return compare(subject, "matches", .string(ImportNames.literal(pattern)))
        case "within":
            guard arguments.count == 2, let low = Self.value(arguments[0], values, variables),
                let high = Self.value(arguments[1], values, variables)
            else { return false }
            return compare(subject, ">=", low) && compare(subject, "<=", high)
        default: return false
        }
    }

    private static let classes = [
        "success": "2xx", "ok": "2xx", "redirection": "3xx", "clientError": "4xx",
        "serverError": "5xx", "info": "1xx",
    ]
    private static let codes = [
        "accepted": "202", "badRequest": "400", "unauthorized": "401", "unauthorised": "401",
        "forbidden": "403", "notFound": "404", "rateLimited": "429",
    ]
    private static let phrases = [
        "OK": "200", "Created": "201", "Accepted": "202", "No Content": "204",
        "Moved Permanently": "301", "Found": "302", "Not Modified": "304", "Bad Request": "400",
        "Unauthorized": "401", "Forbidden": "403", "Not Found": "404", "Method Not Allowed": "405",
        "Conflict": "409", "Unprocessable Entity": "422", "Too Many Requests": "429",
        "Internal Server Error": "500", "Service Unavailable": "503",
    ]

    private mutating func assertResponse(
        _ steps: ArraySlice<ScriptExpression.Step>,
        _ values: [String: ScriptSubject],
        _ variables: PostmanVariables
    ) -> Bool {
        var rest = steps
        var isNot = false
        while let step = rest.popFirst() {
            guard case .member(let word) = step else { return false }
            if word == "not" {
                isNot = true
                continue
            }
            if ["have", "be", "has", "and", "to"].contains(word) { continue }
            var arguments: [ScriptExpression] = []
            if case .call(let found)? = rest.first {
                arguments = found
                rest.removeFirst()
            }
            let given = arguments.compactMap { Self.value($0, values, variables) }
            guard rest.isEmpty, given.count == arguments.count else { return false }
            switch (word, given.count) {
            case ("status", 1): return !isNot && compareStatus(given[0])
            case ("header", 1), ("header", 2):
                guard case .string(let name) = given[0] else { return false }
                return given.count == 1
                    ? compare(.header(name), "exists", .boolean(!isNot))
                    : compare(.header(name), isNot ? "not" : "is", given[1])
            case ("body", 1):
                if case .pattern? = arguments.first { return false }
                return !isNot && compare(.text, "is", given[0])
            case ("json", 0), ("jsonBody", 0):
                guard !isNot else { return false }
                return compare(.header("Content-Type"), "matches", .string("json"))
            case (_, 0):
                guard !isNot else { return false }
                if let status = Self.classes[word] { return set("status", .string(status)) }
                if let status = Self.codes[word] { return set("status", .number(status)) }
                return false
            default: return false
            }
        }
        return false
    }

    private mutating func compareStatus(_ value: Value) -> Bool {
        switch value {
        case .number: compare(.status, "is", value)
        case .string: compare(.statusText, "is", value)
        default: false
        }
    }

    private static func value(
        _ expression: ScriptExpression,
        _ values: [String: ScriptSubject],
        _ variables: PostmanVariables
    ) -> Value? {
        switch ScriptSubject(expression, values) {
        case .literal(let value)?: escaped(value)
        case .variable(let name)?: .string(variables.names.reference(to: name))
        default: nil
        }
    }

    private static func escaped(_ value: Value) -> Value {
        switch value {
        case .string(let text): .string(ImportNames.literal(text))
        case .array(let elements): .array(elements.map(escaped))
        case .object(let members): .object(members.map { Value.Member($0.name, escaped($0.value)) })
        default: value
        }
    }

    // MARK: - Members

    private mutating func set(_ key: String, _ value: Value) -> Bool {
        guard members[key] == nil || members[key] == value else { return false }
        members[key] = value
        return true
    }

    private mutating func compare(_ subject: ScriptSubject, _ operation: String, _ value: Value)
        -> Bool
    {
        switch subject {
        case .json(let path): return add("json", "$" + path.joined(), operation, value)
        case .count(let path):
            guard case .number(let number) = value else { return false }
            let signs = ["<", ">", "<=", ">="]
            guard operation == "is" || signs.contains(operation) else { return false }
            return add(
                "json",
                "$" + path.joined(),
                "count",
                operation == "is" ? value : .string("\(operation) \(number)")
            )
        case .header(let name):
            return ImportedBody.isFieldName(name) && add("fields", name, operation, value)
        case .text: return add("text", nil, operation, value)
        case .status: return compareStatus(operation, value)
        case .statusText:
            guard operation == "is", case .string(let phrase) = value,
                let code = Self.phrases[phrase]
            else { return false }
            return set("status", .number(code))
        case .time: return limit("time", "ms", operation, value)
        case .size: return limit("size", "B", operation, value)
        case .headers, .variable, .literal: return false
        }
    }

    private mutating func compareStatus(_ operation: String, _ value: Value) -> Bool {
        func isStatus(_ value: Value) -> Bool {
            if case .number(let text) = value, let code = Int(text) {
                (100...999).contains(code)
            } else {
                false
            }
        }
        switch (operation, value) {
        case ("is", _) where isStatus(value): return set("status", value)
        case ("in", .array(let codes)) where !codes.isEmpty && codes.allSatisfy(isStatus):
            return set("status", value)
        default: return false
        }
    }

    private mutating func limit(
        _ key: String,
        _ unit: String,
        _ operation: String,
        _ value: Value
    ) -> Bool {
        guard case .number(let number) = value, Int(number) != nil,
            ["<", ">", "<=", ">="].contains(operation)
        else { return false }
        return set(key, .string("\(operation) \(number) \(unit)"))
    }

    private mutating func add(
        _ key: String,
        _ name: String?,
        _ operation: String,
        _ value: Value
    ) -> Bool {
        var all: [Value.Member] = []
        if case .object(let present)? = members[key] { all = present }
        var comparisons = all
        if let name {
            comparisons = []
            if case .object(let present)? = all[name] { comparisons = present }
        }
        guard comparisons[operation] == nil || comparisons[operation] == value else { return false }
        comparisons[operation] = value
        if let name {
            all[name] = .object(comparisons)
            members[key] = .object(all)
        } else {
            members[key] = .object(comparisons)
        }
        return true
    }
}
