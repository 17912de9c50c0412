extension AnyProvider {
    /// Reads the last response to a target with a serializer, off the calling actor.
    ///
    /// - Parameters:
    ///   - target: the target to request.
    ///   - serializer: reads the response. One that needs an envelope and has none uses the target's, or else
    ///     the provider's; one that decodes and has no decoder uses the provider's.
    ///   - source: where the response comes from; a cached response that cannot be read is a miss.
    ///   - caching: where to store the response this time; nil for the target's policy. A response that
    ///     cannot be read is not stored, unless the policy's `shouldStore` decides.
    ///   - progress: is called with the transfer's progress, on no particular thread.
    /// - Returns: the value.
    /// - Throws: ``ApusError`` if the exchange fails or its response cannot be read.
    public func value<S: ResponseSerializer>(
        for target: any TargetType,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(ApusError) -> S.Value where S.Value: Sendable {
        let reader = ValueReader(try resolved(serializer, for: target))
        let response = try await response(for: target, source, caching, reader, progress)
        return try await reader.mapped(response).result.get()
    }

    /// Sends a request and returns its response with the value read from it, or with the error; never throws.
    public func mappedResponse<S: ResponseSerializer>(
        for target: any TargetType,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async -> MappedResponse<S.Value> where S.Value: Sendable {
        do throws(ApusError) {
            let reader = ValueReader(try resolved(serializer, for: target))
            let response = try await response(for: target, source, caching, reader, progress)
            return await reader.mapped(response)
        } catch {
            return MappedResponse(response: error.response, result: .failure(error))
        }
    }

    /// The values of the responses to a target; with `.cacheAndServer` the cached and the server's.
    public func values<S: ResponseSerializer>(
        for target: any TargetType,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> MappedValues<S> {
        MappedValues(
            events(for: target, from: source, caching: caching),
            reading(serializer, for: target)
        )
    }

    /// The responses to a target with their values; failures are elements too.
    public func mappedResponses<S: ResponseSerializer>(
        for target: any TargetType,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> MappedResponses<S> {
        MappedResponses(
            events(for: target, from: source, caching: caching),
            reading(serializer, for: target)
        )
    }

    /// The serializer, with the target's envelope or else the provider's if it needs one and has none, and with
    /// the provider's decoder.
    func resolved<S: ResponseSerializer>(
        _ serializer: S,
        for target: any TargetType
    ) throws(ApusError) -> S {
        let serializer = try serializer.resolvingEnvelope(target.envelope ?? envelope)
        return decoder.map { serializer.resolvingDecoder($0) } ?? serializer
    }

    /// The serializer with its envelope as `resolved` finds it; the serializer itself if it needs one and there
    /// is none.
    func reading<S: ResponseSerializer>(_ serializer: S, for target: any TargetType) -> S {
        // A serializer that needs an envelope and gets none fails for each response.
        (try? resolved(serializer, for: target)) ?? serializer
    }
}

extension Result where Success == Response, Failure == ApusError {
    /// Reads the response with a serializer and keeps it, for the results of a batch or a chain.
    public func mappedResponse<S: ResponseSerializer>(
        using serializer: S
    ) -> MappedResponse<S.Value> {
        MappedResponse(self, using: serializer)
    }

    /// The response, or the one that the failure holds.
    var receivedResponse: Response? {
        switch self {
        case .success(let response): response
        case .failure(let error): error.response
        }
    }
}
