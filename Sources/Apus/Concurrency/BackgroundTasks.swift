import Synchronization

/// Tasks that go on after the call that began them, and end with their owner.
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
    ///   - limit: how many are under way at most; what is begun beyond them is not run.
    ///   - timeLimit: how long each has before it is cancelled; nil for any time.
    ///   - clock: what measures that.
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

    /// How many are under way.
    var count: Int { state.withLock { $0.tasks.count } }

    /// Runs an operation until it returns, its time is over or the owner goes away; not if one of
    /// the same name is under way, or as many as there may be.
    func run(_ name: String? = nil, _ operation: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard state.tasks.count < limit else { return }
            if let name, !state.names.insert(name).inserted { return }
            let id = state.next
            state.next += 1
            // Weak, so that the owner's end is not put off by what it owns. The
            // removal waits for this lock, so it never comes before the entry.
            state.tasks[id] = Task { [weak self, timeLimit, clock] in
                _ = await Timeout.run(timeLimit, clock, operation)
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
