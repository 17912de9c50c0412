/// Resolves every request once in every environment, before anything is sent.
///
/// What only an answer can tell is taken as given.
struct ReferenceChecker {
    let workspace: Workspace
    let log: ProblemLog

    func check() {
        var found: [Problem: Set<String>] = [:]
        var order: [Problem] = []
        let supplied = workspace.suppliedNames
        for environment in workspace.environments {
            for problem in problems(in: environment, supplied) {
                if found[problem] == nil { order.append(problem) }
                found[problem, default: []].insert(environment.name)
            }
        }
        for problem in order {
            let names = found[problem, default: []].sorted()
            guard names.count < workspace.environments.count else {
                log.add(problem)
                continue
            }
            var narrowed = problem
            let list = names.map { "`\($0)`" }.joined(separator: ", ")
            narrowed.message += " in the environment\(names.count > 1 ? "s" : "") \(list)"
            log.add(narrowed)
        }
    }

    private func problems(
        in environment: Environment,
        _ supplied: [TargetID: [String: String]]
    ) -> [Problem] {
        let local = ProblemLog()
        let resolver = TargetResolver(
            workspace: workspace,
            environment: environment,
            purpose: .checking,
            log: local
        )
        resolver.checkVariables()
        for target in workspace.targets {
            let given = supplied[target.id, default: [:]].mapValues { _ in Self.placeholder }
            _ = resolver.resolve(target, overlay: given)
        }
        for batch in workspace.batches {
            for entry in batch.entries { _ = resolver.resolve(entry, index: 1) }
        }
        for chain in workspace.chains { check(chain, resolver) }
        return local.problems
    }

    private func check(_ chain: ChainDefinition, _ resolver: TargetResolver) {
        var captured: [String: ResolvedValue] = [:]
        for step in chain.steps {
            _ = resolver.resolve(step, captured: captured)
            for capture in step.captures { captured[capture.name] = Self.placeholder }
        }
    }

    private static let placeholder = ResolvedValue(.string("captured"))
}
