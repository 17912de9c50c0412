public import Apus

extension AnyProvider {
    /// The events of an exchange with a target of any type; the last value is `finished`.
    public func eventsPublisher(
        for target: any TargetType,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> EventPublisher<ExchangeEvents> {
        EventPublisher(events(for: target, from: source, caching: caching))
    }

    /// The responses to a target of any type.
    public func responsePublisher(
        for target: any TargetType,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> ResponsePublisher {
        ResponsePublisher(events(for: target, from: source, caching: caching))
    }

    /// The progress of an exchange with a target of any type.
    public func progressPublisher(
        for target: any TargetType,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> ProgressPublisher {
        ProgressPublisher(events(for: target, from: source, caching: caching))
    }

    /// The values of the responses to a target of any type.
    public func valuePublisher<S: ResponseSerializer>(
        for target: any TargetType,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> ValuePublisher<S> {
        ValuePublisher(values(for: target, using: serializer, from: source, caching: caching))
    }

    /// The values of the responses to a typed target.
    public func valuePublisher<T: TypedTarget>(
        for target: T,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> ValuePublisher<T.Serializer> {
        ValuePublisher(values(for: target, from: source, caching: caching))
    }

    /// The responses to a target of any type with their values; failures are values too.
    public func mappedResponsePublisher<S: ResponseSerializer>(
        for target: any TargetType,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> EventPublisher<MappedResponses<S>> {
        EventPublisher(
            mappedResponses(for: target, using: serializer, from: source, caching: caching)
        )
    }

    /// The events of a batch; the last value is `finished`.
    public func eventsPublisher(for batch: Batch) -> EventPublisher<BatchEvents> {
        EventPublisher(events(for: batch))
    }

    /// The events of a chain; the last value is `finished`.
    public func eventsPublisher(for chain: Chain) -> EventPublisher<ChainEvents> {
        EventPublisher(events(for: chain))
    }

    /// The events of a graph; the last value is `finished`.
    public func eventsPublisher(
        for graph: ChainGraph,
        resuming state: ChainState? = nil
    ) -> EventPublisher<ChainEvents> {
        EventPublisher(events(for: graph, resuming: state))
    }
}
