import Synchronization

/// A task that produces events, and its one reader.
///
/// `AsyncStream` drops events sent after its reader was cancelled. Here the producer is cancelled, and its
/// last events are still delivered.
///
/// With a limit there is back-pressure: the producer waits for the given semaphore before each piece of
/// work, and reading its result signals the semaphore.
final class EventProducer<Event: Sendable, Key: Hashable & Sendable>: Sendable {
    typealias Queue = EventQueue<Event, Key>

    private let queue: Queue
    private let producer: Task<Void, Never>
    private let semaphore: AsyncSemaphore
    private let isResult: @Sendable (Event) -> Bool
    /// Events taken from the queue that have not been read.
    private let taken = Mutex(Queue.Events())

    /// Starts `produce`, which sends its events through the given closure.
    ///
    /// - Parameters:
    ///   - limit: The most results that may wait to be read.
    ///   - isResult: Whether an event is a result.
    ///   - order: Where an event goes in the queue.
    ///   - produce: The work.
    init(
        limit: Int = .max,
        countingWhere isResult: @escaping @Sendable (Event) -> Bool = { _ in false },
        ordering order: @escaping @Sendable (Event) -> Queue.Order,
        produce:
            @escaping @Sendable (AsyncSemaphore, @escaping @Sendable (Event) -> Void) async -> Void
    ) {
        let queue = Queue()
        let semaphore = AsyncSemaphore(limit)
        self.queue = queue
        self.semaphore = semaphore
        self.isResult = isResult
        producer = Task {
            await produce(semaphore) { queue.send($0, order($0)) }
            queue.finish()
        }
    }

    deinit { producer.cancel() }

    /// Returns the next event; nil after the last.
    ///
    /// Only one reader at a time may call this.
    func next() async -> Event? {
        var event = taken.withLock { $0.popFirst() }
        if event == nil {
            // Reuses the empty queue's storage.
            var events = taken.withLock { taken in
                defer { taken = Queue.Events() }
                return taken
            }
            await withTaskCancellationHandler {
                await queue.receive(into: &events)
            } onCancel: {
                producer.cancel()
            }
            event = events.popFirst()
            taken.withLock { [events] in $0 = events }
        } else if Task.isCancelled {
            producer.cancel()
        }
        if let event, isResult(event) { semaphore.signal() }
        return event
    }
}
