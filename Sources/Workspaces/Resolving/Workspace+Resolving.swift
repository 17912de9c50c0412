extension Workspace {
    /// Fills in a target for an environment (the first, if there is none of the name).
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - environment: The environment's name.
    ///   - captured: Values that lie over all variables. They are trusted as the workspace's own:
    ///     an answer's are given to a step.
    /// - Returns: The target, ready to be sent.
    /// - Throws: `WorkspaceError` if a variable or a secret has no value, or the URL is none.
    package func resolve(
        _ target: TargetDefinition,
        in environment: String,
        captured: [String: Value] = [:]
    ) throws(WorkspaceError) -> WorkspaceTarget {
        try resolve(in: environment) { resolver in
            resolver.resolve(
                target,
                overlay: Scope.Layer(captured.mapValues { ResolvedValue($0) })
            ) { supplied.giver(of: $0, to: target.id).map { "\($0) gives it one" } }
        }
    }

    /// Fills in a batch: its requests in order, each as often as it is repeated.
    ///
    /// - Throws: `WorkspaceError`, as for a target.
    package func resolve(
        _ batch: BatchDefinition,
        in environment: String
    ) throws(WorkspaceError) -> [WorkspaceTarget] {
        try resolve(in: environment) { resolver in
            var targets: [WorkspaceTarget] = []
            for entry in batch.entries {
                for index in 1...entry.repeatCount {
                    guard let target = resolver.resolve(entry, index: index) else { return nil }
                    targets.append(target)
                }
            }
            return targets
        }
    }

    /// Fills in a step of a chain; `captured` is what all steps before it captured.
    ///
    /// - Throws: `WorkspaceError`, as for a target.
    package func resolve(
        _ step: ChainStepDefinition,
        in environment: String,
        captured: [String: Value]
    ) throws(WorkspaceError) -> WorkspaceTarget {
        try resolve(in: environment) { resolver in
            resolver.resolve(
                step,
                captured: Scope.Layer(
                    captured.mapValues { ResolvedValue($0, isFromAnswer: true) }
                )
            )
        }
    }

    private func resolve<Result>(
        in environment: String,
        _ body: (TargetResolver) -> Result?
    ) throws(WorkspaceError) -> Result {
        let log = ProblemLog()
        let resolver = TargetResolver(
            workspace: self,
            environment: self.environment(environment),
            purpose: .sending,
            log: log
        )
        let result = body(resolver)
        try log.throwIfAny(files: files)
        guard let result else {
            throw WorkspaceError([Problem(file: files.first ?? name, "cannot be filled in")])
        }
        return result
    }
}
