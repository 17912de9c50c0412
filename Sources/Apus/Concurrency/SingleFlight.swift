import Synchronization

/// Work that many wait for and that is done once at a time for each key.
///
/// The first who asks for a key begins it, and it belongs to all who wait: one that
/// is cancelled goes away alone, and the last one to go ends the work.
///
/// `Note` is what the work tells on its way.
final class SingleFlight<Key: Hashable & Sendable, Value: Sendable, Note: Sendable>: Sendable {
    typealias Tell = @Sendable (Note) -> Void
    private typealias Flight = SharedFlight<Value, Note>

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
        let (flight, seat) = flights.withLock { flights in
            if let flight = flights[key], let seat = flight.join(tell) { return (flight, seat) }
            let flight = Flight(keeping: keeps)
            let seat = flight.board(tell)
            flights[key] = flight
            let work = makeWork()
            flight.begin { [weak self] in
                let value = await work { flight.tell($0) }
                self?.remove(flight, for: key)
                return value
            }
            return (flight, seat)
        }
        for note in seat.kept { tell(note) }
        return await withTaskCancellationHandler {
            await flight.wait(seat.number)
        } onCancel: {
            if flight.leave(seat.number) { remove(flight, for: key) }
        }
    }

    private func remove(_ flight: Flight, for key: Key) {
        flights.withLock { flights in
            // Another may have begun since this one was given up.
            if flights[key] === flight { flights[key] = nil }
        }
    }
}

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
