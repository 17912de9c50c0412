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

    private let exchange: PlannedExchange

    init(_ exchange: PlannedExchange) { self.exchange = exchange }

    /// The same, of an exchange in whose answers a reader finds its values.
    func read(by reader: any AnswerReader) -> ExchangeEvents {
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

    /// Begins; each reader has a run of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(produced()) }

    /// Begins the exchange.
    func produced() -> EventProducer<ExchangeEvent, Int> {
        let exchange = exchange
        return EventProducer(ordering: ExchangeEvent.order) { _, send in
            let summary = await exchange.run(send)
            send(.finished(summary))
        }
    }
}

extension ExchangeEvent {
    /// A reader that is late needs only the newest progress, but after what it is the progress of.
    static func order(_ event: ExchangeEvent) -> EventQueue<ExchangeEvent, Int>.Order {
        if case .progress = event { .newest(0) } else { .after(0) }
    }
}

/// What happens in an exchange, in order.
///
/// The last event is always
/// `finished`, and there is never a second one.
public enum ExchangeEvent: Sendable {
    /// The cache was asked.
    case lookedUp(CacheLookup)
    /// A private HTTP cache decided something (`CachePolicy.http`).
    case decided(CacheDecision)
    /// The request is about to be sent; attempts count from 1.
    case willSend(PreparedRequest, attempt: Int)
    /// The transfer moved, or that of a child.
    case progress(TransferProgress)
    /// An answer; its `source` says where from.
    case response(Response)
    /// The server failed, but a cached answer was delivered and stands.
    case serverFailed(ApusError)
    /// What became of the server's answer in the cache.
    case storage(CacheStoreOutcome)
    /// The end.
    case finished(ExchangeSummary)
}

/// How an exchange ended.
public struct ExchangeSummary: Sendable {
    /// The last answer delivered, or why there is none.
    public let result: Result<Response, ApusError>
    /// How many answers were delivered.
    public let responseCount: Int
    /// How often the request was sent.
    public let attempts: Int
    /// From the call to the end.
    public let duration: Duration
    /// How many exchanges shared one transfer with this one, itself included.
    public let sharedBy: Int
    /// The exchanges that hooks sent for this one, in the order in which they ended.
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
