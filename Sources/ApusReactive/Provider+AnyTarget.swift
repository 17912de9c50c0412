public import Apus

// As in the engine: a provider publishes targets of any kind as it does those of its own.

extension Provider {
    /// What happens from here to the answer of a target of any kind; the last value is `finished`.
    public func eventsPublisher(
        for target: some TargetType,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> EventPublisher<ExchangeEvents> {
        EventPublisher(events(for: target, from: source, caching: caching))
    }

    /// The answers to a target of any kind.
    public func responsePublisher(
        for target: some TargetType,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> ResponsePublisher {
        ResponsePublisher(events(for: target, from: source, caching: caching))
    }

    /// How far the exchange of a target of any kind has come.
    public func progressPublisher(
        for target: some TargetType,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> ProgressPublisher {
        ProgressPublisher(events(for: target, from: source, caching: caching))
    }

    /// The values of the answers to a target of any kind.
    public func valuePublisher<S: ResponseSerializer>(
        for target: some TargetType,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> ValuePublisher<S> {
        ValuePublisher(values(for: target, using: serializer, from: source, caching: caching))
    }

    /// The values of the answers to a typed target.
    public func valuePublisher<T: TypedTarget>(
        for target: T,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> ValuePublisher<T.Serializer> {
        ValuePublisher(values(for: target, from: source, caching: caching))
    }

    /// The answers to a target of any kind with their values; failures are values too.
    public func mappedResponsePublisher<S: ResponseSerializer>(
        for target: some TargetType,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> EventPublisher<MappedResponses<S>> {
        EventPublisher(
            mappedResponses(for: target, using: serializer, from: source, caching: caching)
        )
    }
}
