/// A task that produces events, and its one reader.
///
/// `AsyncStream` drops what is sent after its reader was cancelled. Here the
/// cancellation goes to the producer, and the events of its end still arrive.
final class ProducedEvents<Event: Sendable>: Sendable {
    private let queue: EventQueue<Event>
    private let producer: Task<Void, Never>

    /// Starts `produce`, which sends its events through the closure it is given.
    init(
        supersedingWhere isSuperseded: @escaping @Sendable (_ waiting: Event, _ new: Event) -> Bool,
        produce: @escaping @Sendable (_ send: @escaping @Sendable (Event) -> Void) async -> Void
    ) {
        let queue = EventQueue(supersedingWhere: isSuperseded)
        self.queue = queue
        producer = Task {
            await produce { queue.send($0) }
            queue.finish()
        }
    }

    deinit { producer.cancel() }

    /// The next event; nil after the last.
    ///
    /// One reader at a time.
    func next() async -> Event? {
        await withTaskCancellationHandler {
            await queue.next()
        } onCancel: {
            producer.cancel()
        }
    }
}

/// A task that produces events no faster than they are read, and its one reader.
///
/// The producer takes a turn for each piece of work whose result waits to be read;
/// reading that result gives it back.
final class PacedEvents<Event: Sendable, Key: Hashable & Sendable>: Sendable {
    /// What a reader has taken, but not read.
    typealias Taken = KeyedQueue<Event, Key>.Events

    private let queue: KeyedQueue<Event, Key>
    private let producer: Task<Void, Never>
    private let turns: AsyncSemaphore
    private let givesTurn: @Sendable (Event) -> Bool

    /// Starts `produce`, which sends its events through the closure it is given.
    init(
        turns count: Int,
        givingTurnAt givesTurn: @escaping @Sendable (Event) -> Bool,
        supersededBy key: @escaping @Sendable (Event) -> Key?,
        produce:
            @escaping @Sendable (AsyncSemaphore, @escaping @Sendable (Event) -> Void) async -> Void
    ) {
        let queue = KeyedQueue<Event, Key>()
        let turns = AsyncSemaphore(count)
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
    /// One reader at a time, who keeps `taken`, what it took and has not read. Its
    /// cancellation goes to the producer, and the events of the end still arrive.
    func next(_ taken: inout Taken) async -> Event? {
        if taken.isEmpty {
            await withTaskCancellationHandler {
                await queue.take(&taken)
            } onCancel: {
                producer.cancel()
            }
        } else if Task.isCancelled {
            producer.cancel()
        }
        let event = taken.popFirst()
        if let event, givesTurn(event) { turns.give() }
        return event
    }
}
