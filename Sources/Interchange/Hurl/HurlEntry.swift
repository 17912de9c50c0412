import Documents

/// An entry of a hurl file: a request, and what its response must be.
struct HurlEntry {
    /// A line of a section: a name or a query, and what follows.
    struct Line {
        let text: String
        let line: Int
    }

    /// A body, as it is written.
    struct Body {
        enum Kind {
            case json, xml, text, base64, hex, file, graphQL
        }

        let kind: Kind
        let text: String
    }

    var comments: [String] = []
    var requestLine: Line
    var fields: [Line] = []
    var sections: [(name: String, lines: [Line])] = []
    var body: Body?
    /// `HTTP/1.1 200`.
    var response: Line?
    var responseFields: [Line] = []
    var responseSections: [(name: String, lines: [Line])] = []
    var responseBody: Body?
    /// Lines that are none of these.
    var others: [Line] = []

    /// The entries of a file, and the comments after the last of them.
    static func entries(_ lines: [String]) -> (entries: [HurlEntry], comments: [String]) {
        var entries: [HurlEntry] = []
        var comments: [String] = []
        // How many bodies have no end, each of which is looked for in the whole file.
        var unclosed = 0
        var index = 0
        while index < lines.count {
            let raw = lines[index]
            let text = raw.trimmingBlanks
            let line = Line(text: text, line: index + 1)
            if text.isEmpty {
                index += 1
                continue
            }
            if text.hasPrefix("#") {
                comments.append(String(text.drop { $0 == "#" }).trimmingBlanks)
                index += 1
                continue
            }
            if isRequest(text) {
                var entry = HurlEntry(
                    requestLine: Line(text: withoutComment(text), line: index + 1)
                )
                (entry.comments, comments) = (comments, [])
                entries.append(entry)
                index += 1
                continue
            }
            guard let last = entries.indices.last else {
                comments.append(text)
                index += 1
                continue
            }
            if text.hasPrefix("HTTP"),
                text.dropFirst(4).first.map({ $0 == " " || $0 == "/" || $0 == "*" }) ?? true,
                entries[last].response == nil
            {
                entries[last].response = Line(text: withoutComment(text), line: index + 1)
                index += 1
                continue
            }
            let isResponse = entries[last].response != nil
            if text.hasPrefix("["), let close = text.firstIndex(of: "]"),
                text[..<close].dropFirst().allSatisfy({ $0.isLetter }),
                close > text.index(after: text.startIndex),
                knownSections.contains(String(text[..<close].dropFirst()))
            {
                let name = String(text[..<close].dropFirst())
                if isResponse {
                    entries[last].responseSections.append((name, []))
                } else {
                    entries[last].sections.append((name, []))
                }
                index += 1
                continue
            }
            if let body = body(lines, &index, &unclosed) {
                if isResponse {
                    entries[last].responseBody = body
                } else {
                    entries[last].body = body
                }
                continue
            }
            index += 1
            // A query may go on over lines, with a text of several lines as its end.
            var whole = text
            if let fence = text.ranges(of: "```").first, text.ranges(of: "```").count == 1 {
                _ = fence
                while index < lines.count {
                    whole += "\n" + lines[index]
                    index += 1
                    if lines[index - 1].contains("```") { break }
                }
            } else {
                whole = withoutComment(text)
            }
            let item = Line(text: whole, line: line.line)
            if isResponse {
                if entries[last].responseSections.isEmpty {
                    entries[last].responseFields.append(item)
                } else {
                    entries[last].responseSections[entries[last].responseSections.count - 1].lines
                        .append(item)
                }
            } else if entries[last].sections.isEmpty {
                entries[last].fields.append(item)
            } else {
                entries[last].sections[entries[last].sections.count - 1].lines.append(item)
            }
        }
        return (entries, comments)
    }

    private static let knownSections: Set<String> = [
        "QueryStringParams", "Query", "FormParams", "Form", "MultipartFormData", "Multipart",
        "Cookies", "BasicAuth",
        "Options", "Captures", "Asserts",
    ]

    private static func isRequest(_ text: String) -> Bool {
        let word = text.prefix { $0 != " " && $0 != "\t" }
        guard word.count > 1, word.utf8.count < text.utf8.count, word != "HTTP",
            word.utf8.allSatisfy({ (0x41...0x5A).contains($0) })
        else { return false }
        let rest = text[word.endIndex...].trimmingBlanks
        return HTTPFileBlock.methods.contains(String(word)) || rest.hasPrefix("http")
            || rest.hasPrefix("{{")
    }

    /// The text without `# …` at its end.
    static func withoutComment(_ text: String) -> String {
        guard text.contains("#") else { return text }
        var isQuoted = false
        var isSlashed = false
        var previous: Character = " "
        for index in text.indices {
            let character = text[index]
            if character == "\"", previous != "\\" { isQuoted.toggle() }
            if character == "/", previous == " " || isSlashed && previous != "\\", !isQuoted {
                isSlashed.toggle()
            }
            if character == "#", !isQuoted, !isSlashed, previous == " " || previous == "\t" {
                return text[..<index].trimmingBlanks
            }
            previous = character
        }
        return text
    }

    /// The body that begins at a line; nil if none does.
    private static func body(
        _ lines: [String],
        _ index: inout Int,
        _ unclosed: inout Int
    ) -> Body? {
        let text = lines[index].trimmingBlanks
        if text.hasPrefix("```") {
            var language = String(text.dropFirst(3))
            if let close = language.firstRange(of: "```") {
                index += 1
                return Body(kind: .text, text: String(language[..<close.lowerBound]))
            }
            language = language.split(separator: ",").first.map(\.trimmingBlanks) ?? ""
            var content: [String] = []
            index += 1
            var isClosed = false
            while index < lines.count, !isClosed {
                if let close = lines[index].firstRange(of: "```") {
                    if close.lowerBound > lines[index].startIndex {
                        content.append(String(lines[index][..<close.lowerBound]))
                    } else {
                        content.append("")
                    }
                    isClosed = true
                } else {
                    content.append(lines[index])
                }
                index += 1
            }
            let kinds: [String: Body.Kind] = [
                "json": .json, "xml": .xml, "graphql": .graphQL, "base64": .base64, "hex": .hex,
            ]
            return Body(kind: kinds[language] ?? .text, text: content.joined(separator: "\n"))
        }
        if text.hasPrefix("`"), text.hasSuffix("`"), text.count > 1 {
            index += 1
            return Body(kind: .text, text: String(text.dropFirst().dropLast()))
        }
        for (word, kind) in [("base64,", Body.Kind.base64), ("hex,", .hex), ("file,", .file)]
        where text.hasPrefix(word) {
            var content = String(text.dropFirst(word.count))
            index += 1
            while !content.contains(";"), index < lines.count {
                content += lines[index]
                index += 1
            }
            return Body(kind: kind, text: content.prefix { $0 != ";" }.trimmingBlanks)
        }
        if text.hasPrefix("<") {
            var content: [String] = []
            while index < lines.count {
                let line = lines[index].trimmingBlanks
                if isRequest(line) || line.hasPrefix("HTTP/") || line.hasPrefix("HTTP ") { break }
                content.append(lines[index])
                index += 1
            }
            while content.last?.trimmingBlanks.isEmpty == true
                || content.last?.trimmingBlanks.hasPrefix("#") == true
            {
                content.removeLast()
            }
            return Body(kind: .xml, text: content.joined(separator: "\n"))
        }
        guard let first = text.first,
            first == "{" && !text.hasPrefix("{{") || first == "["
                || first == "\"" && text.count > 1 && text.hasSuffix("\"")
        else { return nil }
        if first == "\"" {
            index += 1
            return Body(kind: .json, text: text)
        }
        guard unclosed < 20 else {
            index += 1
            return Body(kind: .text, text: lines[index - 1])
        }
        var depth = 0
        var isQuoted = false
        var content: [String] = []
        let start = index
        repeat {
            var isEscaped = false
            for byte in lines[index].utf8 {
                if isEscaped {
                    isEscaped = false
                } else if isQuoted {
                    if byte == UInt8(ascii: "\\") {
                        isEscaped = true
                    } else if byte == UInt8(ascii: "\"") {
                        isQuoted = false
                    }
                } else {
                    switch byte {
                    case UInt8(ascii: "\""): isQuoted = true
                    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                    default: break
                    }
                }
            }
            content.append(lines[index])
            index += 1
        } while depth > 0 && index < lines.count
        if depth != 0 {
            // Not JSON at all: a line only.
            unclosed += 1
            index = start + 1
            return Body(kind: .text, text: lines[start])
        }
        return Body(kind: .json, text: content.joined(separator: "\n"))
    }
}
