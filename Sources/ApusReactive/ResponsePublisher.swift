public import Apus
public import OpenCombine

/// The answers to a target as a publisher: none, one, or with `.cacheAndServer`
/// both, the cache's first.
///
/// It fails with the exchange's error if there was no answer at all; a server
/// that fails beside a cached answer is no failure. Each subscriber begins an
/// exchange of its own, at its first demand; cancelling the subscription
/// cancels the transfer. Values arrive on the main actor if they were subscribed to there, else on a
/// thread of Swift's pool; `receive(on:)` chooses another.
public struct ResponsePublisher: Publisher {
    /// An answer.
    public typealias Output = Response
    /// Why there was no answer.
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

/// The values of the answers to a target as a publisher: with `.cacheAndServer` the cache's and the
/// server's.
///
/// It fails if there was no answer, and if the last answer could not be read. Each subscriber begins
/// an exchange of its own, at its first demand; cancelling the subscription cancels the transfer.
public struct ValuePublisher<Serializer: ResponseSerializer>: Publisher
where Serializer.Value: Sendable {
    /// What the serializer reads.
    public typealias Output = Serializer.Value
    /// Why there is no value, or no last one.
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

/// A sequence that may throw, as one whose last element may be a failure.
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
