import Documents
import FoundationEssentials
import Secrets
import Workspaces

/// Changes Insomnia's templates to Postman's: `{{ _.name }}` to `{{name}}`, `{% uuid 'v4' %}` to `{{$guid}}`.
final class InsomniaTexts {
    /// A part of the response of another request.
    struct Response {
        /// The variable that has it.
        let name: String
        let request: String
        let path: String
        let text: String
        /// How long the value is used; nil for as long as it is accepted.
        let expires: String?
    }

    private(set) var responses: [Response] = []
    /// What is asked for, with more than its name: variables as a workspace has them, by their names in the file.
    private(set) var questions: [(name: String, value: Value)] = []
    /// The request whose texts are read.
    var request = JSON.null
    private let variables: PostmanVariables
    private var losses: [ImportLoss] = []
    private var names: [String: String] = [:]

    init(_ variables: PostmanVariables) { self.variables = variables }

    /// What has no place and was met since the last call.
    func takeLosses() -> [ImportLoss] {
        defer { losses = [] }
        return losses
    }

    func lose(_ kind: String, _ reason: String, _ text: String) {
        losses.append(ImportLoss(kind, reason, text: text))
    }

    /// A text that is sent as it stands, whatever templates it seems to have.
    func literal(_ text: String) -> String {
        guard text.contains("{{") else { return text }
        return "{{\(variables.name { _, _ in ImportNames.literal(text) })}}"
    }

    /// The text with other templates.
    func text(_ text: String) -> String {
        guard text.contains("{{") || text.contains("{%") || text.contains("{#") else {
            return text
        }
        var result = ""
        var rest = text[...]
        // Searched for no more once there is none: a text may have many beginnings.
        var closes = ["}}": true, "%}": true, "#}": true]
        func end(_ close: String) -> Substring.Index? {
            guard closes[close] == true else { return nil }
            let end = rest.firstRange(of: close)?.upperBound
            if end == nil { closes[close] = false }
            return end
        }
        while let open = rest.firstIndex(of: "{") {
            result += rest[..<open]
            rest = rest[open...]
            if rest.hasPrefix("{{"), let end = end("}}") {
                result += variable(rest[..<end])
                rest = rest[end...]
            } else if rest.hasPrefix("{%"), let end = end("%}") {
                result += tag(rest[..<end])
                rest = rest[end...]
            } else if rest.hasPrefix("{#"), let end = end("#}") {
                lose("a comment in a template", "it is not sent", String(rest[..<end]))
                rest = rest[end...]
            } else {
                result.append("{")
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }

    // MARK: - Variables

    private func variable(_ text: Substring) -> String {
        let inner = String(text.dropFirst(2).dropLast(2)).trimmingBlanks
        let parts = inner.split(separator: "|").map(\.trimmingBlanks)
        guard let name = Self.variableName(parts.first ?? "") else {
            if !inner.isEmpty {
                lose("a template", "it is no variable, and is sent as it stands", String(text))
            }
            return String(text)
        }
        if name.hasPrefix("vault.") {
            let value: Value = .object([
                Value.Member("ask", .string(name)), Value.Member("secret", .boolean(true)),
            ])
            ask(name, value)
        }
        guard parts.count > 1 else { return "{{\(name)}}" }
        var functions: [String] = []
        for filter in parts.dropFirst() {
            guard let function = Self.function(of: filter) else {
                lose("a template", "its filter is no function", String(text))
                continue
            }
            if !function.isEmpty { functions.append(function) }
        }
        guard !functions.isEmpty else { return "{{\(name)}}" }
        let rest = functions.joined(separator: " | ")
        return expression { variables, names in
            "{{ \(names.use(variables.meaning(of: name))) | \(rest) }}"
        }
    }

    /// The function that is a filter; empty for one that changes nothing, nil for an unknown one.
    private static func function(of filter: String) -> String? {
        let plain = [
            "upper": "upper", "lower": "lower", "urlencode": "url", "dump": "json",
            "tojson": "json", "safe": "", "string": "", "escape": "", "e": "",
        ]
        if let function = plain[filter] { return function }
        guard filter.hasPrefix("default("), filter.hasSuffix(")") else { return nil }
        let given = words(String(filter.dropFirst(8).dropLast()))
        guard let text = given.first, text.isText, !text.text.contains("'"),
            !text.text.contains("\\")
        else { return nil }
        return "default('\(text.text)')"
    }

    /// The name in `_.name`, `_['name']` or `name`; nil if it is another expression.
    private static func variableName(_ text: String) -> String? {
        var name = text
        if name.hasPrefix("_.") {
            name.removeFirst(2)
        } else if name.hasPrefix("_[") {
            name.removeFirst()
        }
        for quote in ["'", "\""] {
            name = name.replacing("[\(quote)", with: ".").replacing("\(quote)]", with: "")
        }
        if name.hasPrefix(".") { name.removeFirst() }
        let isName =
            !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || "_-.[]$".contains($0) }
        return isName ? name : nil
    }

    private func expression(_ make: @escaping PostmanVariables.Expression) -> String {
        // What names mean is of the folder that is read now.
        let aliases = variables.aliases
        let name = variables.name { variables, names in
            let kept = variables.aliases
            variables.aliases = aliases
            defer { variables.aliases = kept }
            return make(variables, &names)
        }
        return "{{\(name)}}"
    }

    private func ask(_ name: String, _ value: Value) {
        if !questions.contains(where: { $0.name == name }) { questions.append((name, value)) }
    }

    // MARK: - Tags

    private func tag(_ text: Substring) -> String {
        let words = Self.words(String(text.dropFirst(2).dropLast(2)))
        let arguments = Array(words.dropFirst())
        func argument(_ index: Int) -> String {
            arguments.indices.contains(index) ? arguments[index].text : ""
        }
        let made: String? =
            switch words.first?.text {
            case "uuid": "{{$guid}}"
            case "timestamp", "now":
                moment(argument(0), argument(1), isNow: words.first?.text == "now")
            case "prompt": prompt(arguments)
            case "response": response(arguments.map(\.text), String(text)).map { "{{\($0)}}" }
            case "base64": base64(arguments)
            case "hash": hash(arguments)
            case "file": file(argument(0))
            case "faker":
                DynamicValues.template("$" + argument(0)) ?? DynamicValues.fixed("$" + argument(0))
                    == nil ? nil : "{{$\(argument(0))}}"
            case "request": ownPart(argument(0), argument(1))
            default: nil
            }
        if let made { return made }
        let tag = words.first?.text ?? "tag"
        lose("a template", "no function does this, so the value is asked for", String(text))
        return "{{\(name(tag.filter { $0.isLetter || $0.isNumber || $0 == "_" }, String(text)))}}"
    }

    private func moment(_ format: String, _ pattern: String, isNow: Bool) -> String? {
        switch format.lowercased() {
        case "iso-8601": return "{{$isoTimestamp}}"
        case "": return isNow ? "{{$isoTimestamp}}" : "{{$timestamp}}"
        case "unix", "seconds", "s": return "{{$timestamp}}"
        case "millis", "ms": return "{{$timestampMilliseconds}}"
        case "custom":
            guard let format = Self.strftime(pattern) else { return nil }
            return expression { _, _ in "{{ now('+0 s', '\(format)') }}" }
        default: return nil
        }
    }

    /// A pattern of date-fns as one of strftime; nil if it has parts that that does not know.
    private static func strftime(_ pattern: String) -> String? {
        let parts = [
            "yyyy": "%Y", "YYYY": "%Y", "yy": "%y", "YY": "%y", "MMMM": "%B", "MMM": "%b",
            "MM": "%m", "dd": "%d", "DD": "%d", "HH": "%H", "hh": "%I", "mm": "%M", "ss": "%S",
            "a": "%p", "A": "%p", "EEEE": "%A", "EEE": "%a",
        ]
        var result = ""
        var rest = pattern[...]
        while let first = rest.first {
            if first == "'" {
                guard let end = rest.dropFirst().firstIndex(of: "'") else { return nil }
                result += rest[..<end].dropFirst()
                rest = rest[end...].dropFirst()
            } else if first.isLetter {
                let run = rest.prefix { $0 == first }
                // Moment's letter before a time, which date-fns has in quotes.
                if run == "T" {
                    result += "T"
                } else if let part = parts[String(run)] {
                    result += part
                } else {
                    return nil
                }
                rest = rest.dropFirst(run.count)
            } else {
                guard first != "%", first != "\\" else { return nil }
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return result.isEmpty || result.contains("'") ? nil : result
    }

    private func prompt(_ arguments: [Word]) -> String {
        func argument(_ index: Int) -> String {
            arguments.indices.contains(index) ? arguments[index].text.inOneLine : ""
        }
        let title = argument(0).filter { $0.isLetter || $0.isNumber || " _-".contains($0) }
        let name = title.trimmingBlanks.isEmpty ? "value" : title.trimmingBlanks
        let label = argument(1)
        let question = argument(0).isEmpty ? name : argument(0)
        var members = [
            Value.Member("ask", .string(label.isEmpty ? question : "\(question): \(label)"))
        ]
        if argument(4) == "true" || CredentialMask.isSecret(parameter: name) {
            members.append(Value.Member("secret", .boolean(true)))
        }
        if !argument(2).isEmpty { members.append(Value.Member("default", .string(argument(2)))) }
        ask(name, .object(members))
        return "{{\(name)}}"
    }

    private func base64(_ arguments: [Word]) -> String? {
        guard let value = arguments.last, arguments.count > 1 else { return nil }
        let kind = arguments.count > 2 ? arguments[1].text : "normal"
        switch (arguments[0].text, kind, value.isText) {
        case ("encode", "normal", true) where !value.text.contains("{{"):
            return Data(value.text.utf8).base64EncodedString()
        case ("decode", "normal", true):
            guard let bytes = Data(base64Encoded: value.text),
                let text = String(validating: bytes, as: UTF8.self)
            else { return nil }
            return literal(text)
        case ("encode", "normal", false):
            guard let name = Self.variableName(value.text) else { return nil }
            return expression { variables, names in
                "{{ \(names.use(variables.meaning(of: name))) | base64 }}"
            }
        default: return nil
        }
    }

    private func hash(_ arguments: [Word]) -> String? {
        guard arguments.count == 3, arguments[0].text == "sha256", arguments[1].text == "hex",
            !arguments[2].isText, let name = Self.variableName(arguments[2].text)
        else { return nil }
        return expression { variables, names in
            "{{ \(names.use(variables.meaning(of: name))) | sha256 }}"
        }
    }

    private func file(_ path: String) -> String? {
        guard !path.isEmpty, !path.contains(where: { "'\\{}".contains($0) }) else { return nil }
        return expression { _, _ in "{{ file('\(path)') }}" }
    }

    /// A part of the request itself, which stands in the file.
    private func ownPart(_ part: String, _ name: String) -> String? {
        func value(_ rows: JSON) -> String? {
            let row = rows.elements.first { row in
                row["name"].looseText?.lowercased() == name.lowercased()
                    && row["disabled"].bool != true
            }
            guard let value = row?["value"].looseText, !value.contains("{%") else { return nil }
            return text(value)
        }
        switch part {
        case "name": return request["name"].filledText.map(literal)
        case "parameter": return value(request["parameters"])
        case "header": return value(request["headers"])
        default: return nil
        }
    }

    private func response(_ arguments: [String], _ text: String) -> String? {
        guard arguments.count > 1, !arguments[1].isEmpty else { return nil }
        var filter = arguments.count > 2 ? arguments[2] : ""
        if filter.hasPrefix("b64::") {
            let encoded = filter.dropFirst(5).prefix { $0 != ":" }
            guard let bytes = Data(base64Encoded: String(encoded)) else { return nil }
            filter = String(decoding: bytes, as: UTF8.self)
        }
        let path: String
        switch arguments[0] {
        case "body" where filter.hasPrefix("$"): path = filter
        case "raw": path = "$"
        case "header" where ImportedBody.isFieldName(filter): path = "header:\(filter)"
        default: return nil
        }
        let known = "\(arguments[1])\n\(path)"
        if let name = names[known] { return name }
        let last =
            path.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }).last
            ?? "body"
        let name = self.name("response_\(last)", known)
        let seconds = arguments.count > 4 ? Int(arguments[4]) : nil
        let expires =
            arguments.count > 3 && arguments[3] == "when-expired"
            ? seconds.flatMap { $0 > 0 && $0 < 1_000_000 ? "\($0) s" : nil } : nil
        responses.append(
            Response(
                name: name,
                request: arguments[1],
                path: path,
                text: text,
                expires: expires
            )
        )
        return name
    }

    /// A name for what a template stands for; the same for the same.
    private func name(_ base: String, _ key: String) -> String {
        if let name = names[key] { return name }
        let base = base.isEmpty ? "tag" : base
        var name = base
        var number = 2
        let all = Set(names.values)
        while all.contains(name) {
            name = "\(base)_\(number)"
            number += 1
        }
        names[key] = name
        return name
    }

    /// A word of a tag.
    private struct Word {
        let text: String
        /// Whether it stood in quotes.
        let isText: Bool
    }

    /// The words of a tag, without quotes and commas.
    private static func words(_ text: String) -> [Word] {
        var words: [Word] = []
        var word = ""
        var quote: Character?
        var isWord = false
        var isText = false
        var isEscaped = false
        for character in text {
            if let open = quote {
                if isEscaped {
                    word.append(character)
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else if character == open {
                    quote = nil
                } else {
                    word.append(character)
                }
            } else if !isWord, character == "'" || character == "\"" {
                quote = character
                (isWord, isText) = (true, true)
            } else if character.isWhitespace || character == "," {
                if isWord { words.append(Word(text: word, isText: isText)) }
                (word, isWord, isText) = ("", false, false)
            } else {
                word.append(character)
                isWord = true
            }
        }
        if isWord { words.append(Word(text: word, isText: isText)) }
        return words
    }
}
