/// Collects problems while a workspace is read, so that one look shows them all.
final class ProblemLog {
    /// Nobody reads more, and each may cost a search for what was meant.
    static let limit = 100

    private(set) var problems: [Problem] = []
    private var seen: Set<Problem> = []
    /// Whether there were more than `limit`.
    private(set) var isCut = false

    /// Whether what is added now is left out.
    var isFull: Bool { problems.count >= Self.limit }

    /// Adds a problem; one that is already there, as through an alias, is not repeated.
    func add(_ problem: @autoclosure () -> Problem) {
        guard !isFull else { return cut() }
        let problem = problem()
        if seen.insert(problem).inserted { problems.append(problem) }
    }

    /// Adds a problem; nothing of it is worked out when the log is full.
    func add(
        _ span: @autoclosure () -> Span,
        _ message: @autoclosure () -> String,
        expected: @autoclosure () -> String? = nil,
        hint: @autoclosure () -> String? = nil
    ) {
        add(Problem(span(), message(), expected: expected(), hint: hint()))
    }

    /// Notes that there is more than is told.
    func cut() { isCut = true }

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
        var sorted = problems.sorted { rank($0) < rank($1) }
        if isCut {
            let file = sorted.last?.location.file ?? ""
            sorted.append(Problem(file: file, "there are more than \(Self.limit) problems"))
        }
        throw WorkspaceError(sorted)
    }
}
