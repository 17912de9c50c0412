import Synchronization

/// Runs work at most once at a time for each key; all callers with the key share its result.
///
/// The first caller starts the work, but all callers own it: a cancelled caller leaves alone, and the work
/// is cancelled when the last one leaves.
///
/// `Note` is the type of the work's intermediate reports.
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable, Note: Sendable>:
    Sendable
{
    /// Receives the work's notes.
    package typealias Tell = @Sendable (Note) -> Void

    private let flights = Mutex<[Key: Flight]>([:])
    private let keeps: @Sendable (Note) -> Bool

    /// Makes an empty set of work.
    ///
    /// - Parameter keeps: Whether callers that join later receive a note too.
    package init(keeping keeps: @escaping @Sendable (Note) -> Bool = { _ in false }) {
        self.keeps = keeps
    }

    /// The number of callers waiting for a key's work.
    func count(for key: Key) -> Int { flights.withLock { $0[key] }?.count ?? 0 }

    /// Returns the value of the key's work, which is started unless it is already running.
    ///
    /// - Parameters:
    ///   - key: Identifies equal work.
    ///   - tell: Receives the work's notes.
    ///   - makeWork: Called synchronously if the work is not running; the returned work runs in its own
    ///     task. It must not call this object.
    /// - Returns: The value, and the number of callers that have shared it; nil if the calling task was
    ///   cancelled first.
    package func value(
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
            // A new flight may have started since this one was given up.
            if flights[key] === flight { flights[key] = nil }
        }
    }

    /// A caller that waits.
    private struct Waiter: Sendable {
        let number: Int
        /// The notes kept from before it joined.
        let kept: [Note]
    }

    /// One run of the work, with its waiting callers.
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

        /// Starts the work for the first caller.
        func begin(
            _ tell: @escaping Tell,
            _ work: @escaping @Sendable () async -> Value
        ) -> Waiter {
            state.withLock { state in
                state.task = Task { self.end(await work()) }
                return state.add(tell)
            }
        }

        /// Adds a caller; nil if the work has ended or was given up.
        func join(_ tell: @escaping Tell) -> Waiter? {
            state.withLock { state in
                state.value == nil && !state.isGivenUp ? state.add(tell) : nil
            }
        }

        /// Sends a note to all waiting callers.
        func tell(_ note: Note) {
            let members = state.withLock { state in
                if keeps(note) { state.kept.append(note) }
                return state.members.values.map(\.tell)
            }
            for tell in members { tell(note) }
        }

        /// Waits for the value; nil if the caller has left.
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

        /// Removes a caller.
        ///
        /// - Returns: Whether it was the last caller; the work is then cancelled.
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
