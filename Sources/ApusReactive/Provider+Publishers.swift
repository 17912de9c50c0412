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

    /// How far an exchange has come; with the last progress and the last answer in each value.
    public func progressPublisher(
        for target: Target,
        from source: DataSource = .server
    ) -> ProgressPublisher {
        ProgressPublisher(events(for: target, from: source))
    }

    /// The values of the answers to a target: with `.cacheAndServer` the cache's and the server's.
    public func valuePublisher<S: ResponseSerializer>(
        for target: Target,
        using serializer: S,
        from source: DataSource = .server
    ) -> ValuePublisher<S> {
        ValuePublisher(values(for: target, using: serializer, from: source))
    }

    /// The answers to a target with their values; failures are values too.
    public func mappedResponsePublisher<S: ResponseSerializer>(
        for target: Target,
        using serializer: S,
        from source: DataSource = .server
    ) -> EventPublisher<MappedResponses<S>> {
        EventPublisher(mappedResponses(for: target, using: serializer, from: source))
    }

    /// What happens while a batch runs; the last value is `finished`.
    public func eventsPublisher(for batch: Batch) -> EventPublisher<BatchEvents> {
        EventPublisher(events(for: batch))
    }

    /// What happens while a chain runs; the last value is `finished`.
    public func eventsPublisher(for chain: Chain) -> EventPublisher<ChainEvents> {
        EventPublisher(events(for: chain))
    }

    /// What happens while a graph runs; the last value is `finished`.
    public func eventsPublisher(
        for graph: ChainGraph,
        resuming state: ChainState? = nil
    ) -> EventPublisher<ChainEvents> {
        EventPublisher(events(for: graph, resuming: state))
    }
}
