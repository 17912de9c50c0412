import Apus

/// Everything that is wrong, or probably not meant, in the files of a workspace.
package struct WorkspaceReview: Sendable {
    /// The problems, ordered by file, line and column.
    package let problems: [Problem]
    /// The files that were read.
    package let files: [String]
    /// The number of targets; 0 if the files make no workspace.
    package let targets: Int

    private let sources: [SourceText]

    /// Reads and checks the workspace at a path: a file, or a folder of them.
    ///
    /// - Throws: `WorkspaceError` if there is no workspace, or a file cannot be read.
    package init(
        path: String,
        secrets: SecretReader = .process,
        foreign: (any ForeignReader)? = nil
    ) throws(WorkspaceError) {
        let log = ProblemLog()
        let sources = try WorkspaceLoader.sources(at: path, foreign: foreign, log)
        try log.throwIfAny(files: sources.map(\.name))
        var problems: [Problem] = []
        var workspace: Workspace?
        do throws(WorkspaceError) {
            workspace = try WorkspaceLoader.read(sources, given: [:], secrets: secrets, log)
        } catch {
            problems = QuotesFix.added(to: error.problems, of: sources)
        }
        let advice = ProblemLog()
        for source in sources { TextReview(source: source, log: advice).review() }
        if let workspace { UseReview(workspace: workspace, log: advice).review() }
        // An error says more about its line than a warning does.
        let lines = Set(problems.map { Line($0.location) })
        problems += advice.problems.filter { !lines.contains(Line($0.location)) }
        self.sources = sources
        files = sources.map(\.name)
        targets = workspace?.targets.count ?? 0
        let order = Dictionary(files.enumerated().map { ($1, $0) }) { first, _ in first }
        func rank(_ problem: Problem) -> (Int, Int, Int) {
            let place = problem.location
            return (order[place.file] ?? -1, place.line, place.column)
        }
        self.problems = problems.sorted { rank($0) < rank($1) }
    }

    private struct Line: Hashable {
        let file: String
        let number: Int

        init(_ location: SourceLocation) { (file, number) = (location.file, location.line) }
    }

    /// Writes what is certain to the files.
    ///
    /// - Returns: How many problems that mends.
    /// - Throws: `WorkspaceError` if a file cannot be written, or has changed meanwhile.
    package func fix() throws(WorkspaceError) -> Int {
        var count = 0
        for source in sources {
            let fixes = problems.filter { $0.location.file == source.name && $0.fix != nil }
            guard !fixes.isEmpty, !source.isNew, let original = source.original else { continue }
            let (text, mended) = Self.text(original, with: fixes)
            guard mended > 0, Self.faults(in: text) <= Self.faults(in: original) else { continue }
            do throws(FileReadError) {
                try TextFile.replace(source.name, original, with: text)
            } catch {
                throw WorkspaceError([Problem(file: source.name, "the file \(error.detail)")])
            }
            count += mended
        }
        return count
    }

    /// How many problems YAML alone has with a text.
    private static func faults(in text: String) -> Int {
        let log = ProblemLog()
        _ = YAMLReader(source: SourceText(name: "", text: text), log: log).read()
        return log.problems.count
    }

    /// A text with problems mended, and how many.
    ///
    /// A fix that overlaps another is left out, and one that does not find what it replaces.
    private static func text(
        _ original: String,
        with problems: [Problem]
    ) -> (text: String, mended: Int) {
        var scalars = Array(original.unicodeScalars)
        let starts = lineStarts(of: scalars)
        var end = scalars.count
        var mended = 0
        for problem in problems.reversed() {
            guard let fix = problem.fix, starts.indices.contains(problem.location.line - 1)
            else { continue }
            let start = starts[problem.location.line - 1] + problem.location.column - 1
            let place = start..<start + fix.old.unicodeScalars.count
            guard place.upperBound <= end, scalars[place].elementsEqual(fix.old.unicodeScalars)
            else { continue }
            scalars.replaceSubrange(place, with: fix.text.unicodeScalars)
            end = start
            mended += 1
        }
        return (String(String.UnicodeScalarView(scalars)), mended)
    }

    private static func lineStarts(of scalars: [Unicode.Scalar]) -> [Int] {
        // Columns count from behind a byte order mark.
        var starts = [scalars.first == "\u{FEFF}" ? 1 : 0]
        for (index, scalar) in scalars.enumerated() {
            // As YAML 1.1 ends lines (libyaml).
            let isEnd =
                ["\n", "\u{85}", "\u{2028}", "\u{2029}"].contains(scalar)
                || scalar == "\r" && !(index + 1 < scalars.count && scalars[index + 1] == "\n")
            if isEnd { starts.append(index + 1) }
        }
        return starts
    }
}

/// Mends values that begin with `{{` and lack quotes, which YAML takes for a mapping.
enum QuotesFix {
    /// The problems, with a fix for the first of each such line.
    static func added(to problems: [Problem], of sources: [SourceText]) -> [Problem] {
        var done: Set<SourceLocation> = []
        return problems.map { problem in
            let place = problem.location
            guard let source = sources.first(where: { $0.name == place.file }),
                let line = source.line(place.line), let value = value(in: line),
                done.insert(SourceLocation(file: place.file, line: place.line)).inserted
            else { return problem }
            let span = Span(
                source,
                line: place.line,
                column: value.column,
                length: value.text.unicodeScalars.count
            )
            var mended = Problem(
                span,
                "a value that begins with `{{` needs quotes",
                hint: "YAML takes a bare brace for a mapping"
            )
            mended.fix = Problem.Fix(
                old: value.text,
                text:
                    "\"\(value.text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
            )
            return mended
        }
    }

    /// The value of a line `key: {{ … }}` or `- {{ … }}`, and its column.
    private static func value(in line: String) -> (column: Int, text: String)? {
        guard let open = line.firstRange(of: "{{") else { return nil }
        let before = line[..<open.lowerBound]
        guard before.hasSuffix(": ") || before.hasSuffix("- "),
            !before.contains(where: { "#'\"{[".contains($0) })
        else { return nil }
        var text = line[open.lowerBound...]
        if let comment = text.firstRange(of: " #") { text = text[..<comment.lowerBound] }
        while text.last?.isWhitespace == true { text.removeLast() }
        guard text.contains("}}") else { return nil }
        return (before.unicodeScalars.count + 1, String(text))
    }
}
