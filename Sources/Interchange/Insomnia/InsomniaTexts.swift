import FoundationEssentials

/// Changes Insomnia's templates to Postman's: `{{ _.name }}` to `{{name}}`, `{% uuid 'v4' %}` to `{{$guid}}`.
final class InsomniaTexts {
    /// A part of the response of another request.
    struct Response {
        /// The variable that has it.
        let name: String
        let request: String
        let path: String
        let text: String
    }

    private(set) var responses: [Response] = []
    private(set) var losses: [ImportLoss] = []
    private var names: [String: String] = [:]

    /// The text with other templates.
    func text(_ text: String) -> String {
        guard text.contains("{{") || text.contains("{%") else { return text }
        var result = ""
        var rest = text[...]
        // Searched for no more once there is none: a text may have many beginnings.
        var closes = ["}}": true, "%}": true]
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
            } else {
                result.append("{")
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }

    private func variable(_ text: Substring) -> String {
        var name = String(text.dropFirst(2).dropLast(2)).trimmingBlanks
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
        if !isName, !name.isEmpty, !name.contains("\n") {
            losses.append(
                ImportLoss(
                    "a template",
                    "it is no variable, and is sent as it stands",
                    text: String(text)
                )
            )
        }
        return isName ? "{{\(name)}}" : String(text)
    }

    private func tag(_ text: Substring) -> String {
        let words = Self.words(String(text.dropFirst(2).dropLast(2)))
        let arguments = words.dropFirst().map(\.self)
        switch words.first {
        case "uuid": return "{{$guid}}"
        case "timestamp": return "{{$timestamp}}"
        case "now":
            switch arguments.first ?? "iso-8601" {
            case "iso-8601": return "{{$isoTimestamp}}"
            case "unix": return "{{$timestamp}}"
            case "millis": return "{{$timestampMilliseconds}}"
            default: break
            }
        case "prompt":
            let title = arguments.first.flatMap { $0.isEmpty ? nil : $0 } ?? "value"
            return "{{\(title.filter { $0.isLetter || $0.isNumber || " _-".contains($0) })}}"
        case "response":
            if let name = response(arguments, String(text)) { return "{{\(name)}}" }
        default: break
        }
        let tag = words.first ?? "tag"
        losses.append(
            ImportLoss(
                "a template",
                "no function does this, so the value is asked for",
                text: String(text)
            )
        )
        return "{{\(name("\(tag)", String(text)))}}"
    }

    private func response(_ arguments: [String], _ text: String) -> String? {
        guard arguments.count > 1 else { return nil }
        var filter = arguments.count > 2 ? arguments[2] : ""
        if filter.hasPrefix("b64::") {
            let encoded = filter.dropFirst(5).prefix { $0 != ":" }
            guard let bytes = Data(base64Encoded: String(encoded)) else { return nil }
            filter = String(decoding: bytes, as: UTF8.self)
        }
        let path: String
        switch arguments[0] {
        case "body" where filter.hasPrefix("$"): path = filter
        case "header" where ImportedBody.isFieldName(filter): path = "header:\(filter)"
        default: return nil
        }
        let known = "\(arguments[1])\n\(path)"
        if let name = names[known] { return name }
        let last =
            path.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }).last
            ?? "value"
        let name = self.name("response_\(last)", known)
        responses.append(Response(name: name, request: arguments[1], path: path, text: text))
        return name
    }

    /// A name for what a template stands for; the same for the same.
    private func name(_ base: String, _ key: String) -> String {
        if let name = names[key] { return name }
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

    /// The words of a tag, without quotes and commas.
    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        var word = ""
        var quote: Character?
        var isWord = false
        for character in text {
            if let open = quote {
                if character == open { quote = nil } else { word.append(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                isWord = true
            } else if character.isWhitespace || character == "," {
                if isWord { words.append(word) }
                (word, isWord) = ("", false)
            } else {
                word.append(character)
                isWord = true
            }
        }
        if isWord { words.append(word) }
        return words
    }
}
