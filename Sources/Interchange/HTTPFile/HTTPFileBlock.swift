import Documents

/// A request of an `.http` file, taken apart into its lines.
struct HTTPFileBlock {
    /// A comment's `@name value`.
    struct Directive {
        let name: String
        let value: String
        let line: Int
    }

    /// What stands on lines of their own, with its first line.
    struct Part {
        var text: String
        var line: Int
    }

    /// The text after `###`.
    var title = ""
    /// The number of its first line, from 1.
    var line = 1
    var comments: [String] = []
    var directives: [Directive] = []
    /// `@name = value`.
    var variables: [(name: String, value: String, line: Int)] = []
    var requestLine: Part?
    var fields: [Part] = []
    var body: [String] = []
    var preScripts: [Part] = []
    var scripts: [Part] = []
    /// httpyac's `?? status == 200`.
    var asserts: [Part] = []
    /// Lines that are none of these.
    var others: [Part] = []

    private enum State { case start, head, body }

    /// The requests of a file.
    static func blocks(_ lines: [String]) -> [HTTPFileBlock] {
        var blocks: [HTTPFileBlock] = []
        var block = HTTPFileBlock()
        var state = State.start
        var index = 0
        func isRequest(_ text: String) -> Bool {
            let words = text.split(separator: " ", maxSplits: 1)
            guard words.count == 2, methods.contains(String(words[0])) else { return false }
            return ["http", "{{", "/"].contains { words[1].trimmingBlanks.hasPrefix($0) }
        }
        func next(_ title: String, _ line: Int) {
            block.finishBody()
            blocks.append(block)
            block = HTTPFileBlock()
            block.title = title
            block.line = line
            state = .start
        }
        while index < lines.count {
            let line = lines[index]
            let text = line.trimmingBlanks
            let number = index + 1
            index += 1
            if line.hasPrefix("###") {
                next(String(line.drop { $0 == "#" }).trimmingBlanks, number)
                continue
            }
            // Scripts may stand anywhere.
            if text.hasPrefix("< {%") || text.hasPrefix("<{%") || text.hasPrefix("> {%")
                || text.hasPrefix(">{%")
            {
                var script: [String] = []
                var rest = String(text.drop { $0 != "%" }.dropFirst())
                while true {
                    if let close = rest.firstRange(of: "%}") {
                        script.append(String(rest[..<close.lowerBound]))
                        break
                    }
                    script.append(rest)
                    guard index < lines.count, !lines[index].hasPrefix("### ") else { break }
                    rest = lines[index]
                    index += 1
                }
                let part = Part(text: script.joined(separator: "\n").trimmingBlanks, line: number)
                if text.hasPrefix("<") {
                    block.preScripts.append(part)
                } else {
                    block.scripts.append(part)
                }
                continue
            }
            let isOpening =
                text.hasPrefix("{{") && !text.contains("}}") && !text.contains(" ") || text == "{{"
            if isOpening, state != .head || text == "{{" {
                var script: [String] = []
                while index < lines.count, lines[index].trimmingBlanks != "}}",
                    !lines[index].hasPrefix("###")
                {
                    script.append(lines[index])
                    index += 1
                }
                if index < lines.count, !lines[index].hasPrefix("###") { index += 1 }
                let part = Part(text: script.joined(separator: "\n"), line: number)
                if state == .start {
                    block.preScripts.append(part)
                } else {
                    block.scripts.append(part)
                }
                continue
            }
            if text.hasPrefix("?? ") {
                block.asserts.append(Part(text: String(text.dropFirst(3)), line: number))
                continue
            }
            if state != .start,
                text.hasPrefix("> ") && isFile(text.dropFirst(2)) || text.hasPrefix(">> ")
                    || text.hasPrefix(">>! ") || state != .start && text.hasPrefix("<> ")
            {
                block.others.append(Part(text: text, line: number))
                continue
            }
            switch state {
            case .start:
                if text.isEmpty { continue }
                if let comment = comment(text) {
                    block.read(comment, number)
                } else if text.hasPrefix("@"), let sign = text.firstIndex(of: "=") {
                    let name = text[..<sign].dropFirst().trimmingBlanks
                    let isLazy = name.hasSuffix(":")
                    block.variables.append(
                        (
                            isLazy ? String(name.dropLast()).trimmingBlanks : name,
                            String(text[sign...].dropFirst()).trimmingBlanks, number
                        )
                    )
                } else if ["import ", "run ", "< ", "/*", "*/", "* "].contains(where: {
                    text.hasPrefix($0)
                }) {
                    block.others.append(Part(text: text, line: number))
                } else {
                    block.requestLine = Part(text: text, line: number)
                    state = .head
                }
            case .head:
                if text.isEmpty {
                    state = .body
                } else if let comment = comment(text) {
                    block.read(comment, number)
                } else if block.fields.isEmpty, block.goesOn(line, text) {
                    block.requestLine?.text += text
                } else if !isField(text) {
                    // A body without an empty line before it.
                    state = .body
                    block.body.append(line)
                } else {
                    block.fields.append(Part(text: text, line: number))
                }
            case .body:
                let isNext =
                    lines[index - 2].trimmingBlanks.isEmpty
                    || lines[index - 2].trimmingBlanks.hasPrefix("#")
                if isNext, isRequest(text), !line.hasPrefix(" ") {
                    next("", number)
                    block.requestLine = Part(text: text, line: number)
                    state = .head
                } else {
                    block.body.append(line)
                }
            }
        }
        block.finishBody()
        blocks.append(block)
        return blocks
    }

    static let methods: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "GRAPHQL",
        "WEBSOCKET", "WS",
        "GRPC", "SSE", "RSOCKET", "AMQP", "MQTT", "PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE",
        "LOCK", "UNLOCK",
        "LIST", "PURGE", "QUERY", "REPORT", "SEARCH", "VIEW", "LINK", "UNLINK", "EVENTSOURCE",
    ]

    private static func isFile(_ text: Substring) -> Bool {
        !text.contains(" ") && text.contains(".") && !text.contains("<")
    }

    /// Whether a line is `Name: value`, or httpyac's `...fields`.
    private static func isField(_ text: String) -> Bool {
        if text.hasPrefix("...") { return true }
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else { return false }
        let name = text[..<colon]
        return name.hasPrefix("{{")
            || name.allSatisfy { $0.isLetter || $0.isNumber || "-_.!#$%&'*+^`|~ ".contains($0) }
    }

    /// The text of a comment; nil for another line.
    static func comment(_ text: String) -> String? {
        if text.hasPrefix("#") { return String(text.drop { $0 == "#" }).trimmingBlanks }
        if text.hasPrefix("//") { return String(text.drop { $0 == "/" }).trimmingBlanks }
        return nil
    }

    /// Whether a line goes on with the URL.
    private func goesOn(_ line: String, _ text: String) -> Bool {
        if text.hasPrefix("?? ") { return false }
        if let first = text.first, "?&".contains(first) { return true }
        guard line.hasPrefix(" ") || line.hasPrefix("\t") else { return false }
        let name = text.prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
        return text.hasPrefix("/") || name.isEmpty || text[name.endIndex...].first != ":"
    }

    private mutating func read(_ comment: String, _ number: Int) {
        guard comment.hasPrefix("@"), comment.count > 1 else {
            if !comment.isEmpty { comments.append(comment) }
            return
        }
        let name = comment.dropFirst().prefix {
            $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_"
        }
        var value = String(comment[name.endIndex...]).trimmingBlanks
        if value.hasPrefix("=") { value = String(value.dropFirst()).trimmingBlanks }
        directives.append(Directive(name: String(name), value: value, line: number))
    }

    /// Takes empty lines and comments off the end of the body.
    private mutating func finishBody() {
        var end = body.count
        var keep = body.count
        while end > 0 {
            let text = body[end - 1].trimmingBlanks
            if text.isEmpty {
                end -= 1
                keep = end
            } else if Self.comment(text) != nil {
                end -= 1
                if end == 0 { keep = 0 }
            } else {
                break
            }
        }
        for line in body[keep...] {
            guard let comment = Self.comment(line.trimmingBlanks) else { continue }
            read(comment, self.line)
        }
        body.removeLast(body.count - keep)
        while body.first?.trimmingBlanks.isEmpty == true { body.removeFirst() }
    }
}
