import Documents

/// Gives environments what those that they extend have.
struct EnvironmentLinker {
    private let environments: [Environment]
    private let log: ProblemLog

    init(_ environments: [Environment], _ log: ProblemLog) {
        (self.environments, self.log) = (environments, log)
    }

    /// The environments, each on top of what it extends; what is not there, or leads back to itself, is logged.
    func linked() -> [Environment] { environments.map { linked($0, []) } }

    private func linked(_ environment: Environment, _ path: [String]) -> Environment {
        guard let (name, span) = environment.parent else { return environment }
        let path = path + [environment.name]
        guard !path.contains(name) else {
            let circle = (path.drop { $0 != name } + [name]).joined(separator: " → ")
            log.add(span, "the environment `\(name)` extends itself: \(circle)")
            return environment
        }
        guard let parent = environments.first(where: { $0.name == name }) else {
            let names = environments.map(\.name).filter { $0 != environment.name }
            let hint = Suggestion.hint(for: name, among: names)
            log.add(
                span,
                "unknown environment `\(name)`",
                expected: hint == nil ? Fields.list(names) : nil,
                hint: hint
            )
            return environment
        }
        return environment.extending(linked(parent, path))
    }
}
