import Synchronization

/// Tasks that go on after the call that began them, and end with their owner.
final class OwnedTasks: Sendable {
    private struct State {
        var tasks: [Int: Task<Void, Never>] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    deinit {
        for task in state.withLock({ $0.tasks.values }) { task.cancel() }
    }

    /// Runs an operation until it returns or the owner goes away.
    func add(_ operation: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            let id = state.next
            state.next += 1
            // Weak, so that the owner's end is not put off by what it owns. The
            // removal waits for this lock, so it never comes before the entry.
            state.tasks[id] = Task { [weak self] in
                await operation()
                self?.remove(id)
            }
        }
    }

    private func remove(_ id: Int) {
        state.withLock { _ = $0.tasks.removeValue(forKey: id) }
    }
}

/// Revalidations in the background: one at a time for each stored URL, ended with their owner.
final class HTTPRevalidations: Sendable {
    private let tasks = OwnedTasks()
    private let running = Mutex<Set<String>>([])

    /// Runs an operation, unless one of that name is under way.
    func run(_ name: String, _ operation: @escaping @Sendable () async -> Void) {
        guard running.withLock({ $0.insert(name).inserted }) else { return }
        tasks.add { [weak self] in
            await operation()
            self?.running.withLock { _ = $0.remove(name) }
        }
    }

    /// How many are under way.
    var count: Int { running.withLock { $0.count } }
}
