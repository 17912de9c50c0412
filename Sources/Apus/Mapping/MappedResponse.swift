/// A value that was read from a response, or why there is none; the response is kept in either case.
public struct MappedResponse<Value> {
    /// The response, even if it could not be read; nil if there was none.
    public let response: Response?
    /// The value, or why there is none.
    public let result: Result<Value, ApusError>

    /// Combines a response with its value.
    public init(response: Response?, result: Result<Value, ApusError>) {
        self.response = response
        self.result = result
    }

    /// Reads the value of a response; a failure keeps the error and the response that it carries.
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

    /// Where the response came from; nil if there was none.
    public var source: ResponseSource? { response?.source }

    /// Whether the response came from a cache; false if there was none.
    public var isFromCache: Bool { response?.isFromCache ?? false }

    /// Transforms the value; the response and any error stay.
    public func map<New>(_ transform: (Value) -> New) -> MappedResponse<New> {
        MappedResponse<New>(response: response, result: result.map(transform))
    }

    /// Transforms the value into another or into an error; the response stays.
    public func flatMap<New>(
        _ transform: (Value) -> Result<New, ApusError>
    ) -> MappedResponse<New> {
        MappedResponse<New>(response: response, result: result.flatMap(transform))
    }

    /// Transforms the error; the response and any value stay.
    public func mapError(_ transform: (ApusError) -> ApusError) -> MappedResponse {
        MappedResponse(response: response, result: result.mapError(transform))
    }
}

extension MappedResponse: Sendable where Value: Sendable {}
extension MappedResponse: Equatable where Value: Equatable {}

/// The responses of one exchange with their values; with `.cacheAndServer` the cached and the server's.
///
/// The sequence always ends and never throws: a failure is an element. If the server fails after a cached
/// response, that is one more element. Nothing is sent until the sequence is read. Each reader starts an
/// exchange of its own; cancelling the reader or dropping its iterator cancels that exchange.
public struct MappedResponses<Serializer: ResponseSerializer>: AsyncSequence, Sendable
where Serializer.Value: Sendable {
    /// A response and its value.
    public typealias Element = MappedResponse<Serializer.Value>
    /// A failure is an element.
    public typealias Failure = Never

    private let events: ExchangeEvents
    private let serializer: Serializer

    init(_ events: ExchangeEvents, _ serializer: Serializer) {
        self.events = events
        self.serializer = serializer
    }

    /// Iterates over the responses.
    public struct Iterator: AsyncIteratorProtocol {
        private var events: ExchangeEvents.Iterator
        private let reader: ValueReader<Serializer>

        init(_ events: ExchangeEvents, _ serializer: Serializer) {
            reader = ValueReader(serializer)
            self.events = events.read(by: reader).makeAsyncIterator()
        }

        /// The next response; nil after the last.
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

    /// Starts an exchange for this reader.
    public func makeAsyncIterator() -> Iterator {
        Iterator(events, serializer)
    }
}

extension ResponseSerializer where Value: Sendable {
    /// Reads a response off the calling actor.
    @concurrent func mappedConcurrently(_ response: Response) async -> MappedResponse<Value> {
        MappedResponse(.success(response), using: self)
    }
}

/// The values of the responses of one exchange; with `.cacheAndServer` the cached and the server's.
///
/// The sequence always ends. It throws if there was no response or the last response could not be read; a
/// cached response that cannot be read is skipped when the server's follows. Nothing is sent until the
/// sequence is read. Each reader starts an exchange of its own; cancelling the reader or dropping its
/// iterator cancels that exchange.
public struct MappedValues<Serializer: ResponseSerializer>: AsyncSequence, Sendable
where Serializer.Value: Sendable {
    /// The value that the serializer reads.
    public typealias Element = Serializer.Value
    /// Why there is no value, or why the last response could not be read.
    public typealias Failure = ApusError

    private let events: ExchangeEvents
    private let serializer: Serializer

    init(_ events: ExchangeEvents, _ serializer: Serializer) {
        self.events = events
        self.serializer = serializer
    }

    /// Iterates over the values.
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

    /// Starts an exchange for this reader.
    public func makeAsyncIterator() -> Iterator {
        Iterator(events, serializer)
    }
}
