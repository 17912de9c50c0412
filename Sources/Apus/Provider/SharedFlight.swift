import Synchronization

/// One run of shared work, and those who wait for it.
final class SharedFlight<Value: Sendable, Note: Sendable>: Sendable {
    typealias Tell = @Sendable (Note) -> Void
    typealias Arrival = (value: Value, sharedBy: Int)

    /// A place among those who wait.
    struct Seat {
        let number: Int
        /// What was told before and is worth knowing still.
        let kept: [Note]
    }

    private struct Member {
        let tell: Tell
        var waiter: CheckedContinuation<Arrival?, Never>?
    }

    private struct State {
        var members: [Int: Member] = [:]
        var joined = 0
        var kept: [Note] = []
        var value: Value?
        var isGivenUp = false
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let keeps: @Sendable (Note) -> Bool

    init(keeping keeps: @escaping @Sendable (Note) -> Bool) { self.keeps = keeps }

    /// How many wait.
    var count: Int { state.withLock(\.members.count) }

    /// Takes a place; nil if the flight is over.
    func join(_ tell: @escaping Tell) -> Seat? {
        state.withLock { state in
            guard state.value == nil, !state.isGivenUp else { return nil }
            return Self.board(tell, &state)
        }
    }

    /// Takes a place in a flight that has not begun.
    func board(_ tell: @escaping Tell) -> Seat {
        state.withLock { Self.board(tell, &$0) }
    }

    private static func board(_ tell: @escaping Tell, _ state: inout State) -> Seat {
        state.joined += 1
        state.members[state.joined] = Member(tell: tell)
        return Seat(number: state.joined, kept: state.kept)
    }

    func begin(_ work: @escaping @Sendable () async -> Value) {
        state.withLock { state in
            state.task = Task { self.end(await work()) }
        }
    }

    /// Tells all who wait.
    func tell(_ note: Note) {
        let members = state.withLock { state in
            if keeps(note) { state.kept.append(note) }
            return state.members.values.map(\.tell)
        }
        for tell in members { tell(note) }
    }

    /// Waits for the value; nil for one that has left.
    func wait(_ number: Int) async -> Arrival? {
        await withCheckedContinuation { continuation in
            let ready: Arrival?? = state.withLock { state in
                if let value = state.value { return .some((value, state.joined)) }
                guard state.members[number] != nil else { return .some(nil) }
                state.members[number]?.waiter = continuation
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }

    /// Gives a place up.
    ///
    /// - Returns: whether nobody waits any more; the work is cancelled then.
    func leave(_ number: Int) -> Bool {
        let (waiter, task) = state.withLock { state in
            let waiter = state.members.removeValue(forKey: number)?.waiter
            guard state.members.isEmpty, state.value == nil, !state.isGivenUp else {
                return (waiter, Task<Void, Never>?.none)
            }
            state.isGivenUp = true
            return (waiter, state.task)
        }
        waiter?.resume(returning: nil)
        task?.cancel()
        return task != nil
    }

    private func end(_ value: Value) {
        let (waiters, joined) = state.withLock { state in
            state.value = value
            let waiters = state.members.values.compactMap(\.waiter)
            state.members = [:]
            return (waiters, state.joined)
        }
        for waiter in waiters { waiter.resume(returning: (value, joined)) }
    }
}
