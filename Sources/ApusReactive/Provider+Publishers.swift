public import Apus

extension Provider {
    /// The events of an exchange; the last value is `finished`.
    public func eventsPublisher(
        for target: Target,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> EventPublisher<ExchangeEvents> {
        EventPublisher(events(for: target, from: source, caching: caching))
    }

    /// The responses to a target; with `.cacheAndServer` the cached one and the server's.
    public func responsePublisher(
        for target: Target,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> ResponsePublisher {
        ResponsePublisher(events(for: target, from: source, caching: caching))
    }

    /// The progress of an exchange, with the latest progress and the latest response in each value.
    public func progressPublisher(
        for target: Target,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> ProgressPublisher {
        ProgressPublisher(events(for: target, from: source, caching: caching))
    }

    /// The values of the responses to a target; with `.cacheAndServer` the cached one and the server's.
    public func valuePublisher<S: ResponseSerializer>(
        for target: Target,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> ValuePublisher<S> {
        ValuePublisher(values(for: target, using: serializer, from: source, caching: caching))
    }

    /// The responses to a target with their values; failures are values too.
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
}
