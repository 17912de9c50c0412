/// A script of input for an app without a terminal, line by line.
///
///     # a line that begins with a hash and a blank is a comment
///     j j enter            keys, by the names that keys.yaml has
///     / "show user" enter  a text in quotes is typed; \" \\ and \n stand for a quote, a backslash and enter
///     paste:"curl …"       pastes a text
///     size:80x24           resizes the screen
///     wait:2s              waits; also 500ms
package struct KeyScript: Sendable {
    /// A part of a line.
    package enum Step: Hashable, Sendable {
        /// A key by its name, as in `apus keys`.
        case key(Key)
        /// Typed text, character by character.
        case text(String)
        /// Pasted text.
        case paste(String)
        /// A new size of the screen.
        case size(Size)
        /// A pause before the next step.
        case pause(Duration)
    }

    /// A line of the script, after which a frame is shown.
    package struct Line: Hashable, Sendable {
        /// Its number in the file, from 1.
        package let number: Int
        /// The line as written.
        package let text: String
        /// Its steps, in order.
        package let steps: [Step]
    }

    /// The lines, without blank ones and comments.
    package let lines: [Line]

    /// Reads a script.
    package init(_ text: String) throws(KeyScriptError) {
        var lines: [Line] = []
        let all = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, raw) in all.enumerated() {
            let line = raw.trimming(" \t\r")
            guard !line.isEmpty, line != "#", !line.hasPrefix("# ") else { continue }
            let steps = try Self.steps(of: line, number: index + 1)
            lines.append(Line(number: index + 1, text: String(line), steps: steps))
        }
        self.lines = lines
    }

    /// Parses a size, such as `120x36`; nil if it is not one, or has a side of more than 1000.
    package static func size(_ text: some StringProtocol) -> Size? {
        let parts = text.split(separator: "x").map { Int($0) }
        guard parts.count == 2, let columns = parts[0], let rows = parts[1],
            (1...1000).contains(columns), (1...1000).contains(rows)
        else { return nil }
        return Size(columns: columns, rows: rows)
    }

    private static func steps(of line: Substring, number: Int) throws(KeyScriptError) -> [Step] {
        var steps: [Step] = []
        var rest = line
        while let first = rest.first {
            if first == " " || first == "\t" {
                rest.removeFirst()
            } else if first == "\"", rest.count > 1 {
                steps.append(.text(try quoted(&rest, line: number)))
            } else if rest.hasPrefix("paste:\"") {
                rest.removeFirst("paste:".count)
                steps.append(.paste(try quoted(&rest, line: number)))
            } else {
                let word = rest.prefix { $0 != " " && $0 != "\t" }
                rest = rest[word.endIndex...]
                steps.append(try step(word, line: number))
            }
        }
        return steps
    }

    private static func step(_ word: Substring, line: Int) throws(KeyScriptError) -> Step {
        if let key = Key(String(word)) { return .key(key) }
        let parts = word.split(separator: ":", maxSplits: 1)
        if parts.count == 2, parts[0] == "size", let size = size(parts[1]) { return .size(size) }
        if parts.count == 2, parts[0] == "wait", let pause = duration(parts[1]) {
            return .pause(pause)
        }
        throw KeyScriptError(
            line: line,
            problem: "\"\(word)\" is not a key; put text to type in quotes, or use "
                + "size:80x24, wait:500ms or paste:\"text\""
        )
    }

    /// Parses `500ms` or `2s`; nil if it is neither, or more than a minute.
    private static func duration(_ text: Substring) -> Duration? {
        let isMilliseconds = text.hasSuffix("ms")
        guard text.hasSuffix("s"), let number = Int(text.dropLast(isMilliseconds ? 2 : 1)),
            number >= 0, number <= (isMilliseconds ? 60_000 : 60)
        else { return nil }
        return isMilliseconds ? .milliseconds(number) : .seconds(number)
    }

    private static func quoted(
        _ rest: inout Substring,
        line: Int
    ) throws(KeyScriptError) -> String {
        var text = ""
        rest.removeFirst()
        while let next = rest.popFirst() {
            if next == "\"" { return text }
            guard next == "\\" else {
                text.append(next)
                continue
            }
            switch rest.popFirst() {
            case "n": text.append("\n")
            case let escaped?: text.append(escaped)
            case nil: break
            }
        }
        throw KeyScriptError(line: line, problem: "a closing quote is missing")
    }
}

extension Substring {
    fileprivate func trimming(_ characters: String) -> Substring {
        var text = self
        while let first = text.first, characters.contains(first) { text.removeFirst() }
        while let last = text.last, characters.contains(last) { text.removeLast() }
        return text
    }
}

/// Why a script of keys cannot be read.
package struct KeyScriptError: Error, Hashable, Sendable {
    /// The line, from 1.
    package let line: Int
    /// What is wrong with it.
    package let problem: String
}
