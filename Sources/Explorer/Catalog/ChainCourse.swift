import Apus
import Synchronization
import Workspaces

/// One run of a workspace's chain: each step is resolved when what the steps
/// before it gave is known.
final class ChainCourse: Sendable {
    private let definition: ChainDefinition
    private let workspace: Workspace
    private let environment: String
    private let first: WorkspaceTarget
    /// What has been taken out of answers so far.
    private let captured = Mutex<[String: Value]>([:])

    /// Resolves the first step.
    init(
        _ definition: ChainDefinition,
        of workspace: Workspace,
        in environment: String
    ) throws(WorkspaceError) {
        guard let step = definition.steps.first else {
            preconditionFailure("the loader refuses a chain without steps")
        }
        self.definition = definition
        self.workspace = workspace
        self.environment = environment
        first = try workspace.resolve(step, in: environment, captured: [:])
    }

    /// The chain to send.
    var chain: Chain {
        Chain(
            startingWith: first,
            from: definition.source ?? .server,
            maximumSteps: definition.steps.count
        ) { [self] step in
            // A step that failed has nothing to give to the next.
            guard case .success(let response) = step.result, response.status < 400 else {
                return nil
            }
            let values = try definition.steps[step.index].capture(from: AnswerCaptures(response))
            let known = captured.withLock { captured in
                captured.merge(values) { _, new in new }
                return captured
            }
            guard definition.steps.indices.contains(step.index + 1) else { return nil }
            return try workspace.resolve(
                definition.steps[step.index + 1],
                in: environment,
                captured: known
            )
        }
    }

    /// What a step gave, for the screen.
    @Sendable func captures(_ step: ChainStep) -> [ResolvedChain.Capture] {
        guard case .success(let response) = step.result,
            definition.steps.indices.contains(step.index)
        else { return [] }
        let answer = AnswerCaptures(response)
        return definition.steps[step.index].captures.compactMap { capture in
            capture.path.value(in: answer).map {
                ResolvedChain.Capture(name: capture.name, value: $0.shortText)
            }
        }
    }
}
