extension Provider {
    /// The values of the answers to a target: with `.cacheAndServer` the cache's and the server's.
    public func values<S: ResponseSerializer>(
        using serializer: S,
        for target: Target,
        from source: DataSource = .server
    ) -> MappedValues<S> {
        MappedValues(events(for: target, from: source), serializer)
    }

    /// The answers to a target with their values; failures are elements too.
    public func mappedResponses<S: ResponseSerializer>(
        using serializer: S,
        for target: Target,
        from source: DataSource = .server
    ) -> MappedResponses<S> {
        MappedResponses(events(for: target, from: source), serializer)
    }
}
