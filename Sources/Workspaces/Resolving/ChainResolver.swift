package import Apus
import FoundationEssentials
import Secrets

extension Workspace {
    /// A chain, ready to be run in an environment.
    ///
    /// A step's target is filled in after the steps that it needs. Steps that need nothing are also filled in
    /// here, so that a missing secret is reported before anything is sent.
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
            graph.mask = CredentialMask(secrets: Array(knownSecrets))
            return graph
        } catch {
            // The loader has already refused what a graph refuses, with its position in the file.
            throw WorkspaceError(
                error.faults.map { Problem(file: files.first ?? name, $0.description) }
            )
        }
    }

    private func step(
        _ step: ChainStepDefinition,
        in environment: String,
        _ credentials: Set<String>
    ) -> ChainPlan.Step {
        let credentials = step.credentials(among: credentials)
        var planned = ChainPlan.Step(
            step.name,
            needs: step.needs,
            join: step.join,
            captures: step.captures.map { ChainPlan.Capture($0.name, $0.path) },
            when: step.condition,
            forEach: step.forEach,
            // A target that says itself which statuses are right says it here too.
            accepts: step.judgesStatus ? .none : .successAndRedirectCodes
        ) { values in
            do throws(WorkspaceError) {
                return try resolve(
                    step,
                    in: environment,
                    names: Array(values.all.keys),
                    credentials: credentials,
                    secrets: values.secrets
                ) { values[$0] }
            } catch {
                let summaries = error.problems.map(\.summary)
                throw ChainFailure.target(detail: summaries.joined(separator: "; "))
            }
        }
        if !step.expectations.isEmpty {
            planned.check = { target, response, duration in
                (target.unwrapped as? WorkspaceTarget)?
                    .stepFault(in: response, after: duration, now: Date())
            }
        }
        return planned
    }
}

/// Which captures of earlier steps each step of a chain can use.
///
/// Looks up one name of one step at a time, because a table for all steps would grow with the square of their
/// number.
struct ChainCaptures: Sendable {
    private let steps: [ChainStepDefinition]
    private let structure: ChainStructure
    /// The indices of the steps that capture each name, in the file's order.
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

    /// The step that supplies a captured name to a step; nil if none of the steps that it needs captures the name.
    func maker(of name: String, for step: Int) -> ChainStepDefinition? {
        makers[name]?.last { structure.ancestors[step].contains($0) }.map { steps[$0] }
    }

    /// A step that captures a name, and that a step could need but does not; nil if there is none.
    func possibleMaker(of name: String, for step: Int) -> ChainStepDefinition? {
        // A step that needs this one cannot run before it.
        makers[name]?.last { $0 != step && !structure.ancestors[$0].contains(step) }
            .map { steps[$0] }
    }

    /// All captured names that a step can use.
    func names(for step: Int) -> [String] {
        makers.keys.filter { maker(of: $0, for: step) != nil }
    }
}
