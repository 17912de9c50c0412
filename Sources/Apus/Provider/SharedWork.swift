import Synchronization

/// Work that many wait for and that is done once at a time for each key.
///
/// The first who asks for a key begins it, and it belongs to all who wait: one that
/// is cancelled goes away alone, and the last one to go ends the work.
///
/// `Note` is what the work tells on its way.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable, Note: Sendable>: Sendable {
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
