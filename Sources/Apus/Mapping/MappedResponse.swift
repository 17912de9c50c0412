/// A value that was read out of an answer, or why there is none; the answer is kept in either case.
public struct MappedResponse<Value> {
    /// The answer, also when it could not be read; nil if there was none.
    public let response: Response?
    /// The value, or why there is none.
    public let result: Result<Value, ApusError>

    /// Puts an answer and its value together.
    public init(response: Response?, result: Result<Value, ApusError>) {
        self.response = response
        self.result = result
    }

    /// Reads the value of an answer, or keeps why there is none, with what there is of an answer.
    public init<S: ResponseSerializer>(
        _ answer: Result<Response, ApusError>,
        using serializer: S
    ) where S.Value == Value {
        switch answer {
        case .success(let response):
            self.response = response
            do throws(ApusError) {
                result = .success(try serializer.serialize(response))
            } catch {
                result = .failure(error)
            }
        case .failure(let error):
            response = error.response
            result = .failure(error)
        }
    }

    /// The value; nil if there is none.
    public var value: Value? { try? result.get() }

    /// Why there is no value; nil if there is one.
    public var error: ApusError? {
        if case .failure(let error) = result { error } else { nil }
    }

    /// Where the answer came from; nil if there was none.
    public var source: ResponseSource? { response?.source }

    /// Whether the answer came out of a cache; false if there was none.
    public var isFromCache: Bool { response?.isFromCache ?? false }

    /// The same with another value.
    public func map<New>(_ transform: (Value) -> New) -> MappedResponse<New> {
        MappedResponse<New>(response: response, result: result.map(transform))
    }

    /// The same with a value that may not be made.
    public func flatMap<New>(
        _ transform: (Value) -> Result<New, ApusError>
    ) -> MappedResponse<New> {
        MappedResponse<New>(response: response, result: result.flatMap(transform))
    }

    /// The same with another error.
    public func mapError(_ transform: (ApusError) -> ApusError) -> MappedResponse {
        MappedResponse(response: response, result: result.mapError(transform))
    }
}

extension MappedResponse: Sendable where Value: Sendable {}
extension MappedResponse: Equatable where Value: Equatable {}

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
        private let reader: ValueReader<Serializer>

        init(_ events: ExchangeEvents, _ serializer: Serializer) {
            reader = ValueReader(serializer)
            self.events = events.read(by: reader).makeAsyncIterator()
        }

        /// The next answer; nil after the last.
        public mutating func next() async -> Element? {
            while let event = await events.next() {
                switch event {
                case .response(let response):
                    return await reader.mapped(response)
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
        Iterator(events, serializer)
    }
}

extension ResponseSerializer where Value: Sendable {
    /// An answer and its value, read off the calling actor.
    @concurrent func mappedConcurrently(_ response: Response) async -> MappedResponse<Value> {
        MappedResponse(.success(response), using: self)
    }
}

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
        private let reader: ValueReader<Serializer>
        private var unread: ApusError?

        init(_ events: ExchangeEvents, _ serializer: Serializer) {
            reader = ValueReader(serializer)
            self.events = events.read(by: reader).makeAsyncIterator()
        }

        /// The next value; nil after the last.
        public mutating func next() async throws(ApusError) -> Element? {
            while let event = await events.next() {
                switch event {
                case .response(let response):
                    let mapped = await reader.mapped(response)
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
        Iterator(events, serializer)
    }
}
