package import Apus

extension Workspace {
    /// A chain, ready to be run in an environment.
    ///
    /// A step's target is filled in when what it needs is done; those that need
    /// nothing are filled in once here, so that a missing secret is told before
    /// anything is sent.
    ///
    /// - Throws: `WorkspaceError`, as for a target.
    package func graph(
        of chain: ChainDefinition,
        in environment: String
    ) throws(WorkspaceError) -> ChainGraph {
        for step in chain.steps where step.needs.isEmpty {
            _ = try resolve(step, in: environment, names: []) { _ in nil }
        }
        let credentials = chain.credentials
        let plan = ChainPlan(
            chain.steps.map { self.step($0, in: environment, credentials) },
            from: chain.source ?? .server
        )
        do throws(ChainPlanError) {
            var graph = try ChainGraph(plan)
            graph.mask = CredentialMask(secrets: secrets(in: environment))
            return graph
        } catch {
            // The loader has refused what a graph refuses, with its place in the file.
            throw WorkspaceError(
                error.faults.map { Problem(file: files.first ?? name, $0.description) }
            )
        }
    }

    /// All secrets that its requests may use.
    private func secrets(in environment: String) -> [String] {
        (variables + self.environment(environment).variables).compactMap { variable in
            guard case .secret(let secret) = variable.content else { return nil }
            return secret.value
        }
    }

    private func step(
        _ step: ChainStepDefinition,
        in environment: String,
        _ credentials: Set<String>
    ) -> ChainPlan.Step {
        let credentials = step.credentials(among: credentials)
        return ChainPlan.Step(
            step.name,
            needs: step.needs,
            join: step.join,
            captures: step.captures.map { ChainPlan.Capture($0.name, $0.path) },
            when: step.condition,
            forEach: step.forEach,
            // A target that says which statuses are answers means it here too.
            accepts: step.target.settings.validation == nil ? .successAndRedirectCodes : .none
        ) { values in
            do throws(WorkspaceError) {
                return try resolve(
                    step,
                    in: environment,
                    names: Array(values.all.keys),
                    credentials: credentials,
                    secrets: values.secrets
                ) { name in
                    // One by one: a list of which an element is sent may have many.
                    values[name].flatMap { Value($0) }
                }
            } catch {
                let summaries = error.problems.map(\.summary)
                throw ChainFailure.target(detail: summaries.joined(separator: "; "))
            }
        }
    }
}

/// What the steps of a chain may use of each other's captures.
///
/// Asked for one name of one step at a time: what all steps may use together grows with the square
/// of their number.
struct ChainCaptures: Sendable {
    private let steps: [ChainStepDefinition]
    private let structure: ChainStructure
    /// The steps that capture a name, in the file's order.
    private let makers: [String: [Int]]

    init(_ chain: ChainDefinition) {
        steps = chain.steps
        structure = ChainStructure(steps: chain.steps.map { ($0.name, $0.needs) })
        var makers: [String: [Int]] = [:]
        for (index, step) in chain.steps.enumerated() {
            for capture in step.captures { makers[capture.name, default: []].append(index) }
        }
        self.makers = makers
    }

    /// The step whose capture a step gets under a name; nil if it needs none that has it.
    func maker(of name: String, for step: Int) -> ChainStepDefinition? {
        makers[name]?.last { structure.ancestors[step].contains($0) }.map { steps[$0] }
    }

    /// A step that captures a name, and that a step could need but does not.
    func possibleMaker(of name: String, for step: Int) -> ChainStepDefinition? {
        // What itself needs the step cannot stand before it.
        makers[name]?.last { $0 != step && !structure.ancestors[$0].contains(step) }
            .map { steps[$0] }
    }

    /// All names that a step gets.
    func names(for step: Int) -> [String] {
        makers.keys.filter { maker(of: $0, for: step) != nil }
    }
}
