import Apus

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
        for step in chain.steps {
            let needed = chain.ancestors(of: step)
            var captured: [String: ResolvedValue] = [:]
            for need in needed {
                for capture in need.captures {
                    captured[capture.name] =
                        need.forEach == nil ? Self.placeholder : Self.placeholderList
                }
            }
            if let forEach = step.forEach {
                captured[forEach.element] = Self.placeholder
                captured["index"] = Self.placeholder
            }
            let advice = advice(for: step, in: chain, knowing: Set(captured.keys))
            _ = resolver.resolve(step, captured: captured, advice: advice)
        }
    }

    /// Who captures what a step cannot use, because it does not need that step.
    private func advice(
        for step: ChainStepDefinition,
        in chain: ChainDefinition,
        knowing known: Set<String>
    ) -> [String: String] {
        var advice: [String: String] = [:]
        for other in chain.steps where other.name != step.name {
            // What itself needs the step cannot stand before it.
            guard !chain.ancestors(of: other).contains(where: { $0.name == step.name }) else {
                continue
            }
            for capture in other.captures where !known.contains(capture.name) {
                advice[capture.name] = "the step `\(other.name)` captures it: name it in `needs`"
            }
        }
        return advice
    }

    private static let placeholder = ResolvedValue(.string("captured"))
    private static let placeholderList = ResolvedValue(.array([.string("captured")]))
}
