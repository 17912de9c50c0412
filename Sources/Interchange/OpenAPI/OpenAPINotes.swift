import Documents
import Workspaces

/// What a description says to people, as Markdown.
enum OpenAPINotes {
    /// A type with its bounds in words: "integer, 1 to 100, default 20".
    static func type(of schema: OpenAPISchema, in document: OpenAPIDocument) -> String {
        var words: [String] = []
        let type = schema.type
        if type == "array" {
            let items = schema["items"].flatMap { OpenAPISchema($0, in: document) }
            let element = items.map { name(of: $0) } ?? ""
            words.append(element.isEmpty ? "list" : "list of \(element)")
            if let items, let choices = choices(of: items) { words.append(choices) }
        } else {
            words.append(name(of: schema))
        }
        if let choices = choices(of: schema) { words.append(choices) }
        words += bounds(of: schema)
        if let node = schema["default"], let text = node.text, !text.isEmpty {
            words.append("default `\(text.inOneLine)`")
        }
        return words.filter { !$0.isEmpty }.joined(separator: ", ")
    }

    private static func name(of schema: OpenAPISchema) -> String {
        let type = schema.type
        if type == "object" || type.isEmpty, let name = schema.object.referenceName { return name }
        guard let format = schema.text("format"), !format.isEmpty else { return type }
        return type.isEmpty ? format : "\(type) (\(format.inOneLine))"
    }

    private static func choices(of schema: OpenAPISchema) -> String? {
        let choices = (schema["enum"]?.list ?? []).compactMap(\.text)
        guard !choices.isEmpty else { return nil }
        let shown = choices.prefix(30).map { "`\($0.inOneLine)`" }.joined(separator: ", ")
        return "one of \(shown)\(choices.count > 30 ? " …" : "")"
    }

    private static func bounds(of schema: OpenAPISchema) -> [String] {
        func text(_ name: String) -> String? { schema[name]?.json.numberText }
        var words: [String] = []
        switch (text("minimum"), text("maximum")) {
        case (let least?, let most?): words.append("\(least) to \(most)")
        case (let least?, nil): words.append("at least \(least)")
        case (nil, let most?): words.append("at most \(most)")
        case (nil, nil): break
        }
        if let step = text("multipleOf") { words.append("a multiple of \(step)") }
        switch (text("minLength"), text("maxLength")) {
        case (let least?, let most?): words.append("\(least) to \(most) characters")
        case (let least?, nil) where least != "0": words.append("at least \(least) characters")
        case (_, let most?): words.append("at most \(most) characters")
        default: break
        }
        if let pattern = schema.text("pattern") { words.append("pattern `\(pattern.inOneLine)`") }
        return words
    }

    /// A table; nil without rows.
    static func table(_ head: [String], _ rows: [[String]]) -> String? {
        guard !rows.isEmpty else { return nil }
        let lines = [head, head.map { _ in "---" }] + rows
        return lines.map { "| \($0.map(cell).joined(separator: " | ")) |" }.joined(separator: "\n")
    }

    private static func cell(_ text: String) -> String {
        // Most texts have none, and looking for bytes is many times faster than replacing.
        let line = text.inOneLine
        let isPlain = !line.utf8.contains(UInt8(ascii: "|"))
        return (isPlain ? line : line.replacing("|", with: "\\|")).trimmingBlanks
    }

    /// The parameters, with those that are not in the request.
    static func parameters(_ parameters: [OpenAPIParameter], left: Set<Int>) -> String? {
        var rows: [[String]] = []
        for (index, parameter) in parameters.enumerated() {
            let isLeft = left.contains(index)
            let isObvious =
                !isLeft && parameter.description == nil && !parameter.isDeprecated
                && parameter.otherExamples.isEmpty
            if isObvious, parameter.place == .path, parameter.type.utf8.count < 10 { continue }
            var words: [String] = []
            if parameter.isDeprecated { words.append("Deprecated.") }
            if let description = parameter.description { words.append(description) }
            if !parameter.type.isEmpty { words.append("(\(parameter.type))") }
            if !parameter.otherExamples.isEmpty {
                words.append("For example \(parameter.otherExamples.joined(separator: "; "))")
            }
            let written = parameter.written.replacing("`", with: "'")
            rows.append([
                "`\(parameter.name)`", parameter.place.rawValue,
                isLeft ? "no: `\(written.prefix(500))`" : "yes", words.joined(separator: " "),
            ])
        }
        return table(["Parameter", "In", "In the request", "What it is"], rows)
    }

    /// A sentence with a link to further documents; nil without one.
    static func link(_ object: OpenAPIObject?) -> String? {
        guard let object, let url = object.words("url") else { return object?.words("description") }
        return "[\(object.words("description") ?? "More about it")](\(url))"
    }

    /// What the head of the description says about the whole.
    static func about(_ info: OpenAPIObject?, _ root: OpenAPIObject, _ document: OpenAPIDocument)
        -> String?
    {
        var parts: [String] = []
        if let summary = info?.words("summary") { parts.append(summary) }
        if let description = info?.words("description") { parts.append(description) }
        var lines: [String] = []
        if let version = info?.words("version") { lines.append("Version \(version).") }
        if let terms = info?.words("termsOfService") { lines.append("Terms of service: \(terms)") }
        if let contact = document.object(info?["contact"]) {
            let words = ["name", "email", "url"].compactMap { contact.words($0) }
            if !words.isEmpty { lines.append("Contact: \(words.joined(separator: ", "))") }
        }
        if let license = document.object(info?["license"]) {
            let words = ["name", "identifier", "url"].compactMap { license.words($0) }
            if !words.isEmpty { lines.append("License: \(words.joined(separator: ", "))") }
        }
        if let link = link(document.object(root["externalDocs"])) { lines.append(link) }
        if !lines.isEmpty { parts.append(lines.joined(separator: "\n\n")) }
        return parts.isEmpty ? nil : parts.joined(separator: "\n\n")
    }
}
