import Apus
import Synchronization

/// Writes the newest state of a workspace for the next start, a second after a change and at the end.
@MainActor
final class StateRunner {
    private let path: String
    private let newest = Waiting()
    private let report: @Sendable (String) -> Void
    private var writing: Task<Void, Never>?

    /// The state to be written, and whether a write is scheduled.
    private final class Waiting: Sendable {
        private struct Content {
            var state: KeptState?
            var isAwaited = false
        }
        private let content = Mutex(Content())

        /// Puts a newer state in place; returns whether a write has to be scheduled.
        func put(_ state: KeptState) -> Bool {
            content.withLock { content in
                content.state = state
                defer { content.isAwaited = true }
                return !content.isAwaited
            }
        }

        /// Removes the newest state; nil if it was written already.
        func remove() -> KeptState? {
            content.withLock { content in
                defer { content = Content() }
                return content.state
            }
        }
    }

    /// `report` is called with the reason when a state cannot be written.
    init(path: String, report: @escaping @Sendable (String) -> Void) {
        (self.path, self.report) = (path, report)
    }

    /// Schedules a write of a state.
    func keep(_ state: KeptState) {
        guard newest.put(state) else { return }
        writing = Task.detached { [newest, path, report, before = writing] in
            await before?.value
            // If cancelled, `end` writes.
            guard (try? await Task.sleep(for: .seconds(1))) != nil, let state = newest.remove()
            else {
                return
            }
            do throws(PrivateFileError) {
                try state.write(path)
            } catch {
                report("the selection and folds were not saved: \(error.description)")
            }
        }
    }

    /// Cancels a scheduled write; the returned function writes what is left.
    func end() -> @Sendable () async -> Void {
        writing?.cancel()
        return { [newest, path, writing] in
            await writing?.value
            // At the end nobody can see an error.
            try? newest.remove()?.write(path)
        }
    }
}
