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
        /// What stands after the braces that open a script of httpyac: `@request`.
        var mark = ""
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
    /// What begins and never ends, and how much of it was taken.
    var unclosed: [Part] = []
    /// Lines that are none of these.
    var others: [Part] = []
    /// The lines of a response that is kept after its request, the first of which is `HTTP/1.1 200 OK`.
    var response: [String] = []
    /// A curl command that stands in place of the request.
    var command: Part?

    static let methods: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "GRAPHQL",
        "WEBSOCKET", "WS",
        "GRPC", "SSE", "RSOCKET", "AMQP", "MQTT", "PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE",
        "LOCK", "UNLOCK",
        "LIST", "PURGE", "QUERY", "REPORT", "SEARCH", "VIEW", "LINK", "UNLINK", "EVENTSOURCE",
    ]

    static func isFile(_ text: Substring) -> Bool {
        !text.contains(" ") && text.contains(".") && !text.contains("<")
    }

    /// Whether a line is `Name: value`, or httpyac's `...fields`.
    static func isField(_ text: String) -> Bool {
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
    func goesOn(_ line: String, _ text: String) -> Bool {
        if text.hasPrefix("?? ") { return false }
        if let first = text.first, "?&".contains(first) { return true }
        guard line.hasPrefix(" ") || line.hasPrefix("\t") else { return false }
        let name = text.prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
        return text.hasPrefix("/") || name.isEmpty || text[name.endIndex...].first != ":"
    }

    mutating func read(_ comment: String, _ number: Int) {
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

    /// The name and the value of `@name = value`; nil for another line.
    static func variable(_ text: String) -> (name: String, value: String)? {
        guard text.hasPrefix("@"), let sign = text.firstIndex(of: "=") else { return nil }
        var name = text[..<sign].dropFirst().trimmingBlanks
        // Lazy in httpyac.
        if name.hasSuffix(":") { name = String(name.dropLast()).trimmingBlanks }
        return (name, String(text[sign...].dropFirst()).trimmingBlanks)
    }

    /// Whether the body is of a type in which lines that look like comments are a part of it.
    private var hasCode: Bool {
        let type = fields.map(\.text).first { $0.lowercased().hasPrefix("content-type:") }
        return type.map { type in
            ["script", "html", "css", "markdown", "yaml", "python", "x-sh", "toml", "plain"]
                .contains { type.lowercased().contains($0) }
        } ?? false
    }

    /// Takes empty lines, comments and variables off the end of the body.
    mutating func finishBody() {
        var end = body.count
        var keep = body.count
        while end > 0 {
            let text = body[end - 1].trimmingBlanks
            if text.isEmpty {
                end -= 1
                keep = end
            } else if Self.comment(text).map({ !hasCode || $0.hasPrefix("@") }) == true
                || body[end - 1].hasPrefix("@") && Self.variable(text) != nil
            {
                end -= 1
                if end == 0 { keep = 0 }
            } else {
                break
            }
        }
        for line in body[keep...] {
            let text = line.trimmingBlanks
            if let comment = Self.comment(text) {
                read(comment, self.line)
            } else if let variable = Self.variable(text) {
                variables.append((variable.name, variable.value, self.line))
            }
        }
        body.removeLast(body.count - keep)
        while body.first?.trimmingBlanks.isEmpty == true { body.removeFirst() }
    }

    /// The whole as it stands in the file, under a name.
    func text(named name: String) -> String {
        var lines = ["### \(name)"]
        if !title.isEmpty, title != name { lines.append("# \(title)") }
        lines += comments.map { "# \($0)" }
        lines += directives.map { "# @\($0.name) \($0.value)".trimmingBlanks }
        lines += preScripts.map { "< {%\n\($0.text)\n%}" }
        lines += [requestLine?.text ?? ""] + fields.map(\.text)
        if !body.isEmpty { lines += [""] + body }
        lines += asserts.map { "?? \($0.text)" } + others.map(\.text)
        lines += scripts.map { "> {%\n\($0.text)\n%}" }
        if !response.isEmpty { lines += [""] + response }
        return lines.joined(separator: "\n")
    }
}
