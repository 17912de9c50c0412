/// The events of one run of a chain.
///
/// Nothing is sent before they are read; cancelling the reader cancels the step under
/// way and all that would follow.
public struct ChainEvents: AsyncSequence, Sendable {
    /// What a reader gets.
    public typealias Element = ChainEvent
    /// A failure is the last event, never thrown.
    public typealias Failure = Never

    let run: ChainRun

    /// Reads the events.
    public struct Iterator: AsyncIteratorProtocol {
        private let events: ProducedEvents<ChainEvent>

        init(_ events: ProducedEvents<ChainEvent>) { self.events = events }

        /// The next event; nil after the last.
        public mutating func next() async -> ChainEvent? { await events.next() }
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

    private static func isSuperseded(_ waiting: ChainEvent, by new: ChainEvent) -> Bool {
        guard case .exchange(let first, let old) = waiting,
            case .exchange(let second, let new) = new
        else { return false }
        return first == second && ExchangeEvent.isSuperseded(old, by: new)
    }
}
