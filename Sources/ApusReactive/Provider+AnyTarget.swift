public import Apus

// As in the engine, a provider takes targets of any type, not only of its own.

extension Provider {
    /// The events of an exchange with a target of any type; the last value is `finished`.
    public func eventsPublisher(
        for target: some TargetType,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> EventPublisher<ExchangeEvents> {
        EventPublisher(events(for: target, from: source, caching: caching))
    }

    /// The responses to a target of any type.
    public func responsePublisher(
        for target: some TargetType,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> ResponsePublisher {
        ResponsePublisher(events(for: target, from: source, caching: caching))
    }

    /// The progress of an exchange with a target of any type.
    public func progressPublisher(
        for target: some TargetType,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> ProgressPublisher {
        ProgressPublisher(events(for: target, from: source, caching: caching))
    }

    /// The values of the responses to a target of any type.
    public func valuePublisher<S: ResponseSerializer>(
        for target: some TargetType,
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
