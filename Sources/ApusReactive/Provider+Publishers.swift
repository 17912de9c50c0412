public import Apus

extension Provider {
    /// What happens from here to the answer, or the two; the last value is `finished`.
    public func eventsPublisher(
        for target: Target,
        from source: DataSource = .server
    ) -> EventPublisher<ExchangeEvents> {
        EventPublisher(events(for: target, from: source))
    }

    /// The answers to a target: with `.cacheAndServer` the cache's and the server's.
    public func responsePublisher(
        for target: Target,
        from source: DataSource = .server
    ) -> ResponsePublisher {
        ResponsePublisher(events(for: target, from: source))
    }

    /// What happens while a batch runs; the last value is `finished`.
    public func eventsPublisher(for batch: Batch) -> EventPublisher<BatchEvents> {
        EventPublisher(events(for: batch))
    }

    /// What happens while a chain runs; the last value is `finished`.
    public func eventsPublisher(for chain: Chain) -> EventPublisher<ChainEvents> {
        EventPublisher(events(for: chain))
    }
}
