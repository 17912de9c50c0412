import Apus
import Documents
import Secrets

/// One thing that is wrong in a workspace file.
package struct Problem: Sendable, Hashable {
    /// Where it is.
    package let location: SourceLocation
    /// What is wrong, as a sentence without its period.
    package var message: String
    /// What was expected instead.
    package let expected: String?
    /// What to do about it.
    package internal(set) var hint: String?
    /// The line with the problem, or the part of a long line around it; nil for a problem of the whole file,
    /// and if the line must not be shown.
    let excerpt: Excerpt?
    /// The number of scalars that the caret underlines.
    package let length: Int
    /// Whether it keeps the workspace from being used.
    package internal(set) var severity = Severity.error
    /// What to write in its place; nil if that is for the author to say.
    package internal(set) var fix: Fix?
    /// The variable whose value would fix the problem; nil if none would.
    package internal(set) var missing: Missing?

    /// How bad a problem is.
    package enum Severity: String, Sendable {
        /// The workspace cannot be used.
        case error
        /// It can be used, but probably does something else than is meant.
        case warning
    }

    /// A text to write at the problem's place.
    package struct Fix: Sendable, Hashable {
        /// The text that it replaces.
        package let old: String
        /// What is written.
        package let text: String
    }

    /// A name that has no value.
    package struct Missing: Sendable, Hashable {
        /// The name.
        package let name: String
        /// Whether its value must be masked.
        package let isSecret: Bool
    }

    /// What is wrong where, whatever is expected or advised.
    struct Fault: Hashable {
        let location: SourceLocation
        let message: String
    }

    var fault: Fault { Fault(location: location, message: message) }

    /// A part of a line.
    struct Excerpt: Sendable, Hashable {
        let text: String
        /// The number of scalars in the line before the text (`start`) and before the problem (`caret`).
        let start: Int
        let caret: Int
        /// Whether the line continues after the text.
        let isCut: Bool
    }

    init(_ span: Span, _ message: String, expected: String? = nil, hint: String? = nil) {
        location = span.location
        length = span.length
        let hidden = span.source.isHidden ? nil : span.source.credentials
        // A quotation may be a URL with a password in it.
        let shown = { (text: String) in
            CredentialText.hiding(in: CredentialMask().masking(line: text))
        }
        if let hidden {
            let key = hidden.key(at: span)
            self.message = key.map { Self.withoutQuotes(message, but: $0) } ?? shown(message)
        } else {
            self.message = Self.withoutQuotes(message)
        }
        let isHidden = span.source.isHidden
        self.expected = isHidden ? expected.map { Self.withoutQuotes($0) } : expected.map(shown)
        self.hint = isHidden ? hint.map { Self.withoutQuotes($0) } : hint.map(shown)
        // In a text that is not YAML any word may be a credential, so no line is shown.
        excerpt = hidden.flatMap { hidden in
            guard let line = span.source.line(span.line) else { return nil }
            return Excerpt(of: line, around: span.column) {
                hidden.hiding($0, from: $1, of: span)
            }
        }
    }

    /// The text without its quotations from a file, except a key that is the first or the last of them.
    ///
    /// Quotations are between backquotes, and can contain backquotes themselves. Text after a colon, which
    /// may be another parser's message, is removed too.
    private static func withoutQuotes(_ text: String, but key: String? = nil) -> String {
        guard let first = text.firstIndex(of: "`"), let last = text.lastIndex(of: "`") else {
            return text
        }
        if let key, !key.isEmpty {
            let quoted = "`\(key)`"
            if text[first...].hasPrefix(quoted) {
                let end = text.index(first, offsetBy: quoted.count)
                return "\(text[..<end])\(withoutQuotes(String(text[end...])))"
            }
            if text.hasSuffix(quoted) {
                return withoutQuotes(String(text.dropLast(quoted.count))) + quoted
            }
        }
        return "\(text[..<first])`…`\(text[last...].dropFirst().prefix { $0 != ":" })"
    }

    /// Makes a problem about a whole file.
    package init(file: String, _ message: String, hint: String? = nil) {
        location = SourceLocation(file: file)
        self.message = message
        expected = nil
        self.hint = hint
        excerpt = nil
        length = 1
    }

    /// Makes a problem that is in no file: of a name that was typed, or of a text that was pasted.
    package init(_ message: String) { self.init(file: "", message) }

    /// The problem in one line, without the excerpt.
    package var summary: String { location.file.isEmpty ? words : "\(location): \(words)" }

    /// The problem in one line, without its place: for a text that no file has.
    package var words: String {
        var text = message
        if let expected { text += "; expected \(expected)" }
        if let hint { text += "; \(hint)" }
        return text
    }
}

extension Problem.Excerpt {
    /// The largest number of scalars that are shown.
    private static let width = 120

    /// Cuts the line now, because it may be the whole file, and every problem keeps its own excerpt.
    init(of line: String, around column: Int, hiding: (String, Int) -> String) {
        let scalars = line.unicodeScalars
        let wanted = max(0, column - 1)
        let place =
            scalars.index(scalars.startIndex, offsetBy: wanted, limitedBy: scalars.endIndex)
            ?? scalars.endIndex
        let before =
            scalars.index(place, offsetBy: -wanted, limitedBy: scalars.startIndex) == nil
            ? scalars.count : wanted
        let isShort =
            scalars.index(scalars.startIndex, offsetBy: Self.width + 1, limitedBy: scalars.endIndex)
            == nil
        let start = isShort || before < Self.width / 2 ? 0 : before - Self.width / 2
        let first = scalars.index(place, offsetBy: start - before)
        let end =
            scalars.index(first, offsetBy: Self.width, limitedBy: scalars.endIndex)
            ?? scalars.endIndex
        text = hiding(String(scalars[first..<end]), start)
        self.start = start
        caret = before
        isCut = end < scalars.endIndex
    }
}

/// Collects problems while a workspace is read, so that all are reported at once.
final class ProblemLog {
    /// The largest number of problems; nobody reads more, and each can cost a search for similar names.
    static let limit = 100

    private(set) var problems: [Problem] = []
    private var seen: Set<Problem.Fault> = []
    /// The kinds of mappings whose keys a problem has listed.
    private var listed: Set<String> = []
    /// Whether there were more than `limit`.
    private(set) var isCut = false

    /// Whether further problems are dropped.
    var isFull: Bool { problems.count >= Self.limit }

    /// Whether a problem is the first to list the keys of a kind of mapping.
    func lists(_ what: String) -> Bool { listed.insert(what).inserted }

    /// Adds a problem unless it is already there, as happens with aliases, and with a target that a batch sends:
    /// what is expected may differ there, but the fault is the same.
    func add(_ problem: @autoclosure () -> Problem) {
        guard !isFull else { return cut() }
        let problem = problem()
        if seen.insert(problem.fault).inserted { problems.append(problem) }
    }

    /// Adds a problem; nothing is evaluated if the log is full.
    func add(
        _ span: @autoclosure () -> Span,
        _ message: @autoclosure () -> String,
        expected: @autoclosure () -> String? = nil,
        hint: @autoclosure () -> String? = nil
    ) {
        add(Problem(span(), message(), expected: expected(), hint: hint()))
    }

    /// Records that problems were left out.
    func cut() { isCut = true }

    /// Throws the problems, ordered by file, line and column.
    func throwIfAny(files: [String]) throws(WorkspaceError) {
        guard !problems.isEmpty else { return }
        let order = Dictionary(
            files.enumerated().map { ($1, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        func rank(_ problem: Problem) -> (Int, Int, Int) {
            let location = problem.location
            return (order[location.file] ?? -1, location.line, location.column)
        }
        var sorted = problems.sorted { rank($0) < rank($1) }
        if isCut {
            let file = sorted.last?.location.file ?? ""
            sorted.append(Problem(file: file, "there are more than \(Self.limit) problems"))
        }
        throw WorkspaceError(sorted)
    }
}

/// Problems as text for people, each with its source line and a caret.
///
/// ```
/// demo.apus.yaml:3:5: error: unknown key `heders`
///   3 |     heders: {}
///     |     ^^^^^^
///     = did you mean `headers`?
/// ```
package enum ProblemText {
    /// The problems as text, a few lines for each.
    package static func render(_ problems: [Problem]) -> String {
        problems.map(render).joined(separator: "\n")
    }

    private static func render(_ problem: Problem) -> String {
        guard !problem.location.file.isEmpty else { return problem.words }
        var lines = ["\(problem.location): \(problem.severity): \(problem.message)"]
        let margin = String(repeating: " ", count: String(problem.location.line).count + 2)
        if let excerpt = problem.excerpt {
            let (text, underline) = underlined(excerpt, length: problem.length)
            lines.append("  \(problem.location.line) | \(text)")
            lines.append("\(margin) | \(underline)")
        }
        if let expected = problem.expected { lines.append("\(margin) = expected \(expected)") }
        if let hint = problem.hint { lines.append("\(margin) = \(hint)") }
        return lines.map(trimmingEnd).joined(separator: "\n")
    }

    /// The excerpt, with an ellipsis where it was cut, and the line of carets below it.
    private static func underlined(
        _ excerpt: Problem.Excerpt,
        length: Int
    ) -> (text: String, underline: String) {
        let text = (excerpt.start > 0 ? "…" : "") + shown(excerpt.text) + (excerpt.isCut ? "…" : "")
        let before = excerpt.caret - excerpt.start + (excerpt.start > 0 ? 1 : 0)
        let left = excerpt.text.unicodeScalars.count - (excerpt.caret - excerpt.start)
        let length = min(length, max(1, left))
        return (
            text,
            String(repeating: " ", count: before) + String(repeating: "^", count: length)
        )
    }

    /// Replaces control and format characters, because a terminal obeys them.
    private static func shown(_ line: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in line.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where scalar == "\t": text.append(" ")
            case .control, .format, .lineSeparator, .paragraphSeparator: text.append("\u{FFFD}")
            default: text.append(scalar)
            }
        }
        return String(text)
    }

    private static func trimmingEnd(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }
}

/// Every problem found in a workspace, not only the first.
package struct WorkspaceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problems, ordered by file and line; never empty.
    package let problems: [Problem]

    /// Makes an error of problems, at least one.
    package init(_ problems: [Problem]) {
        self.problems = problems
    }

    /// One problem that is in no file, in words.
    package init(_ message: String) { self.init([Problem(message)]) }

    /// Nothing of this kind has that name; the text lists the names that `owner` has.
    package init(
        noneNamed name: String,
        kind: String,
        of owner: String = "workspace",
        among names: [String]
    ) {
        let few = names.prefix(8).map { "“\($0)”" }.joined(separator: ", ")
        let rest = names.count > 8 ? " and \(names.count - 8) more" : ""
        let meant = Suggestion.nearest(to: name, among: names)
        let hint = meant.map { "did you mean “\($0)”? The" } ?? "the"
        self.init(
            names.isEmpty
                ? "the \(owner) has no \(kind)"
                : "there is no \(kind) “\(CredentialMask().masking(argument: name))”; "
                    + "\(hint) \(owner) has \(few)\(rest)"
        )
    }

    /// All problems as text, each with its source line.
    package var description: String { ProblemText.render(problems) }
    /// All problems in one line.
    package var line: String { problems.map(\.summary).joined(separator: "; ") }
}
