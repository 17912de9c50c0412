public import Apus

extension Provider {
    /// What happens from here to the answer, or the two; the last value is `finished`.
    public func eventsPublisher(
        for target: Target,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> EventPublisher<ExchangeEvents> {
        EventPublisher(events(for: target, from: source, caching: caching))
    }

    /// The answers to a target: with `.cacheAndServer` the cache's and the server's.
    public func responsePublisher(
        for target: Target,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> ResponsePublisher {
        ResponsePublisher(events(for: target, from: source, caching: caching))
    }

    /// How far an exchange has come; with the last progress and the last answer in each value.
    public func progressPublisher(
        for target: Target,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> ProgressPublisher {
        ProgressPublisher(events(for: target, from: source, caching: caching))
    }

    /// The values of the answers to a target: with `.cacheAndServer` the cache's and the server's.
    public func valuePublisher<S: ResponseSerializer>(
        for target: Target,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> ValuePublisher<S> {
        ValuePublisher(values(for: target, using: serializer, from: source, caching: caching))
    }

    /// The answers to a target with their values; failures are values too.
    public func mappedResponsePublisher<S: ResponseSerializer>(
        for target: Target,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> EventPublisher<MappedResponses<S>> {
        EventPublisher(
            mappedResponses(for: target, using: serializer, from: source, caching: caching)
        )
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
