extension Provider {
    /// What a serializer reads from the last answer to a target, off the calling actor.
    ///
    /// - Parameters:
    ///   - target: what is asked.
    ///   - serializer: what reads the answer; one that reads an envelope and names none reads the
    ///     target's, or else the provider's.
    ///   - source: where the answer comes from; a cached one that cannot be read is a miss.
    ///   - caching: where it is kept this time; nil for what the target says. What cannot be read
    ///     is not kept, unless the policy's `shouldStore` decides.
    /// - Returns: the value.
    /// - Throws: ``ApusError``: what the exchange ended with, or why its answer cannot be read.
    public func value<S: ResponseSerializer>(
        for target: Target,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) async throws(ApusError) -> S.Value where S.Value: Sendable {
        let reader = ValueReader(try resolved(serializer, for: target))
        let response = try await response(for: target, source, caching, reader)
        return try await reader.mapped(response).result.get()
    }

    /// The same, never throwing, with the answer beside the value.
    public func mappedResponse<S: ResponseSerializer>(
        for target: Target,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) async -> MappedResponse<S.Value> where S.Value: Sendable {
        do throws(ApusError) {
            let reader = ValueReader(try resolved(serializer, for: target))
            return await reader.mapped(try await response(for: target, source, caching, reader))
        } catch {
            return MappedResponse(response: error.response, result: .failure(error))
        }
    }

    /// The values of the answers to a target: with `.cacheAndServer` the cache's and the server's.
    public func values<S: ResponseSerializer>(
        for target: Target,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> MappedValues<S> {
        MappedValues(
            events(for: target, from: source, caching: caching),
            reading(serializer, for: target)
        )
    }

    /// The answers to a target with their values; failures are elements too.
    public func mappedResponses<S: ResponseSerializer>(
        for target: Target,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> MappedResponses<S> {
        MappedResponses(
            events(for: target, from: source, caching: caching),
            reading(serializer, for: target)
        )
    }

    /// A serializer with the target's envelope, or else the provider's, if it names none.
    func resolved<S: ResponseSerializer>(
        _ serializer: S,
        for target: Target
    ) throws(ApusError) -> S {
        try serializer.resolvingEnvelope(target.envelope ?? envelope)
    }

    /// The same for what cannot throw.
    func reading<S: ResponseSerializer>(_ serializer: S, for target: Target) -> S {
        // One that needs an envelope and gets none says so of each answer.
        (try? resolved(serializer, for: target)) ?? serializer
    }
}

extension Result where Success == Response, Failure == ApusError {
    /// What a serializer reads, with the answer beside it: for what comes out of a batch or a chain.
    public func mappedResponse<S: ResponseSerializer>(
        using serializer: S
    ) -> MappedResponse<S.Value> {
        MappedResponse(self, using: serializer)
    }
}
