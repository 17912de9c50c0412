import Synchronization

/// A task that produces events, and its one reader.
///
/// `AsyncStream` drops what is sent after its reader was cancelled. Here the
/// cancellation goes to the producer, and the events of its end still arrive.
///
/// With a limit there is back-pressure: the producer waits for the semaphore that it is given
/// before each piece of work, and reading the work's result signals it.
final class EventProducer<Event: Sendable, Key: Hashable & Sendable>: Sendable {
    typealias Queue = EventQueue<Event, Key>

    private let queue: Queue
    private let producer: Task<Void, Never>
    private let semaphore: AsyncSemaphore
    private let isResult: @Sendable (Event) -> Bool
    /// What was taken from the queue, but not read.
    private let taken = Mutex(Queue.Events())

    /// Starts `produce`, which sends its events through the closure it is given.
    ///
    /// - Parameters:
    ///   - limit: how many results may wait to be read.
    ///   - isResult: whether an event is one of those.
    ///   - order: where an event stands among those that wait.
    ///   - produce: the work.
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

    /// The next event; nil after the last.
    ///
    /// One reader at a time.
    func next() async -> Event? {
        var event = taken.withLock { $0.popFirst() }
        if event == nil {
            // Empty, but with room for more.
            var events = taken.withLock { taken in
                defer { taken = Queue.Events() }
                return taken
            }
            await withTaskCancellationHandler {
                await queue.take(&events)
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
