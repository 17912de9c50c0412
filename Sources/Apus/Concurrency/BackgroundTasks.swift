import Synchronization

/// Tasks that outlive the call that started them, and end with their owner.
final class BackgroundTasks: Sendable {
    private struct State {
        var tasks: [Int: Task<Void, Never>] = [:]
        var names: Set<String> = []
        var next = 0
    }

    private let state = Mutex(State())
    private let limit: Int
    private let timeLimit: Duration?
    private let clock: any Clock<Duration>

    /// Makes an empty set.
    ///
    /// - Parameters:
    ///   - limit: The most tasks that may run at once; further ones are not run.
    ///   - timeLimit: How long each may run before it is cancelled; nil for no limit.
    ///   - clock: The clock for the time limit.
    init(
        limit: Int = .max,
        timeLimit: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.limit = limit
        self.timeLimit = timeLimit
        self.clock = clock
    }

    deinit {
        for task in state.withLock({ $0.tasks.values }) { task.cancel() }
    }

    var count: Int { state.withLock { $0.tasks.count } }

    /// Runs an operation until it returns, its time is over or the owner is deallocated.
    ///
    /// Does nothing if a task of the same name is running, or if the limit is reached.
    func run(_ name: String? = nil, _ operation: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard state.tasks.count < limit else { return }
            if let name, !state.names.insert(name).inserted { return }
            let id = state.next
            state.next += 1
            // Weak, so that the task does not keep its owner alive. The removal waits for this lock, so it
            // cannot happen before the entry is added.
            state.tasks[id] = Task { [weak self, timeLimit, clock] in
                // The caller watches its own response, and not what follows it.
                await ObservedResponses.$observer.withValue(nil) {
                    _ = await Timeout.run(timeLimit, clock, operation)
                }
                self?.remove(id, name)
            }
        }
    }

    private func remove(_ id: Int, _ name: String?) {
        state.withLock { state in
            state.tasks[id] = nil
            if let name { state.names.remove(name) }
        }
    }
}
