import Synchronization

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
