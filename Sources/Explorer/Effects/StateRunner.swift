import Apus
import Synchronization

/// Keeps the state of a workspace for the next start: what is newest, a second after it changed, and at the end.
@MainActor
final class StateRunner {
    private let path: String
    private let newest = Waiting()
    private let tell: @Sendable (String) -> Void
    private var writing: Task<Void, Never>?

    /// What is to be written, and whether somebody is about to.
    private final class Waiting: Sendable {
        private struct Content {
            var state: KeptState?
            var isAwaited = false
        }
        private let content = Mutex(Content())

        /// Takes a newer state; tells whether it needs somebody who writes it.
        func put(_ state: KeptState) -> Bool {
            content.withLock { content in
                content.state = state
                defer { content.isAwaited = true }
                return !content.isAwaited
            }
        }

        func take() -> KeptState? {
            content.withLock { content in
                defer { content = Content() }
                return content.state
            }
        }
    }

    /// `tell` is told once why nothing is kept.
    init(path: String, tell: @escaping @Sendable (String) -> Void) {
        (self.path, self.tell) = (path, tell)
    }

    /// Has a state written soon.
    func keep(_ state: KeptState) {
        guard newest.put(state) else { return }
        writing = Task.detached { [newest, path, tell, before = writing] in
            await before?.value
            // Cancelled: who ends it writes.
            guard (try? await Task.sleep(for: .seconds(1))) != nil, let state = newest.take() else {
                return
            }
            do throws(PrivateFiles.Fault) {
                try state.write(path)
            } catch {
                tell("what is chosen and folded is not kept: \(error.description)")
            }
        }
    }

    /// What it returns writes what is left.
    func end() -> @Sendable () async -> Void {
        writing?.cancel()
        return { [newest, path, writing] in
            await writing?.value
            // Nobody could be told any more.
            try? newest.take()?.write(path)
        }
    }
}
