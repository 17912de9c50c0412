/// The answers of one exchange, each with its value: with `.cacheAndServer` the cache's and the
/// server's.
///
/// It always ends, and throws nothing: a failure is an element. A server that fails beside a cached
/// answer is one more element. Nothing is sent before it is read; each reader begins an exchange of
/// its own, and cancelling the reader, or dropping its iterator, cancels that exchange.
public struct MappedResponses<Serializer: ResponseSerializer>: AsyncSequence, Sendable
where Serializer.Value: Sendable {
    /// An answer and its value.
    public typealias Element = MappedResponse<Serializer.Value>
    /// A failure is an element.
    public typealias Failure = Never

    private let events: ExchangeEvents
    private let serializer: Serializer

    init(_ events: ExchangeEvents, _ serializer: Serializer) {
        self.events = events
        self.serializer = serializer
    }

    /// Reads the answers.
    public struct Iterator: AsyncIteratorProtocol {
        private var events: ExchangeEvents.Iterator
        private let serializer: Serializer

        init(_ events: ExchangeEvents.Iterator, _ serializer: Serializer) {
            self.events = events
            self.serializer = serializer
        }

        /// The next answer; nil after the last.
        public mutating func next() async -> Element? {
            while let event = await events.next() {
                switch event {
                case .response(let response):
                    return await serializer.mappedConcurrently(response)
                case .serverFailed(let error):
                    return Element(response: error.response, result: .failure(error))
                case .finished(let summary):
                    guard case .failure(let error) = summary.result else { continue }
                    return Element(response: error.response, result: .failure(error))
                default: continue
                }
            }
            return nil
        }
    }

    /// Begins; each reader has an exchange of its own.
    public func makeAsyncIterator() -> Iterator {
        Iterator(events.makeAsyncIterator(), serializer)
    }
}

extension ResponseSerializer where Value: Sendable {
    /// An answer and its value, read off the calling actor.
    @concurrent func mappedConcurrently(_ response: Response) async -> MappedResponse<Value> {
        MappedResponse(.success(response), using: self)
    }
}
