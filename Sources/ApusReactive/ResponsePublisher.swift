public import Apus
public import OpenCombine

/// The responses to a target as a publisher: none, one, or with `.cacheAndServer` two, the cached one first.
///
/// It fails with the exchange's error if there was no response at all; a server that fails after a cached
/// response is not a failure. Each subscriber starts an exchange of its own at its first demand; cancelling
/// the subscription cancels the transfer. Values arrive on the main actor if they were subscribed to there,
/// else on a thread of Swift's pool; `receive(on:)` chooses another.
public struct ResponsePublisher: Publisher {
    /// A response, from the cache or the server.
    public typealias Output = Response
    /// Why there was no response.
    public typealias Failure = ApusError

    private let events: ExchangeEvents

    init(_ events: ExchangeEvents) { self.events = events }

    /// Attaches a subscriber; nothing is sent before its first demand.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Response, Downstream.Failure == ApusError {
        subscriber.receive(
            subscription: EventSubscription(events, AnySubscriber(subscriber)) { event in
                switch event {
                case .response(let response): .value(response)
                case .finished(let summary): .end(summary.completion)
                default: .nothing
                }
            }
        )
    }
}

/// The values of the responses to a target as a publisher; with `.cacheAndServer` the cached one and the
/// server's.
///
/// It fails if there was no response, or if the last response could not be read. Each subscriber starts an
/// exchange of its own at its first demand; cancelling the subscription cancels the transfer.
public struct ValuePublisher<Serializer: ResponseSerializer>: Publisher
where Serializer.Value: Sendable {
    /// What the serializer reads.
    public typealias Output = Serializer.Value
    /// Why there was no response, or why the last one could not be read.
    public typealias Failure = ApusError

    private let values: MappedValues<Serializer>

    init(_ values: MappedValues<Serializer>) { self.values = values }

    /// Attaches a subscriber; nothing is sent before its first demand.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == ApusError {
        subscriber.receive(
            subscription: EventSubscription(Outcomes(values), AnySubscriber(subscriber)) {
                outcome in
                switch outcome {
                case .success(let value): .value(value)
                case .failure(let error): .end(.failure(error))
                }
            }
        )
    }
}

/// A throwing sequence as one that does not throw: an error is its last element.
struct Outcomes<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Failure == ApusError, Base.Element: Sendable {
    typealias Element = Result<Base.Element, ApusError>
    typealias Failure = Never

    private let base: Base

    init(_ base: Base) { self.base = base }

    struct Iterator: AsyncIteratorProtocol {
        private var base: Base.AsyncIterator
        private var hasFailed = false

        init(_ base: Base.AsyncIterator) { self.base = base }

        mutating func next() async -> Element? {
            guard !hasFailed else { return nil }
            do throws(ApusError) {
                return try await base.next(isolation: #isolation).map { .success($0) }
            } catch {
                hasFailed = true
                return .failure(error)
            }
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(base.makeAsyncIterator()) }
}
