/// The events of one exchange.
///
/// Nothing is sent before they are read; each reader begins an exchange of its own.
///
/// Cancelling the reading task, or dropping the iterator, cancels the exchange;
/// a reader that goes on after the cancellation still gets the terminal event.
public struct ExchangeEvents: AsyncSequence, Sendable {
    /// What a reader gets.
    public typealias Element = ExchangeEvent
    /// A failure is the last event, never thrown.
    public typealias Failure = Never

    private let exchange: Exchange

    init(_ exchange: Exchange) { self.exchange = exchange }

    /// Reads the events.
    public struct Iterator: AsyncIteratorProtocol {
        private let events: ProducedEvents<ExchangeEvent>

        init(_ events: ProducedEvents<ExchangeEvent>) { self.events = events }

        /// The next event; nil after the last.
        public mutating func next() async -> ExchangeEvent? { await events.next() }
    }

    /// Begins; each reader has a run of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(produced()) }

    /// Begins the exchange.
    func produced() -> ProducedEvents<ExchangeEvent> {
        let exchange = exchange
        return ProducedEvents(supersedingWhere: ExchangeEvent.isSuperseded) { send in
            let summary = await exchange.run(send)
            send(.finished(summary))
        }
    }
}

extension ExchangeEvent {
    /// A reader that is late needs only the newest progress.
    static func isSuperseded(_ waiting: ExchangeEvent, by new: ExchangeEvent) -> Bool {
        if case .progress = waiting, case .progress = new { true } else { false }
    }
}
