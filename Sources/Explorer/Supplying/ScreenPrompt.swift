import Apus
import Synchronization
import Workspaces

/// Asks on the screen for what requests need, and waits for the answers.
final class ScreenPrompt: SupplyPrompt {
    private struct State {
        var count = 0
        var waiting: [Int: CheckedContinuation<String?, Never>] = [:]
        /// Questions that were given up before they were asked.
        var withdrawn: Set<Int> = []
    }

    private let state = Mutex(State())
    private let send: @Sendable (SupplyMessage) -> Void

    /// Makes a prompt; `send` tells the screen.
    init(_ send: @escaping @Sendable (SupplyMessage) -> Void) { self.send = send }

    func answer(to question: Question) async throws(SupplyError) -> String {
        guard let answer = await answer(to: .value(question)) else {
            if Task.isCancelled { throw .failed(ApusError(.cancelled)) }
            throw .refused("`\(question.name)` has no value: it was not given")
        }
        return answer
    }

    func allow(_ commands: [ShellCommand], of workspace: String) async throws(SupplyError) {
        guard await answer(to: .commands(commands, workspace: workspace)) != nil else {
            if Task.isCancelled { throw .failed(ApusError(.cancelled)) }
            throw .refused("the workspace's commands may not run")
        }
    }

    func didSupply(_ variable: String, from target: TargetID?) {
        send(.supplied(variable, from: target))
    }

    /// Answers a question; nil refuses it.
    func answer(_ id: Int, with text: String?) {
        let continuation = state.withLock { state in
            let continuation = state.waiting.removeValue(forKey: id)
            if continuation == nil { state.withdrawn.insert(id) }
            return continuation
        }
        continuation?.resume(returning: text)
    }

    private func answer(to asked: AskedQuestion) async -> String? {
        let id = state.withLock { state in
            state.count += 1
            return state.count
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWithdrawn = state.withLock { state in
                    if state.withdrawn.remove(id) != nil { return true }
                    state.waiting[id] = continuation
                    return false
                }
                guard !isWithdrawn else { return continuation.resume(returning: nil) }
                send(.asked(id, asked))
            }
        } onCancel: {
            answer(id, with: nil)
            send(.withdrawn(id))
        }
    }
}

/// What a request that waits asks for.
enum AskedQuestion: Sendable {
    /// A value of a variable.
    case value(Question)
    /// Whether a workspace's commands may run.
    case commands([ShellCommand], workspace: String)
}

/// What happens to the values that requests need.
enum SupplyMessage: Sendable {
    /// A request waits for an answer.
    case asked(Int, AskedQuestion)
    /// The request does not wait any more.
    case withdrawn(Int)
    /// A variable has got a value; a target was sent for it if one is given.
    case supplied(String, from: TargetID?)
    /// The values of these variables were forgotten.
    case forgotten([String])
}

/// What to do with the values that requests need.
enum SupplyEffect: Sendable {
    /// Answer a question; nil refuses it.
    case answer(Int, String?)
    /// Forget the values in an environment.
    case forget(any CatalogSource, environment: Int)
}
