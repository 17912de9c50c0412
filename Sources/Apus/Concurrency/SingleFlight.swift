import Synchronization

/// Work that many wait for and that is done once at a time for each key.
///
/// The first who asks for a key begins it, and it belongs to all who wait: one that
/// is cancelled goes away alone, and the last one to go ends the work.
///
/// `Note` is what the work tells on its way.
final class SingleFlight<Key: Hashable & Sendable, Value: Sendable, Note: Sendable>: Sendable {
    typealias Tell = @Sendable (Note) -> Void

    private let flights = Mutex<[Key: Flight]>([:])
    private let keeps: @Sendable (Note) -> Bool

    /// Makes an empty one.
    ///
    /// - Parameter keeps: whether who joins later has to be told a note too.
    init(keeping keeps: @escaping @Sendable (Note) -> Bool = { _ in false }) {
        self.keeps = keeps
    }

    /// How many wait for a key's work.
    func count(for key: Key) -> Int { flights.withLock { $0[key] }?.count ?? 0 }

    /// The work's value, done now or already under way.
    ///
    /// - Parameters:
    ///   - key: what makes work the same.
    ///   - tell: gets what the work tells.
    ///   - makeWork: is called, before this returns control, if nobody is at it; the
    ///     work that it makes runs in a task of its own. It must not call back here.
    /// - Returns: the value, and how many have waited for it with this one; nil if the
    ///   waiting task was cancelled first.
    func value(
        for key: Key,
        telling tell: @escaping Tell = { _ in },
        by makeWork: () -> @Sendable (_ tell: @escaping Tell) async -> Value
    ) async -> (value: Value, sharedBy: Int)? {
        let (flight, waiter) = flights.withLock { flights in
            if let flight = flights[key], let waiter = flight.join(tell) { return (flight, waiter) }
            let flight = Flight(keeping: keeps)
            flights[key] = flight
            let work = makeWork()
            let waiter = flight.begin(tell) { [weak self] in
                let value = await work { flight.tell($0) }
                self?.remove(flight, for: key)
                return value
            }
            return (flight, waiter)
        }
        for note in waiter.kept { tell(note) }
        return await withTaskCancellationHandler {
            await flight.wait(waiter)
        } onCancel: {
            if flight.leave(waiter) { remove(flight, for: key) }
        }
    }

    private func remove(_ flight: Flight, for key: Key) {
        flights.withLock { flights in
            // Another may have begun since this one was given up.
            if flights[key] === flight { flights[key] = nil }
        }
    }

    /// One of those who wait.
    private struct Waiter: Sendable {
        let number: Int
        /// What was told before and is worth knowing still.
        let kept: [Note]
    }

    /// One run of the work, and those who wait for it.
    private final class Flight: Sendable {
        typealias Arrival = (value: Value, sharedBy: Int)

        private struct Member {
            let tell: Tell
            var continuation: CheckedContinuation<Arrival?, Never>?
        }

        private struct State {
            var members: [Int: Member] = [:]
            var joined = 0
            var kept: [Note] = []
            var value: Value?
            var isGivenUp = false
            var task: Task<Void, Never>?

            mutating func add(_ tell: @escaping Tell) -> Waiter {
                joined += 1
                members[joined] = Member(tell: tell)
                return Waiter(number: joined, kept: kept)
            }
        }

        private let state = Mutex(State())
        private let keeps: @Sendable (Note) -> Bool

        init(keeping keeps: @escaping @Sendable (Note) -> Bool) { self.keeps = keeps }

        var count: Int { state.withLock(\.members.count) }

        /// Begins the work, with the first who waits for it.
        func begin(
            _ tell: @escaping Tell,
            _ work: @escaping @Sendable () async -> Value
        ) -> Waiter {
            state.withLock { state in
                state.task = Task { self.end(await work()) }
                return state.add(tell)
            }
        }

        /// Joins those who wait; nil if the work is over.
        func join(_ tell: @escaping Tell) -> Waiter? {
            state.withLock { state in
                state.value == nil && !state.isGivenUp ? state.add(tell) : nil
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
        func wait(_ waiter: Waiter) async -> Arrival? {
            await withCheckedContinuation { continuation in
                let ready: Arrival?? = state.withLock { state in
                    if let value = state.value { return .some((value, state.joined)) }
                    guard state.members[waiter.number] != nil else { return .some(nil) }
                    state.members[waiter.number]?.continuation = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        }

        /// Takes one out of those who wait.
        ///
        /// - Returns: whether nobody waits any more; the work is cancelled then.
        func leave(_ waiter: Waiter) -> Bool {
            let (continuation, task) = state.withLock { state in
                let continuation = state.members.removeValue(forKey: waiter.number)?.continuation
                guard state.members.isEmpty, state.value == nil, !state.isGivenUp else {
                    return (continuation, Task<Void, Never>?.none)
                }
                state.isGivenUp = true
                return (continuation, state.task)
            }
            continuation?.resume(returning: nil)
            task?.cancel()
            return task != nil
        }

        private func end(_ value: Value) {
            let (waiting, joined) = state.withLock { state in
                state.value = value
                let waiting = state.members.values.compactMap(\.continuation)
                state.members = [:]
                return (waiting, state.joined)
            }
            for continuation in waiting { continuation.resume(returning: (value, joined)) }
        }
    }
}
