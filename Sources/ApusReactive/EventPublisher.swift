public import OpenCombine

/// The events of an exchange, a batch or a chain as a publisher.
///
/// Each subscriber begins an exchange of its own, at its first demand. Events
/// wait until they are asked for; only progress that is out of date is dropped.
/// Cancelling the subscription cancels the transfer. Values arrive on no
/// particular thread: `receive(on:)` chooses one.
public struct EventPublisher<Events: AsyncSequence & Sendable>: Publisher
where Events.Element: Sendable, Events.Failure == Never {
    /// An event.
    public typealias Output = Events.Element
    /// An event tells of failures; the publisher has none.
    public typealias Failure = Never

    private let events: Events

    init(_ events: Events) { self.events = events }

    /// Attaches a subscriber; nothing is sent before its first demand.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Never {
        subscriber.receive(
            subscription: EventSubscription(events, AnySubscriber(subscriber)) { event in
                .value(event)
            }
        )
    }
}
