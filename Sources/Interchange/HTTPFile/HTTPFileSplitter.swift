/// Takes the lines of an `.http` file apart into its requests.
struct HTTPFileSplitter {
    private enum State { case start, head, body, response }

    private let lines: [String]
    private var index = 0
    private var blocks: [HTTPFileBlock] = []
    private var block = HTTPFileBlock()
    private var state = State.start
    private var missingMarks: Set<String> = []

    private init(_ lines: [String]) { self.lines = lines }

    /// The requests of a file, and what stands between them.
    static func blocks(_ lines: [String]) -> [HTTPFileBlock] {
        var splitter = HTTPFileSplitter(lines)
        while splitter.index < lines.count { splitter.readLine() }
        splitter.begin("", lines.count)
        return splitter.blocks
    }

    /// Ends the block, and begins the next one.
    private mutating func begin(_ title: String, _ line: Int) {
        block.finishBody()
        blocks.append(block)
        block = HTTPFileBlock()
        block.title = title
        block.line = line
        state = .start
    }

    private mutating func readLine() {
        let line = lines[index]
        let text = line.trimmingBlanks
        let number = index + 1
        index += 1
        if text.hasPrefix("###") {
            begin(String(text.drop { $0 == "#" }).trimmingBlanks, number)
        } else if state == .response {
            block.response.append(line)
        } else if readScript(text, number) || readOther(text, number) {
            return
        } else {
            switch state {
            case .start: readStart(text, number)
            case .head: readHead(line, text, number)
            case .body, .response: readBody(line, text, number)
            }
        }
    }

    // MARK: Before a request

    private mutating func readStart(_ text: String, _ number: Int) {
        if text.isEmpty { return }
        if let comment = HTTPFileBlock.comment(text) {
            block.read(comment, number)
        } else if text.hasPrefix("/*") {
            readComment(text, number)
        } else if let variable = HTTPFileBlock.variable(text) {
            block.variables.append((variable.name, variable.value, number))
        } else if ["import ", "run ", "< "].contains(where: { text.hasPrefix($0) }) {
            block.others.append(HTTPFileBlock.Part(text: text, line: number))
        } else if text.hasPrefix("curl ") {
            var command = [text]
            while index < lines.count, !lines[index].trimmingBlanks.hasPrefix("###") {
                command.append(lines[index])
                index += 1
            }
            block.command = HTTPFileBlock.Part(
                text: command.joined(separator: "\n"),
                line: number
            )
        } else {
            block.requestLine = HTTPFileBlock.Part(text: text, line: number)
            state = .head
        }
    }

    /// Reads a comment between `/*` and `*/`.
    private mutating func readComment(_ first: String, _ number: Int) {
        var text = String(first.dropFirst(2))
        let last = isClosed(by: "*/", text) ? nil : endOfUnclosed("/*", first, number)
        while true {
            let mark = text.firstRange(of: "*/")
            let content = mark.map { String(text[..<$0.lowerBound]) } ?? text
            let words = content.trimmingBlanks.drop { $0 == "*" }.trimmingBlanks
            if !words.isEmpty { block.comments.append(words) }
            guard mark == nil, index < last ?? lines.count else { return }
            text = lines[index]
            index += 1
        }
    }

    /// Whether a mark stands in a text or in a line after it.
    private mutating func isClosed(by mark: String, _ text: String, before end: Int? = nil) -> Bool
    {
        if text.contains(mark) { return true }
        guard !missingMarks.contains(mark) else { return false }
        if lines[index..<(end ?? lines.count)].contains(where: { $0.contains(mark) }) {
            return true
        }
        // What no later line has is looked for once.
        if end == nil { missingMarks.insert(mark) }
        return false
    }

    /// The line up to which something goes that is never closed: before the next request, so that nothing else is lost.
    private mutating func endOfUnclosed(_ mark: String, _ text: String, _ number: Int) -> Int {
        let end =
            lines[index...].firstIndex {
                $0.trimmingBlanks.hasPrefix("###") || Self.isRequest($0.trimmingBlanks)
            } ?? lines.count
        block.unclosed.append(
            HTTPFileBlock.Part(
                text: ([text] + lines[index..<end]).joined(separator: "\n"),
                line: number,
                mark: mark
            )
        )
        return end
    }

    // MARK: A request

    private mutating func readHead(_ line: String, _ text: String, _ number: Int) {
        let isIndented = line.first?.isWhitespace == true
        if text.isEmpty {
            state = .body
        } else if let comment = HTTPFileBlock.comment(text) {
            block.read(comment, number)
        } else if block.fields.isEmpty, block.goesOn(line, text) {
            block.requestLine?.text += text
        } else if !isIndented, Self.isRequest(text) {
            beginRequest(text, number)
        } else if HTTPFileBlock.isField(text) {
            block.fields.append(HTTPFileBlock.Part(text: text, line: number))
        } else if isIndented, !block.fields.isEmpty,
            text.first.map({ "{[<\"".contains($0) }) == false
        {
            block.fields[block.fields.count - 1].text += " " + text
        } else {
            // A body without an empty line before it.
            state = .body
            block.body.append(line)
        }
    }

    private mutating func readBody(_ line: String, _ text: String, _ number: Int) {
        let previous = lines[index - 2].trimmingBlanks
        let mayBegin =
            previous.isEmpty || previous.hasPrefix("#") || previous.hasPrefix("@")
            || previous.hasPrefix("//")
        if mayBegin, !line.hasPrefix(" "), Self.isRequest(text), !isMultipart {
            beginRequest(text, number)
        } else if previous.isEmpty, Self.isStatusLine(text), !isMultipart {
            state = .response
            block.response = [text]
        } else {
            block.body.append(line)
        }
    }

    private mutating func beginRequest(_ text: String, _ number: Int) {
        begin("", number)
        block.requestLine = HTTPFileBlock.Part(text: text, line: number)
        state = .head
    }

    /// Whether the body may have requests and responses in it.
    private var isMultipart: Bool {
        block.fields.contains { field in
            let text = field.text.lowercased()
            return text.hasPrefix("content-type") && text.contains("multipart/")
        }
    }

    /// Whether a line is `GET https://…`.
    private static func isRequest(_ text: String) -> Bool {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, HTTPFileBlock.methods.contains(String(words[0])) else {
            return false
        }
        return ["http", "{{", "/"].contains { words[1].trimmingBlanks.hasPrefix($0) }
    }

    /// Whether a line is `HTTP/1.1 200 OK`.
    private static func isStatusLine(_ text: String) -> Bool {
        guard text.hasPrefix("HTTP/") else { return false }
        let words = text.split(separator: " ")
        return words.count > 1 && Int(words[1]).map { 100...599 ~= $0 } == true
    }

    // MARK: Anywhere

    /// Reads a script: `< {% … %}`, `> {% … %}`, or httpyac's lines between `{{` and `}}`.
    private mutating func readScript(_ text: String, _ number: Int) -> Bool {
        if ["< {%", "<{%", "> {%", ">{%"].contains(where: { text.hasPrefix($0) }) {
            let script = handler(text, number)
            let part = HTTPFileBlock.Part(text: script, line: number)
            if text.hasPrefix("<") {
                block.preScripts.append(part)
            } else {
                block.scripts.append(part)
            }
            return true
        }
        let isOpening =
            text == "{{"
            || state != .head && text.hasPrefix("{{") && !text.contains("}}") && !text.contains(" ")
        guard isOpening else { return false }
        let next = lines[index...].firstIndex { $0.hasPrefix("###") } ?? lines.count
        let close = lines[index..<next].firstIndex { $0.trimmingBlanks == "}}" }
        let end = close ?? endOfUnclosed("{{", text, number)
        let script = lines[index..<end]
        index = close == nil ? end : end + 1
        let part = HTTPFileBlock.Part(
            text: script.joined(separator: "\n"),
            line: number,
            mark: String(text.dropFirst(2))
        )
        if state == .start {
            block.preScripts.append(part)
        } else {
            block.scripts.append(part)
        }
        return true
    }

    /// The text between `{%` and `%}`.
    private mutating func handler(_ text: String, _ number: Int) -> String {
        var script: [String] = []
        var rest = String(text.drop { $0 != "%" }.dropFirst())
        let next = lines[index...].firstIndex { $0.hasPrefix("### ") } ?? lines.count
        let last =
            isClosed(by: "%}", rest, before: next) ? next : endOfUnclosed("{%", text, number)
        while true {
            if let close = rest.firstRange(of: "%}") {
                script.append(String(rest[..<close.lowerBound]))
                break
            }
            script.append(rest)
            guard index < last else { break }
            rest = lines[index]
            index += 1
        }
        return script.joined(separator: "\n").trimmingBlanks
    }

    /// Reads an assertion of httpyac, or a file for what comes back.
    private mutating func readOther(_ text: String, _ number: Int) -> Bool {
        if text.hasPrefix("?? ") {
            let assertion = String(text.dropFirst(3)).trimmingBlanks
            block.asserts.append(HTTPFileBlock.Part(text: assertion, line: number))
            return true
        }
        guard state != .start else { return false }
        guard
            text.hasPrefix("> ") && HTTPFileBlock.isFile(text.dropFirst(2))
                || [">> ", ">>! ", "<> "].contains(where: { text.hasPrefix($0) })
        else { return false }
        block.others.append(HTTPFileBlock.Part(text: text, line: number))
        return true
    }
}
