public import Apus
public import OpenCombine

/// The answers to a target as a publisher: none, one, or with `.cacheAndServer`
/// both, the cache's first.
///
/// It fails with the exchange's error if there was no answer at all; a server
/// that fails beside a cached answer is no failure. Each subscriber begins an
/// exchange of its own, at its first demand; cancelling the subscription
/// cancels the transfer. Values arrive on no particular thread:
/// `receive(on:)` chooses one.
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
