/// The values of the answers of one exchange: with `.cacheAndServer` the cache's and the server's.
///
/// It always ends. It throws if there was no answer, and if the last answer could not be read: a
/// cached answer that is no use does not stand in the server's way. Nothing is sent before it is
/// read; each reader begins an exchange of its own, and cancelling the reader, or dropping its
/// iterator, cancels that exchange.
public struct MappedValues<Serializer: ResponseSerializer>: AsyncSequence, Sendable
where Serializer.Value: Sendable {
    /// What the serializer reads.
    public typealias Element = Serializer.Value
    /// Why there is no value, or no last one.
    public typealias Failure = ApusError

    private let events: ExchangeEvents
    private let serializer: Serializer

    init(_ events: ExchangeEvents, _ serializer: Serializer) {
        self.events = events
        self.serializer = serializer
    }

    /// Reads the values.
    public struct Iterator: AsyncIteratorProtocol {
        private var events: ExchangeEvents.Iterator
        private let serializer: Serializer
        private var unread: ApusError?

        init(_ events: ExchangeEvents.Iterator, _ serializer: Serializer) {
            self.events = events
            self.serializer = serializer
        }

        /// The next value; nil after the last.
        public mutating func next() async throws(ApusError) -> Element? {
            while let event = await events.next() {
                switch event {
                case .response(let response):
                    let mapped = await serializer.mappedConcurrently(response)
                    unread = mapped.error
                    if let value = mapped.value { return value }
                case .finished(let summary): try end(summary)
                default: continue
                }
            }
            return nil
        }

        private mutating func end(_ summary: ExchangeSummary) throws(ApusError) {
            _ = try summary.result.get()
            if let error = unread.take() { throw error }
        }
    }

    /// Begins; each reader has an exchange of its own.
    public func makeAsyncIterator() -> Iterator {
        Iterator(events.makeAsyncIterator(), serializer)
    }
}
