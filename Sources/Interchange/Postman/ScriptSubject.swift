import Workspaces

/// What a script compares or keeps: a part of a response, a variable, or a value that is written there.
enum ScriptSubject {
    case json([String])
    case count([String])
    case status, statusText, time, size, text
    case headers
    case header(String)
    case variable(String)
    case literal(Value)

    /// What an expression means; nil for what is not known.
    init?(_ expression: ScriptExpression, _ values: [String: ScriptSubject]) {
        switch expression {
        case .literal(let value): self = .literal(value)
        case .chain(let name, let steps): self.init(name, steps, values)
        default: return nil
        }
    }

    private init?(
        _ name: String,
        _ steps: [ScriptExpression.Step],
        _ values: [String: ScriptSubject]
    ) {
        if let value = values[name] {
            self = value
            guard follow(steps[...], values) else { return nil }
            return
        }
        let words = steps.prefix { if case .member = $0 { true } else { false } }.compactMap {
            step in
            if case .member(let word) = step { word } else { nil }
        }
        let path = ([name] + words).joined(separator: ".")
        let rest = steps.dropFirst(words.count)
        let arguments: [ScriptExpression]? =
            if case .call(let arguments)? = rest.first { arguments } else { nil }
        func argument() -> String? {
            if arguments?.count == 1, case .literal(.string(let text))? = arguments?.first {
                text
            } else {
                nil
            }
        }
        var used = 1
        switch (path, arguments?.count) {
        case ("pm.response.json", 0): self = .json([])
        case ("pm.response.text", 0): self = .text
        case ("pm.response.size", 0): self = .size
        case ("JSON.parse", 1):
            guard let inner = arguments?.first, case .text? = ScriptSubject(inner, values) else {
                return nil
            }
            self = .json([])
        case ("pm.response.headers.get", 1), ("postman.getResponseHeader", 1):
            guard let name = argument() else { return nil }
            self = .header(name)
        case ("pm.environment.get", 1), ("pm.globals.get", 1), ("pm.collectionVariables.get", 1),
            ("pm.variables.get", 1), ("postman.getEnvironmentVariable", 1),
            ("postman.getGlobalVariable", 1):
            guard let name = argument() else { return nil }
            self = .variable(name)
        case (_, nil):
            used = 0
            switch path {
            case "pm.response.code", "responseCode.code": self = .status
            case "pm.response.status", "responseCode.name": self = .statusText
            case "pm.response.responseTime", "responseTime": self = .time
            case "pm.response.responseSize": self = .size
            case "responseBody": self = .text
            case "responseHeaders", "pm.response.headers": self = .headers
            case "responseCode", "pm.response": return nil
            default:
                guard words.count == 1 else { return nil }
                switch name {
                case "responseHeaders": self = .header(words[0])
                case "environment", "globals": self = .variable(words[0])
                default: return nil
                }
            }
        default: return nil
        }
        guard follow(rest.dropFirst(used), values) else { return nil }
    }

    /// Goes into a value by members and indexes; false for what is not understood.
    private mutating func follow(
        _ steps: ArraySlice<ScriptExpression.Step>,
        _ values: [String: ScriptSubject]
    ) -> Bool {
        for step in steps {
            let name: String
            var isIndex = false
            switch step {
            case .member(let member): name = member
            case .index(.literal(.string(let text))): name = text
            case .index(.literal(.number(let text))) where text.allSatisfy(\.isNumber):
                name = text
                isIndex = true
            default: return false
            }
            switch self {
            case .json(let path):
                if case .member("length") = step {
                    self = .count(path)
                } else {
                    self = .json(path + [isIndex ? "[\(name)]" : Self.member(name)])
                }
            case .headers: self = .header(name)
            default: return false
            }
        }
        return true
    }

    /// A member's name as a step of a JSONPath (RFC 9535).
    static func member(_ name: String) -> String {
        let isPlain =
            !name.isEmpty && name.first?.isNumber == false
            && name.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || $0 == "_" || $0.properties.numericType != nil
            }
        if isPlain { return ".\(name)" }
        let escaped = name.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
            .replacing("\n", with: "\\n").replacing("\r", with: "\\r").replacing("\t", with: "\\t")
        return "['\(escaped)']"
    }

    /// Where the value is, as `capture` says it.
    var capturePath: String? {
        switch self {
        case .json(let path): "$" + path.joined()
        case .header(let name): ImportedBody.isFieldName(name) ? "header:\(name)" : nil
        case .status: "status"
        default: nil
        }
    }
}
