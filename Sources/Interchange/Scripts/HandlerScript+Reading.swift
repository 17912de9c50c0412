import Documents
import Workspaces

// MARK: - What of the response

extension HandlerScript {
    private static let bodies = [
        "response.body.json()", "response.parsedBody", "response.body", "res.getBody()", "res.body",
        "res.data", "response.data", "response.json()", "pm.response.json()",
    ]

    static func isBody(_ text: String) -> Bool {
        bodies.contains(text)
            || ["response", "res", "response.headers", "res.headers", "res.getHeaders()"].contains(
                text
            )
    }

    /// What an expression such as `response.body.user.id` is; nil for anything else.
    func subject(_ expression: String) -> ResponseSubject? {
        var text = expression.trimmingBlanks.replacing("?.", with: ".")
        for _ in 0..<8 {
            if let inner = Self.call("JSON.parse", text)?.first { text = inner.trimmingBlanks }
            let name = String(text.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" })
            guard !name.isEmpty, let value = aliases[name] else { break }
            let rest = text.dropFirst(name.count)
            guard rest.isEmpty || rest.first == "." || rest.first == "[" else { return nil }
            text = value + rest
        }
        if let arguments = Self.call("jsonPath", text), arguments.count == 2,
            let path = Self.literal(arguments[1])
        {
            return .json(path.variableText)
        }
        switch text {
        case "response.status", "response.statusCode", "res.status", "res.getStatus()",
            "res.statusCode":
            return .status
        case "res.responseTime", "res.getResponseTime()", "response.timings.total": return .time
        case "response.contentType.mimeType", "response.contentType": return .field("Content-Type")
        case "response.headers", "res.headers", "res.getHeaders()": return .field("")
        default: break
        }
        for method in [
            "response.headers.valueOf", "res.getHeader", "response.headers.get", "response.header",
        ] {
            if let name = Self.call(method, text)?.first.flatMap({ Self.literal($0) }) {
                return .field(name.variableText)
            }
        }
        for fields in ["response.headers", "res.headers", "res.getHeaders()"]
        where text.hasPrefix(fields) {
            let rest = text.dropFirst(fields.count)
            if rest.hasPrefix("["), rest.hasSuffix("]") {
                return Self.literal(String(rest.dropFirst().dropLast())).map {
                    .field($0.variableText)
                }
            }
            if rest.hasPrefix("."), Self.isName(String(rest.dropFirst())) {
                return .field(String(rest.dropFirst()))
            }
        }
        if let name = Self.call("res", text)?.first.flatMap({ Self.literal($0) }) {
            return .json("$." + name.variableText)
        }
        for body in Self.bodies where text.hasPrefix(body) {
            let rest = String(text.dropFirst(body.count))
            guard rest.isEmpty || rest.hasPrefix(".") || rest.hasPrefix("[") else { continue }
            return Self.path(rest).map { .json("$" + $0) }
        }
        return nil
    }

    /// The steps `.a[0]["b"]` as a JSONPath has them.
    static func path(_ text: String) -> String? {
        var path = ""
        var rest = text[...]
        while let first = rest.popFirst() {
            if first == "." {
                let name = rest.prefix {
                    $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" || $0 == "-"
                }
                guard !name.isEmpty, name != "length" else { return nil }
                path += isName(String(name)) && !name.contains("$") ? ".\(name)" : "['\(name)']"
                rest = rest[name.endIndex...]
                if rest.first == "(" { return nil }
            } else {
                guard first == "[", let close = rest.firstIndex(of: "]"),
                    let value = literal(String(rest[..<close]))
                else { return nil }
                switch value {
                case .number(let index) where Int(index) != nil: path += "[\(index)]"
                case .string(let name) where !name.contains("'") && !name.contains("\\"):
                    path += "['\(name)']"
                default: return nil
                }
                rest = rest[close...].dropFirst()
            }
        }
        return path
    }
}

// MARK: - Reading the script

extension HandlerScript {
    /// The statements of a script, without comments.
    static func statements(_ script: String) -> [String] {
        var statements: [String] = []
        var current = String.UnicodeScalarView()
        var depth = 0
        var quote: Unicode.Scalar?
        let scalars = Array(script.unicodeScalars)
        var index = 0
        func end() {
            statements.append(String(current).trimmingBlanks)
            current = String.UnicodeScalarView()
        }
        while index < scalars.count {
            let scalar = scalars[index]
            let next: Unicode.Scalar = index + 1 < scalars.count ? scalars[index + 1] : " "
            index += 1
            if let open = quote {
                current.append(scalar)
                if scalar == "\\" {
                    current.append(next)
                    index += 1
                } else if scalar == open {
                    quote = nil
                }
                continue
            }
            switch scalar {
            case "'", "\"", "`":
                quote = scalar
                current.append(scalar)
            case "/" where next == "/" && current.last != ":":
                while index < scalars.count, scalars[index] != "\n" { index += 1 }
            case "/" where next == "*":
                index += 1
                while index < scalars.count, !(scalars[index] == "/" && scalars[index - 1] == "*") {
                    index += 1
                }
                index += 1
            case "(", "[", "{":
                depth += 1
                current.append(scalar)
            case ")", "]", "}":
                depth -= 1
                current.append(scalar)
            case ";" where depth <= 0: end()
            case "\n" where depth <= 0:
                // A line that begins with a dot goes on with the last one.
                let rest = scalars[index...].first { !$0.properties.isWhitespace }
                let last = current.last { !$0.properties.isWhitespace }
                let goesOn =
                    rest == "." || rest == "&" || rest == "|"
                    || last.map { "=&|+,".unicodeScalars.contains($0) } == true
                if goesOn { current.append(" ") } else { end() }
            default: current.append(scalar)
            }
        }
        end()
        return statements.filter { !$0.isEmpty }
    }

    /// The statements in `test("name", function () { … })`; nil for anything else.
    static func testBody(_ statement: String) -> String? {
        guard ["client.test(", "test(", "it("].contains(where: { statement.hasPrefix($0) }),
            statement.hasSuffix(")")
        else { return nil }
        // The first brace outside of the name in quotes.
        var quote: Character?
        var open: String.Index?
        for index in statement.indices {
            let character = statement[index]
            if let sign = quote {
                if character == sign { quote = nil }
            } else if "'\"`".contains(character) {
                quote = character
            } else if character == "{" {
                open = index
                break
            }
        }
        guard let open, let close = statement.lastIndex(of: "}"), open < close else { return nil }
        let head = statement[..<open]
        guard head.contains("=>") || head.contains("function") else { return nil }
        return String(statement[open..<close].dropFirst())
    }

    /// The arguments of a call that is the whole of a text.
    static func call(_ name: String, _ text: String) -> [String]? {
        guard text.hasPrefix("\(name)("), let close = closing(text),
            text.index(after: close) == text.endIndex
        else { return nil }
        return split(String(text[..<close].dropFirst(name.count + 1)), at: ",").map(
            \.trimmingBlanks
        )
    }

    /// The place of the bracket that closes the first one.
    static func closing(_ text: String) -> String.Index? {
        var depth = 0
        var quote: Character?
        var isEscaped = false
        for index in text.indices {
            let character = text[index]
            if isEscaped {
                isEscaped = false
                continue
            }
            if let open = quote {
                if character == "\\" { isEscaped = true } else if character == open { quote = nil }
                continue
            }
            switch character {
            case "'", "\"", "`": quote = character
            case "(", "[", "{": depth += 1
            case ")", "]", "}":
                depth -= 1
                if depth == 0 { return index }
            default: break
            }
        }
        return nil
    }

    /// Splits at a sign that stands outside of brackets and quotes.
    static func split(_ text: String, at sign: String) -> [String] {
        guard text.contains(sign) else { return [text] }
        var parts: [String] = []
        var current = ""
        var depth = 0
        var quote: Character?
        var index = text.startIndex
        while index < text.endIndex {
            let character = text[index]
            if let open = quote {
                if character == open { quote = nil }
            } else if "'\"`".contains(character) {
                quote = character
            } else if "([{".contains(character) {
                depth += 1
            } else if ")]}".contains(character) {
                depth -= 1
            } else if depth == 0, text[index...].hasPrefix(sign) {
                let isArrow = sign == ">" && current.hasSuffix("=")
                if !isArrow {
                    parts.append(current)
                    current = ""
                    index = text.index(index, offsetBy: sign.count)
                    continue
                }
            }
            current.append(character)
            index = text.index(after: index)
        }
        return parts + [current]
    }

    /// A literal of JavaScript: text, number, true, false, null, a list or an object of these; nil for anything else.
    static func literal(_ text: String) -> Value? {
        let text = text.trimmingBlanks
        switch text {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "null": return .null
        default: break
        }
        if let first = text.first, let last = text.last, text.count > 1, first == last,
            "'\"`".contains(first)
        {
            let inner = text.dropFirst().dropLast()
            guard !inner.contains(first), !(first == "`" && inner.contains("${")) else {
                guard first == "\"", let json = try? JSON(parsing: text), let string = json.string
                else { return nil }
                return .string(ImportNames.literal(string))
            }
            if inner.contains("\\") {
                let quoted =
                    "\"" + inner.replacing("\\'", with: "'").replacing("\"", with: "\\\"") + "\""
                let source = first == "\"" ? text : quoted
                guard let string = (try? JSON(parsing: source))?.string else { return nil }
                return .string(ImportNames.literal(string))
            }
            return .string(ImportNames.literal(String(inner)))
        }
        guard let first = text.first, first.isNumber || first == "-" || first == "[" || first == "{"
        else { return nil }
        guard let json = try? JSON(parsing: text) else {
            guard first == "[" || first == "{" else { return nil }
            return (try? JSON(parsing: text.replacing("'", with: "\""))).flatMap {
                Value($0) { ImportNames.literal($0) }
            }
        }
        return Value(json) { ImportNames.literal($0) }
    }

    /// A regular expression between slashes, or a text as one.
    static func pattern(_ text: String) -> String? {
        if text.hasPrefix("/"), let end = text.lastIndex(of: "/"), end > text.startIndex {
            let flags = text[end...].dropFirst()
            guard flags.allSatisfy({ "gimsu".contains($0) }) else { return nil }
            let kept = flags.filter { "ims".contains($0) }
            let body = text[..<end].dropFirst().replacing("\\/", with: "/")
            return (kept.isEmpty ? "" : "(?\(kept))") + body
        }
        guard case .string(let text)? = literal(text) else { return nil }
        return text
    }

    /// A text as a regular expression that stands for it.
    static func escaped(_ text: String) -> String {
        String(text.flatMap { ".\\+*?[^]$(){}=!<>|:-#/".contains($0) ? ["\\", $0] : [$0] })
    }

    static func isName(_ text: String) -> Bool {
        guard let first = text.first, first.isLetter || first == "_" || first == "$" else {
            return false
        }
        return text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
    }
}
