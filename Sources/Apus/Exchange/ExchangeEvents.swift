/// The events of one exchange.
///
/// Nothing is sent until they are read; each reader starts its own exchange.
///
/// Cancelling the reading task or dropping the iterator cancels the exchange; a reader that continues after
/// the cancellation still receives the terminal event.
public struct ExchangeEvents: AsyncSequence, Sendable {
    /// What happened in the exchange.
    public typealias Element = ExchangeEvent
    /// Nothing is thrown; a failure is the last event.
    public typealias Failure = Never

    private let exchange: PlannedExchange

    init(_ exchange: PlannedExchange) { self.exchange = exchange }

    /// The events of the same exchange, whose responses are read by `reader`.
    func read(by reader: any ResponseReader) -> ExchangeEvents {
        var exchange = exchange
        exchange.reader = reader
        return ExchangeEvents(exchange)
    }

    /// Reads the events.
    public struct Iterator: AsyncIteratorProtocol {
        private let events: EventProducer<ExchangeEvent, Int>

        init(_ events: EventProducer<ExchangeEvent, Int>) { self.events = events }

        /// The next event; nil after the last.
        public mutating func next() async -> ExchangeEvent? { await events.next() }
    }

    /// Starts an exchange for this reader.
    public func makeAsyncIterator() -> Iterator { Iterator(produced()) }

    /// Starts the exchange.
    func produced() -> EventProducer<ExchangeEvent, Int> {
        let exchange = exchange
        return EventProducer(ordering: ExchangeEvent.order) { _, send in
            let summary = await exchange.run(send)
            send(.finished(summary))
        }
    }
}

extension ExchangeEvent {
    /// Orders events for a slow reader: it gets only the newest progress, in order with the other events.
    static func order(_ event: ExchangeEvent) -> EventQueue<ExchangeEvent, Int>.Order {
        if case .progress = event { .newest(0) } else { .after(0) }
    }
}

/// An event of an exchange.
///
/// The last event is always `finished`, and it occurs only once.
public enum ExchangeEvent: Sendable {
    /// The result of a cache lookup.
    case lookedUp(CacheLookup)
    /// A decision of the private HTTP cache (`CachePolicy.http`).
    case decided(CacheDecision)
    /// The request is about to be sent; attempts count from 1.
    case willSend(PreparedRequest, attempt: Int)
    /// Progress of the transfer or of a child's transfer.
    case progress(TransferProgress)
    /// A response; its `source` says where it came from.
    case response(Response)
    /// The server failed after a cached response was delivered, which remains valid.
    case serverFailed(ApusError)
    /// Whether the server's response was stored in the cache.
    case storage(CacheStoreOutcome)
    /// The last event: whether the exchange succeeded, and its figures.
    case finished(ExchangeSummary)
}

/// How an exchange ended.
public struct ExchangeSummary: Sendable {
    /// The last response delivered, or why there is none.
    public internal(set) var result: Result<Response, ApusError>
    /// The number of responses delivered.
    public let responseCount: Int
    /// The number of times the request was sent.
    public let attempts: Int
    /// The time from the call to the end.
    public let duration: Duration
    /// The number of exchanges that shared one transfer, including this one.
    public let sharedBy: Int
    /// The exchanges that hooks sent for this one, in the order they ended.
    public let children: [ChildExchange]

    /// Makes a summary.
    public init(
        result: Result<Response, ApusError>,
        responseCount: Int,
        attempts: Int,
        duration: Duration,
        sharedBy: Int = 1,
        children: [ChildExchange] = []
    ) {
        self.result = result
        self.responseCount = responseCount
        self.attempts = attempts
        self.duration = duration
        self.sharedBy = sharedBy
        self.children = children
    }
}
