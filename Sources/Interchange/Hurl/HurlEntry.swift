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
        /// Whether `{{ name }}` in it is text.
        var isLiteral = false
    }

    /// The comments before the request.
    var comments: [String] = []
    /// The comments in it, and at the ends of its lines.
    var remarks: [String] = []
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
                let (content, remark) = withoutComment(text)
                var entry = HurlEntry(requestLine: Line(text: content, line: index + 1))
                (entry.comments, comments) = (comments, [])
                if let remark { entry.remarks.append(remark) }
                entries.append(entry)
                index += 1
                continue
            }
            guard let last = entries.indices.last else {
                comments.append(text)
                index += 1
                continue
            }
            // Comments before more of the entry are not those of the next one.
            entries[last].remarks += comments
            comments = []
            if text.hasPrefix("HTTP"),
                text.dropFirst(4).first.map({ $0 == " " || $0 == "/" || $0 == "*" }) ?? true,
                entries[last].response == nil
            {
                let (content, remark) = withoutComment(text)
                entries[last].response = Line(text: content, line: index + 1)
                if let remark { entries[last].remarks.append(remark) }
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
            if let body = body(lines, &index, &unclosed, &entries[last].remarks, &comments) {
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
                let (content, remark) = withoutComment(text)
                whole = content
                if let remark { entries[last].remarks.append(remark) }
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

    /// The text without `# …` at its end, and that.
    private static func withoutComment(_ text: String) -> (text: String, remark: String?) {
        guard text.contains("#") else { return (text, nil) }
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
                let remark = text[index...].drop { $0 == "#" }.trimmingBlanks
                return (text[..<index].trimmingBlanks, remark.isEmpty ? nil : remark)
            }
            previous = character
        }
        return (text, nil)
    }

    /// The body that begins at a line; nil if none does.
    private static func body(
        _ lines: [String],
        _ index: inout Int,
        _ unclosed: inout Int,
        _ remarks: inout [String],
        _ comments: inout [String]
    ) -> Body? {
        let text = lines[index].trimmingBlanks
        if text.hasPrefix("```") {
            var language = String(text.dropFirst(3))
            if let close = language.firstRange(of: "```") {
                index += 1
                return Body(kind: .text, text: String(language[..<close.lowerBound]))
            }
            // A language, and `escape` or `novariable`, in any order.
            let words = language.split(separator: ",").map(\.trimmingBlanks)
            language = words.first ?? ""
            let options = Set(words)
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
            let whole = content.joined(separator: "\n")
            return Body(
                kind: kinds[language] ?? .text,
                text: options.contains("escape") ? HurlReader.unescaped(whole) : whole,
                isLiteral: options.contains("novariable")
            )
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
            let end = content.firstIndex(of: ";") ?? content.endIndex
            let rest = content[end...].dropFirst().trimmingBlanks
            if rest.hasPrefix("#") { remarks.append(rest.drop { $0 == "#" }.trimmingBlanks) }
            return Body(kind: kind, text: content[..<end].trimmingBlanks)
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
                let line = content.removeLast().trimmingBlanks
                if line.hasPrefix("#") {
                    comments.insert(line.drop { $0 == "#" }.trimmingBlanks, at: 0)
                }
            }
            return Body(kind: .xml, text: content.joined(separator: "\n"))
        }
        if ["true", "false", "null"].contains(text) || Double(text) != nil && text.first != "+" {
            index += 1
            return Body(kind: .json, text: text)
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
