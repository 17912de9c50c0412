/// Collects problems while a workspace is read, so that one look shows them all.
final class ProblemLog {
    private(set) var problems: [Problem] = []
    private var seen: Set<Problem> = []

    /// Adds a problem; one that is already there, as through an alias, is not repeated.
    func add(_ problem: Problem) {
        if seen.insert(problem).inserted { problems.append(problem) }
    }

    func add(_ span: Span, _ message: String, expected: String? = nil, hint: String? = nil) {
        add(Problem(span, message, expected: expected, hint: hint))
    }

    /// Throws what was found, in the order of the files.
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
        throw WorkspaceError(problems.sorted { rank($0) < rank($1) })
    }
}
