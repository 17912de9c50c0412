import ArgumentParser
import Documents
import Interchange
import Workspaces

/// `apus check`: says what is wrong in a workspace, without sending anything.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        _superCommandName: "apus",
        abstract:
            "Say what is wrong in a workspace, or probably not meant, with its place and what to do.",
        discussion: """
            Errors keep a workspace from being used: unknown keys and names, variables without a value, cycles. Warnings \
            are about what probably does something else than is meant: credentials in the file, variables that nothing \
            uses, `/users/:id` or `{id}` where `{{ id }}` is filled in, and words that YAML reads differently than people \
            do. --fix writes what is certain: quotes around `{{ name }}` and such words, and `{{ id }}`.

            It ends with 0 if there is no error (with --strict, no warning either), 1 if there is, and 2 if there is no \
            workspace or it cannot be read.

            --json prints one object: version (1), files, targets (their number), errors and warnings (their numbers), \
            problems [{severity, file, line, column, length, message, expected, hint, fix: {old, text}}, …]; expected, \
            hint and fix may be null, line and column are 0 for a file as a whole.

            Examples:
              apus check
              apus check shop.apus.yaml --fix
            """
    )

    @OptionGroup var workspace: WorkspaceArgument

    @Flag(help: "Write what is certain to the files.")
    var fix = false

    @Flag(help: "Let warnings fail, too.")
    var strict = false

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() throws {
        let path = try workspace.path()
        var fixed = 0
        var review = try WorkspaceReview(path: path, foreign: WorkspaceImporter())
        // An error hides what else is wrong in its file.
        while fix, case let count = try review.fix(), count > 0 {
            fixed += count
            review = try WorkspaceReview(path: path, foreign: WorkspaceImporter())
        }
        try StandardOutput.print(
            asJSON: json,
            Self.json(of: review),
            or: Self.lines(of: review, fixed)
        )
        let fails = review.count(.error) > 0 || strict && !review.problems.isEmpty
        if fails { throw ExitCode(ExitStatus.negative) }
    }

    private static func lines(of review: WorkspaceReview, _ fixed: Int) -> [String] {
        var lines = review.problems.isEmpty ? [] : [ProblemText.render(review.problems), ""]
        if fixed > 0 { lines.append("\(counted(fixed, "problem")) mended.") }
        let targets = counted(review.targets, "target")
        let files = review.files.count == 1 ? review.files[0] : counted(review.files.count, "file")
        let errors = review.count(.error)
        let warnings = review.count(.warning)
        let found = [(errors, "error"), (warnings, "warning")].filter { $0.0 > 0 }
            .map { counted($0.0, $0.1) }
        lines.append(
            found.isEmpty
                ? "\(files): no problems in \(targets)."
                : "\(files): \(found.joined(separator: ", "))."
        )
        let fixable = review.problems.count { $0.fix != nil }
        if fixable > 0 {
            lines.append("`apus check --fix` mends \(fixable == 1 ? "one" : "\(fixable)") of them.")
        }
        return lines
    }

    private static func counted(_ count: Int, _ word: String) -> String {
        "\(count) \(word)\(count == 1 ? "" : "s")"
    }

    private static func json(of review: WorkspaceReview) -> JSON {
        JSON(members: [
            ("version", 1), ("files", JSON(review.files.map { JSON($0) })),
            ("targets", JSON(review.targets)), ("errors", JSON(review.count(.error))),
            ("warnings", JSON(review.count(.warning))),
            ("problems", JSON(review.problems.map(json))),
        ])
    }

    private static func json(_ problem: Problem) -> JSON {
        let place = problem.location
        return JSON(members: [
            ("severity", JSON(problem.severity.rawValue)), ("file", JSON(place.file)),
            ("line", JSON(place.line)), ("column", JSON(place.column)),
            ("length", JSON(problem.length)), ("message", JSON(problem.message)),
            ("expected", problem.expected.map { JSON($0) } ?? .null),
            ("hint", problem.hint.map { JSON($0) } ?? .null),
            (
                "fix",
                problem.fix.map {
                    JSON(members: [("old", JSON($0.old)), ("text", JSON($0.text))])
                } ?? .null
            ),
        ])
    }
}

extension WorkspaceReview {
    /// How many problems of this severity there are.
    fileprivate func count(_ severity: Problem.Severity) -> Int {
        problems.count { $0.severity == severity }
    }
}
