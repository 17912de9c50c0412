import Documents
import Workspaces

/// An assertion or a capture of a hurl file: a query, filters, and a predicate.
enum HurlAssertion {
    private enum Token: Equatable {
        case word(String)
        case text(String)
        case pattern(String)

        var content: String {
            switch self {
            case .word(let text), .text(let text), .pattern(let text): text
            }
        }
    }

    /// Adds what a line expects; false if a workspace cannot expect it.
    static func add(
        _ line: String,
        to expected: inout ExpectedResponse,
        _ translation: TextTranslation
    ) -> Bool {
        var tokens = tokens(line)[...]
        guard let query = query(&tokens) else { return false }
        var isNegated = false
        if tokens.first == .word("not") {
            isNegated = true
            tokens.removeFirst()
        }
        guard case .word(let predicate)? = tokens.popFirst() else { return false }
        let operand = operand(&tokens, translation)
        guard tokens.isEmpty else { return false }
        // A file, bytes and dates are no values here.
        if operand == nil, !Self.needsNone(predicate) { return false }
        switch query {
        case .count(let subject): return count(subject, predicate, operand, isNegated, &expected)
        case .redirects:
            guard !isNegated, let operand, let sign = signs[predicate], sign != "not",
                Int(operand.variableText) != nil
            else { return false }
            return expected.set(
                "redirects",
                sign == "is" ? operand : .string("\(sign) \(operand.variableText)")
            )
        case .size:
            guard !isNegated, let operand, let sign = signs[predicate],
                sign.contains("<") || sign.contains(">"),
                Int(operand.variableText) != nil
            else { return false }
            return expected.set("size", .string("\(sign) \(operand.variableText) B"))
        case .certificate:
            guard !isNegated, let operand, [">", ">="].contains(signs[predicate] ?? ""),
                let days = Int(operand.variableText),
                0...100_000 ~= days
            else { return false }
            return expected.set("certificateDays", .number("\(days)"))
        case .cookie(let name):
            guard !isNegated else { return false }
            switch predicate {
            case "exists":
                return expected.add(.field("Set-Cookie"), "contains", .string("\(name)="))
            case "==", "equals":
                return operand.map {
                    expected.add(
                        .field("Set-Cookie"),
                        "contains",
                        .string("\(name)=\($0.variableText)")
                    )
                } ?? false
            default: return false
            }
        case .subject(let subject): return add(subject, predicate, operand, isNegated, &expected)
        }
    }

    /// Whether a predicate has no value after it.
    private static func needsNone(_ predicate: String) -> Bool {
        predicate == "exists" || predicate.hasPrefix("is")
    }

    /// Where a workspace captures the value of a query; nil if it cannot.
    static func capture(_ line: String) -> String? {
        var tokens = tokens(line.trimmingBlanks)[...]
        guard case .subject(let subject)? = query(&tokens) else { return nil }
        // A captured credential is masked anyway.
        if tokens.first == .word("redact") { tokens.removeFirst() }
        return tokens.isEmpty ? subject.capture : nil
    }

    private enum Query {
        case subject(ResponseSubject)
        case count(ResponseSubject)
        case redirects, size, certificate
        case cookie(String)
    }

    private static func query(_ tokens: inout ArraySlice<Token>) -> Query? {
        guard case .word(let name)? = tokens.popFirst() else { return nil }
        var subject: ResponseSubject
        switch name {
        case "status": return .subject(.status)
        case "duration": return .subject(.time)
        case "body": subject = .text
        case "header":
            guard let field = tokens.popFirst() else { return nil }
            subject = .field(field.content)
        case "jsonpath":
            guard let path = tokens.popFirst() else { return nil }
            subject = .json(path.content)
        case "cookie":
            guard let cookie = tokens.popFirst(), !cookie.content.contains("[") else { return nil }
            return .cookie(cookie.content)
        case "redirects" where tokens.first == .word("count"):
            tokens.removeFirst()
            return .redirects
        case "bytes" where tokens.first == .word("count"):
            tokens.removeFirst()
            return .size
        case "certificate":
            guard tokens.popFirst()?.content == "Expire-Date",
                tokens.popFirst() == .word("daysAfterNow")
            else { return nil }
            return .certificate
        default: return nil
        }
        while case .word(let filter)? = tokens.first {
            switch filter {
            case "count":
                tokens.removeFirst()
                return .count(subject)
            case "first", "last", "nth":
                guard case .json(let path) = subject else { return nil }
                tokens.removeFirst()
                var index = filter == "first" ? "0" : "-1"
                if filter == "nth" { index = tokens.popFirst()?.content ?? "" }
                guard Int(index) != nil, !path.contains("*"), !path.contains(".."),
                    !path.contains("?")
                else { return nil }
                subject = .json("\(path)[\(index)]")
            case "jsonpath":
                tokens.removeFirst()
                guard let inner = tokens.popFirst()?.content, inner.hasPrefix("$") else {
                    return nil
                }
                switch subject {
                case .text: subject = .json(inner)
                case .json(let path): subject = .json(path + inner.dropFirst())
                default: return nil
                }
            default: return .subject(subject)
            }
        }
        return .subject(subject)
    }

    private static let signs = [
        "==": "is", "equals": "is", "!=": "not", "notEquals": "not", ">": ">", "greaterThan": ">",
        ">=": ">=",
        "greaterThanOrEquals": ">=", "<": "<", "lessThan": "<", "<=": "<=",
        "lessThanOrEquals": "<=",
        "contains": "contains", "includes": "contains", "matches": "matches",
    ]

    private static let types = [
        "isInteger": "integer", "isNumber": "number", "isFloat": "number", "isBoolean": "boolean",
        "isString": "string", "isList": "array", "isObject": "object",
    ]

    private static let shapes = [
        "isIsoDate": "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d",
        "isDate": "^\\d{4}-\\d\\d-\\d\\d",
        "isUuid": "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
        "isIpv4": "^\\d{1,3}(\\.\\d{1,3}){3}$", "isIpv6": "^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$",
    ]

    private static func add(
        _ subject: ResponseSubject,
        _ predicate: String,
        _ operand: Value?,
        _ isNegated: Bool,
        _ expected: inout ExpectedResponse
    ) -> Bool {
        switch predicate {
        case "exists": return expected.add(subject, "exists", .boolean(!isNegated))
        case "isEmpty":
            return expected.add(subject, "count", isNegated ? .string("> 0") : .number("0"))
        case "countEquals":
            return operand.map { count(subject, "==", $0, isNegated, &expected) } ?? false
        default: break
        }
        if let type = types[predicate] {
            return !isNegated && expected.add(subject, "type", .string(type))
        }
        if let shape = shapes[predicate] {
            return !isNegated && expected.add(subject, "matches", .string(shape))
        }
        guard let operand else { return false }
        switch (predicate, isNegated) {
        case ("startsWith", false):
            return expected.add(
                subject,
                "matches",
                .string("^" + HandlerScript.escaped(operand.variableText))
            )
        case ("endsWith", false):
            return expected.add(
                subject,
                "matches",
                .string(HandlerScript.escaped(operand.variableText) + "$")
            )
        case ("==", true), ("equals", true): return expected.add(subject, "not", operand)
        case ("contains", true):
            // Of a text only: a list is compared element by element.
            guard subject == .text else { return false }
            let pattern = "\\A(?![\\s\\S]*" + HandlerScript.escaped(operand.variableText) + ")"
            return expected.add(subject, "matches", .string(pattern))
        case (_, false): return signs[predicate].map { expected.add(subject, $0, operand) } ?? false
        default: return false
        }
    }

    private static func count(
        _ subject: ResponseSubject,
        _ predicate: String,
        _ operand: Value?,
        _ isNegated: Bool,
        _ expected: inout ExpectedResponse
    ) -> Bool {
        guard !isNegated, let sign = signs[predicate], let operand,
            Int(operand.variableText) != nil,
            ["is", "<", "<=", ">", ">="].contains(sign)
        else { return false }
        return expected.add(
            subject,
            "count",
            sign == "is" ? operand : .string("\(sign) \(operand.variableText)")
        )
    }

    private static func operand(_ tokens: inout ArraySlice<Token>, _ translation: TextTranslation)
        -> Value?
    {
        guard let token = tokens.popFirst() else { return nil }
        switch token {
        case .text(let text): return .string(translation.text(text))
        case .pattern(let text): return .string(ImportNames.literal(text))
        case .word("file,"): return nil
        case .word(let word):
            if word.hasPrefix("{{") { return .string(translation.text(word)) }
            return HandlerScript.literal(word)
        }
    }

    /// The tokens of a line: words, texts in quotes, patterns between slashes.
    private static func tokens(_ line: String) -> [Token] {
        var tokens: [Token] = []
        var rest = line[...]
        while let first = rest.first {
            if first.isWhitespace {
                rest = rest.dropFirst()
            } else if rest.hasPrefix("```") {
                rest = rest.dropFirst(3)
                let end = rest.firstRange(of: "```")
                var text = String(rest[..<(end?.lowerBound ?? rest.endIndex)])
                if let newline = text.firstIndex(of: "\n") {
                    text = String(text[newline...].dropFirst())
                }
                tokens.append(.text(text))
                rest = end.map { rest[$0.upperBound...] } ?? ""
            } else if first == "\"" || first == "`" || first == "/" {
                var text = ""
                rest = rest.dropFirst()
                while let next = rest.popFirst(), next != first {
                    text.append(next)
                    if next == "\\", let escaped = rest.popFirst() {
                        if first == "/", escaped == "/" { text.removeLast() }
                        text.append(escaped)
                    }
                }
                switch first {
                case "/": tokens.append(.pattern(text))
                case "`": tokens.append(.text(text))
                default: tokens.append(.text(HurlReader.unescaped(text)))
                }
            } else {
                var word = ""
                var depth = 0
                while let next = rest.first, depth > 0 || !next.isWhitespace {
                    if next == "{" { depth += 1 }
                    if next == "}" { depth -= 1 }
                    word.append(next)
                    rest = rest.dropFirst()
                }
                tokens.append(.word(word))
            }
        }
        return tokens
    }
}
