/// What is wrong with a workspace: every problem that was found, not only the first.
package struct WorkspaceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problems, by file and line; never empty.
    package let problems: [Problem]

    init(_ problems: [Problem]) {
        self.problems = problems
    }

    /// All problems as text, each with its source line.
    package var description: String { ProblemText.render(problems) }
}
