/// A task that produces events no faster than they are read, and its one reader.
///
/// The producer takes a turn for each piece of work whose result waits to be read;
/// reading that result gives it back.
final class PacedEvents<Event: Sendable, Key: Hashable & Sendable>: Sendable {
    private let queue: KeyedQueue<Event, Key>
    private let producer: Task<Void, Never>
    private let turns: Turns
    private let givesTurn: @Sendable (Event) -> Bool

    /// Starts `produce`, which sends its events through the closure it is given.
    init(
        turns count: Int,
        givingTurnAt givesTurn: @escaping @Sendable (Event) -> Bool,
        supersededBy key: @escaping @Sendable (Event) -> Key?,
        produce: @escaping @Sendable (Turns, @escaping @Sendable (Event) -> Void) async -> Void
    ) {
        let queue = KeyedQueue<Event, Key>()
        let turns = Turns(count)
        self.queue = queue
        self.turns = turns
        self.givesTurn = givesTurn
        producer = Task {
            await produce(turns) { queue.send($0, key: key($0)) }
            queue.finish()
        }
    }

    deinit { producer.cancel() }

    /// The next event; nil after the last.
    ///
    /// One reader at a time. Its cancellation goes to the producer, and the events
    /// of the end still arrive.
    func next() async -> Event? {
        let event = await withTaskCancellationHandler {
            await queue.next()
        } onCancel: {
            producer.cancel()
        }
        if let event, givesTurn(event) { turns.give() }
        return event
    }
}
