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
