import Secrets

/// A file of `NAME=value` lines, as dotenv's programs read it.
///
/// ```
/// # a comment
/// export NAME=value              # `export` and what is after ` #` do not count
/// ESCAPED="line\nline \"quoted\" \$5"
/// LONG="over
/// several lines"
/// LITERAL='as it $stands\n'
/// MADE="${NAME}/x ${OTHER:-if it has no value}"
/// ```
/// `${NAME}` stands for the value of a line before, or else of the environment variable; `$NAME` stands for itself.
struct EnvironmentFileReader {
    /// A line's name and value.
    struct Entry {
        let name: String
        let value: String
        let span: Span
    }

    private let source: SourceText
    private let log: ProblemLog
    private let variable: (String) -> String?
    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var line = 1
    private var lineStart = 0
    private var values: [String: String] = [:]

    /// Makes a reader of a file's text; `variable` gives the values of environment variables.
    init(
        _ text: String,
        file: String,
        log: ProblemLog,
        variable: @escaping (_ name: String) -> String?
    ) {
        // Any of its words may be a credential.
        source = SourceText(name: file, text: text, isHidden: true)
        self.log = log
        self.variable = variable
        scalars = Array(text.replacing("\r\n", with: "\n").unicodeScalars)
    }

    /// All lines in order; one that cannot be read is logged.
    mutating func entries() -> [Entry] {
        var entries: [Entry] = []
        while index < scalars.count {
            skipSpaces()
            if let next, next != "\n", next != "#", let entry = entry() {
                entries.append(entry)
                values[entry.name] = entry.value
            }
            skipLine()
        }
        return entries
    }

    private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private func span(from start: Int) -> Span {
        Span(source, line: line, column: start - lineStart + 1, length: index - start)
    }

    private mutating func advance() {
        if next == "\n" {
            line += 1
            lineStart = index + 1
        }
        index += 1
    }

    private mutating func skipSpaces() {
        while let next, next == " " || next == "\t" { index += 1 }
    }

    private mutating func skipLine() {
        while let next, next != "\n" { index += 1 }
        if next != nil { advance() }
    }

    private mutating func entry() -> Entry? {
        var start = index
        var name = self.name()
        if name == "export", next == " " || next == "\t" {
            skipSpaces()
            start = index
            name = self.name()
        }
        let span = span(from: start)
        skipSpaces()
        guard !name.isEmpty, next == "=" else {
            log.add(span, "the line has no name and value", expected: "`NAME=value`")
            return nil
        }
        index += 1
        skipSpaces()
        return value().map { Entry(name: name, value: $0, span: span) }
    }

    private mutating func name() -> String {
        var name = ""
        while let next,
            next.isASCII && (next.properties.isAlphabetic || ("0"..."9").contains(next))
                || next == "_" || next == "." || next == "-"
        {
            name.unicodeScalars.append(next)
            index += 1
        }
        return name
    }

    /// The value after the `=`; nil if it cannot be read, which is logged.
    private mutating func value() -> String? {
        switch next {
        case "\""?: quoted("\"", hasEscapes: true)
        case "'"?: quoted("'", hasEscapes: false)
        default: unquoted()
        }
    }

    private mutating func unquoted() -> String {
        var text = String.UnicodeScalarView()
        while let next, next != "\n" {
            let isComment = next == "#" && (text.isEmpty || text.last == " " || text.last == "\t")
            if isComment { break }
            if next == "$", let value = reference() {
                text.append(contentsOf: value.unicodeScalars)
                continue
            }
            text.append(next)
            index += 1
        }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text)
    }

    private mutating func quoted(_ quote: Unicode.Scalar, hasEscapes: Bool) -> String? {
        let start = span(from: index)
        var text = String.UnicodeScalarView()
        index += 1
        while let next, next != quote {
            if hasEscapes, next == "\\" {
                index += 1
                guard let escaped = self.next else { break }
                text.append(contentsOf: Self.unescaped(escaped))
                advance()
            } else if hasEscapes, next == "$", let value = reference() {
                text.append(contentsOf: value.unicodeScalars)
            } else {
                text.append(next)
                advance()
            }
        }
        guard next == quote else {
            log.add(start, "the value has no closing quote")
            return nil
        }
        index += 1
        let end = index
        skipSpaces()
        guard next == nil || next == "\n" || next == "#" else {
            log.add(span(from: end), "there is text after the closing quote")
            return nil
        }
        return String(text)
    }

    private static func unescaped(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        switch scalar {
        case "n": ["\n"]
        case "r": ["\r"]
        case "t": ["\t"]
        case "\"", "\\", "$": [scalar]
        // What is no escape stands for itself.
        default: ["\\", scalar]
        }
    }

    /// The value of `${NAME}` or `${NAME:-default}`, empty if it has none; nil if that does not follow.
    private mutating func reference() -> String? {
        let start = index
        guard index + 1 < scalars.count, scalars[index + 1] == "{" else { return nil }
        index += 2
        let name = self.name()
        // A name may have a dash, but `:` ends it.
        var fallback = String.UnicodeScalarView()
        if next == ":", index + 1 < scalars.count, scalars[index + 1] == "-" {
            index += 2
            while let next, next != "}", next != "\n" {
                fallback.append(next)
                index += 1
            }
        }
        guard !name.isEmpty, next == "}" else {
            index = start
            return nil
        }
        index += 1
        let value = values[name] ?? variable(name) ?? ""
        return value.isEmpty ? String(fallback) : value
    }
}

/// Reads `envFile`: the variables of one or more such files.
struct EnvironmentFileDecoder {
    let log: ProblemLog
    let secrets: SecretReader

    /// What the files under one `envFile` have.
    struct Files {
        /// The variables, each once.
        var variables: [Variable] = []
        /// The text of each file by its path.
        var texts: [String: String] = [:]
        /// The files that are not there, as for whoever has a workspace from a repository, with the places that name them.
        var missing: [(path: String, span: Span)] = []
    }

    /// Reads the files; a fault in one that is there is logged.
    func decode(_ node: YAMLNode?) -> Files {
        var variables: [String: Variable] = [:]
        var names: [String] = []
        var files = Files()
        for node in nodes(node) {
            guard let path = NodeReader(log: log).text(node, "`envFile`") else { continue }
            let file = TextFile.resolve(path, besideFile: node.span.source.name)
            do throws(FileReadError) {
                var text = try secrets.file(file)
                if text.first == TextFile.byteOrderMark { text.removeFirst() }
                files.texts[file] = text
                var reader = EnvironmentFileReader(
                    text,
                    file: file,
                    log: log,
                    variable: secrets.environmentVariable
                )
                // Other programs may use names that no template can.
                for entry in reader.entries() where TemplateParser.isName(entry.name) {
                    if variables[entry.name] == nil { names.append(entry.name) }
                    variables[entry.name] = Self.variable(entry, file)
                }
            } catch  where error == .missing {
                files.missing.append((file, node.span))
            } catch {
                log.add(node.span, "`envFile`: \(file) \(error.detail)")
            }
        }
        files.variables = names.compactMap { variables[$0] }
        return files
    }

    private func nodes(_ node: YAMLNode?) -> [YAMLNode] {
        guard let node else { return [] }
        if case .sequence(let nodes) = node.content { return nodes }
        return [node]
    }

    private static func variable(_ entry: EnvironmentFileReader.Entry, _ file: String) -> Variable {
        let isSecret = CredentialMask.isSecret(parameter: entry.name)
        return Variable(
            name: entry.name,
            span: entry.span,
            content: isSecret
                ? .secret(Secret(origin: "the file \(file)", value: entry.value, fault: nil))
                : .value(.constant(.string(entry.value)))
        )
    }
}
