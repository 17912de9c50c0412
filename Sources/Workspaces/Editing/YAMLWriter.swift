/// Writes values as YAML, with quotes only where they are needed.
package struct YAMLWriter {
    /// The largest number of columns of a mapping or a list that is written in brackets.
    private static let width = 72

    /// A value after its key: the rest of the key's line, and the lines below.
    struct Lines {
        var head: String
        var rest: [String] = []
    }

    /// The line break, and the indentation of a level, in the text that is written into.
    var lineBreak = "\n"
    var step = 2
    /// How many levels of mappings have a line for each entry, however short they are.
    package var blockLevels = 0

    /// Makes a writer.
    package init(lineBreak: String = "\n", step: Int = 2, blockLevels: Int = 0) {
        self.lineBreak = lineBreak
        self.step = step
        self.blockLevels = blockLevels
    }

    /// A value after a key or a dash at `indent`; in one line if `isFlow`.
    func lines(_ value: Value, indent: Int, isFlow: Bool, quote: Unicode.Scalar? = nil) -> Lines {
        if isFlow { return Lines(head: flow(value, quote: quote)) }
        var rest: [String] = []
        let head = write(value, indent: indent, quote: quote, below: &rest)
        return Lines(head: head, rest: rest)
    }

    /// The lines of a mapping's entry at `indent`.
    package func entry(_ name: String, _ value: Value, indent: Int) -> [String] {
        var lines: [String] = []
        write(name, value, indent: indent, to: &lines)
        return lines
    }

    /// The lines of a mapping's entries at `indent`.
    package func members(_ members: [Value.Member], indent: Int) -> [String] {
        var lines: [String] = []
        write(members, indent: indent, to: &lines)
        return lines
    }

    /// The lines of a list's element at `indent`.
    func dashed(_ value: Value, indent: Int) -> [String] {
        var lines: [String] = []
        writeDashed(value, indent: indent, to: &lines)
        return lines
    }

    // Each line is added once to the lines of the whole, not to those of every level around it.

    /// Adds a mapping's entry at `indent`.
    package func write(_ name: String, _ value: Value, indent: Int, to lines: inout [String]) {
        let first = lines.count
        lines.append("")
        let head = write(value, indent: indent, below: &lines)
        let space = head.isEmpty ? "" : " "
        lines[first] = "\(Self.blanks(indent))\(key(name, isFlow: false)):\(space)\(head)"
    }

    /// Adds a mapping's entries at `indent`.
    package func write(_ members: [Value.Member], indent: Int, to lines: inout [String]) {
        for member in members { write(member.name, member.value, indent: indent, to: &lines) }
    }

    private func writeDashed(_ value: Value, indent: Int, to lines: inout [String]) {
        let first = lines.count
        if case .object(let members) = value, !members.isEmpty, short(value) == nil {
            write(members, indent: indent + 2, to: &lines)
            lines[first] = "\(Self.blanks(indent))- \(lines[first].dropFirst(indent + 2))"
            return
        }
        lines.append("")
        let head = write(value, indent: indent, below: &lines)
        // A list inside a list begins below its dash.
        let space = head.isEmpty ? "" : " "
        lines[first] = "\(Self.blanks(indent))-\(space)\(head)"
    }

    /// Adds the lines below the one in which a value begins, of which it returns the rest.
    private func write(
        _ value: Value,
        indent: Int,
        quote: Unicode.Scalar? = nil,
        below lines: inout [String]
    ) -> String {
        switch value {
        case .string(let text):
            guard let literal = literal(text, indent: indent) else {
                return plain(text, false, quote)
            }
            lines += literal.rest
            return literal.head
        case .array(let elements) where !elements.isEmpty:
            if let short = short(value) { return short }
            for element in elements { writeDashed(element, indent: indent + step, to: &lines) }
            return ""
        case .object(let members) where !members.isEmpty:
            if blockLevels == 0, let short = short(value) { return short }
            var inner = self
            inner.blockLevels = max(0, blockLevels - 1)
            inner.write(members, indent: indent + step, to: &lines)
            return ""
        default: return flow(value, quote: quote)
        }
    }

    /// A key, in quotes if it needs them.
    package func key(_ name: String, isFlow: Bool) -> String {
        let isNothing = name.isEmpty || name == "~"
        return isNothing ? "\"\(name)\"" : scalar(name, isFlow: isFlow, quote: nil)
    }

    /// A value in one line.
    func flow(_ value: Value, quote: Unicode.Scalar? = nil) -> String {
        switch value {
        case .string(let text): plain(text, true, quote)
        case .number(let text): text
        case .boolean(let flag): flag ? "true" : "false"
        case .null: "null"
        case .array(let elements): "[\(elements.map { flow($0) }.joined(separator: ", "))]"
        case .object(let members) where members.isEmpty: "{}"
        case .object(let members):
            "{ \(members.map { "\(key($0.name, isFlow: true)): \(flow($0.value))" }.joined(separator: ", ")) }"
        }
    }

    private func short(_ value: Value) -> String? {
        // A long value is not written for each level that it stands in.
        var rest = Self.width
        guard Self.mayFit(value, in: &rest) else { return nil }
        let text = flow(value)
        return text.unicodeScalars.count <= Self.width ? text : nil
    }

    /// Whether a value may be as short as the columns that are left, of which it takes those that it needs at least.
    private static func mayFit(_ value: Value, in rest: inout Int) -> Bool {
        switch value {
        // A scalar has four bytes at most.
        case .string(let text): rest -= text.utf8.count / 4
        case .number(let text): rest -= text.utf8.count
        case .boolean, .null: rest -= 4
        case .array(let elements):
            for element in elements {
                rest -= 2
                guard rest >= 0, mayFit(element, in: &rest) else { return false }
            }
        case .object(let members):
            for member in members {
                rest -= 4 + member.name.utf8.count / 4
                guard rest >= 0, mayFit(member.value, in: &rest) else { return false }
            }
        }
        return rest >= 0
    }

    /// A string, in quotes if it would otherwise be read as a number, a Boolean or null.
    private func plain(_ text: String, _ isFlow: Bool, _ quote: Unicode.Scalar?) -> String {
        // Quotes also where other programs read something else than a string.
        if case .string = Value(plain: text), text.utf8.count == 1 || TextReview.trap(text) == nil {
            return scalar(text, isFlow: isFlow, quote: quote)
        }
        return Self.quoted(text, with: quote)
    }

    private func scalar(_ text: String, isFlow: Bool, quote: Unicode.Scalar?) -> String {
        if quote == nil, Self.mayBePlain(text, isFlow: isFlow) { return text }
        return Self.quoted(text, with: quote)
    }

    /// A text of several lines as a `|` block; nil if it has one line, or cannot be written as a block.
    private func literal(_ text: String, indent: Int) -> Lines? {
        let scalars = text.unicodeScalars
        guard scalars.contains("\n"), let first = scalars.first, first != " ", first != "\n",
            first != "\t",
            scalars.allSatisfy({ $0 == "\n" || $0 == "\t" || Self.isPrintable($0) })
        else { return nil }
        var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0) }
        // Only quotes distinguish blank lines at the end of the text from those of the file.
        guard lines.count > 1, lines[lines.count - 2].contains(where: { $0 != " " && $0 != "\t" })
        else { return nil }
        let endsLine = lines.last?.isEmpty == true
        if endsLine { lines.removeLast() }
        guard lines.last?.contains(where: { $0 != " " && $0 != "\t" }) == true else { return nil }
        let margin = Self.blanks(indent + step)
        return Lines(
            head: endsLine ? "|" : "|-",
            rest: lines.map { $0.isEmpty ? "" : margin + $0 }
        )
    }

    static func blanks(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

    /// Whether a text may be written without quotes, as YAML 1.1 reads it.
    static func mayBePlain(_ text: String, isFlow: Bool) -> Bool {
        // Most texts are ASCII, which is looked at byte by byte.
        let isPlain = text.utf8.withContiguousStorageIfAvailable { mayBePlain($0, isFlow: isFlow) }
        if let isPlain = isPlain ?? nil { return isPlain }
        let scalars = Array(text.unicodeScalars)
        guard let first = scalars.first, let last = scalars.last else { return false }
        guard first != " ", last != " ", last != ":", scalars.allSatisfy(isPrintable) else {
            return false
        }
        if first == "-" {
            guard scalars.count > 1, isWord(scalars[1]) else { return false }
        } else if "?:,[]{}#&*!|>'\"%@`=<".unicodeScalars.contains(first) {
            return false
        }
        guard !text.hasPrefix("---"), !text.hasPrefix("...") else { return false }
        for (index, scalar) in scalars.enumerated() {
            let before = index > 0 ? scalars[index - 1] : nil
            if scalar == " ", before == ":" { return false }
            if scalar == "#", before == " " { return false }
            guard isFlow else { continue }
            if ",[]{}?".unicodeScalars.contains(scalar) { return false }
        }
        return true
    }

    /// The same for the bytes of a text; nil for one that is not ASCII.
    private static func mayBePlain(_ text: UnsafeBufferPointer<UInt8>, isFlow: Bool) -> Bool? {
        guard let first = text.first, let last = text.last else { return false }
        let blank = UInt8(ascii: " ")
        var before: UInt8 = 0
        for byte in text {
            if byte >= 0x80 { return nil }
            if byte < 0x20 || byte == 0x7F { return false }
            if byte == blank, before == UInt8(ascii: ":") { return false }
            if byte == UInt8(ascii: "#"), before == blank { return false }
            if isFlow {
                switch byte {
                case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"),
                    UInt8(ascii: "}"), UInt8(ascii: "?"):
                    return false
                default: break
                }
            }
            before = byte
        }
        guard first != blank, last != blank, last != UInt8(ascii: ":") else { return false }
        if first == UInt8(ascii: "-") {
            guard text.count > 1, isWord(Unicode.Scalar(text[1])) else { return false }
        } else if "?:,[]{}#&*!|>'\"%@`=<".utf8.contains(first) {
            return false
        }
        guard text.count >= 3, first == UInt8(ascii: "-") || first == UInt8(ascii: ".") else {
            return true
        }
        return !(text[1] == first && text[2] == first)
    }

    /// The text in the given quotes, or in those that need no escapes.
    private static func quoted(_ text: String, with quote: Unicode.Scalar?) -> String {
        let scalars = text.unicodeScalars
        guard scalars.allSatisfy(isPrintable) else { return doubleQuoted(text) }
        let isEasy = !scalars.contains("\"") && !scalars.contains("\\")
        if quote == "\"" || quote == nil && isEasy { return doubleQuoted(text) }
        return
            "'\(text.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false).map { String($0) }.joined(separator: "''"))'"
    }

    static func doubleQuoted(_ text: String) -> String {
        StringLiteral.quoted(text) { isPrintable($0) ? nil : StringLiteral.numbered($0) }
    }

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "."
            || scalar == "/"
    }

    /// Whether YAML allows a scalar unescaped everywhere: no control character, no line break.
    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20...0x7E, 0xA0...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF:
            scalar != "\u{2028}" && scalar != "\u{2029}" && scalar != "\u{FEFF}"
        default: false
        }
    }
}
