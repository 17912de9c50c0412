/// The events of one run of a batch.
///
/// Nothing is sent before they are read; cancelling the reader cancels all requests
/// that are under way.
public struct BatchEvents: AsyncSequence, Sendable {
    /// What a reader gets.
    public typealias Element = BatchEvent
    /// A failure is the last event, never thrown.
    public typealias Failure = Never

    let run: BatchRun

    /// Reads the events.
    public struct Iterator: AsyncIteratorProtocol {
        private let events: ProducedEvents<BatchEvent>

        init(_ events: ProducedEvents<BatchEvent>) { self.events = events }

        /// The next event; nil after the last.
        public mutating func next() async -> BatchEvent? { await events.next() }
    }

    /// Begins; each reader has a run of its own.
    public func makeAsyncIterator() -> Iterator {
        let run = run
        return Iterator(
            ProducedEvents(supersedingWhere: Self.isSuperseded) { send in
                let summary = await run.run(send)
                send(.finished(summary))
            }
        )
    }

    private static func isSuperseded(_ waiting: BatchEvent, by new: BatchEvent) -> Bool {
        guard case .exchange(let first, let old) = waiting,
            case .exchange(let second, let new) = new
        else { return false }
        return first == second && ExchangeEvent.isSuperseded(old, by: new)
    }
}
