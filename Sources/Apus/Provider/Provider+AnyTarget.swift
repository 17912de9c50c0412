// What a provider does with targets of its own kind it does with those of any other, so that a
// program needs one provider for enums, whose cases are found by a dot, and for types of one endpoint
// each. The overloads for its own kind are there for the dot alone.

extension Provider {
    /// What happens from here to the answer of a target of any kind.
    public func events(
        for target: some TargetType,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> ExchangeEvents {
        forAny.events(for: MultiTarget(target), from: source, caching: caching)
    }

    /// The last answer to a target of any kind.
    ///
    /// - Throws: ``ApusError``; cancelling the task ends the transfer with `.cancelled`.
    public func response(
        for target: some TargetType,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) async throws(ApusError) -> Response {
        try await forAny.response(for: MultiTarget(target), from: source, caching: caching)
    }

    /// What the cache holds for a target of any kind, however old.
    ///
    /// - Throws: ``ApusError``: what a plugin throws, the reason `.invalidRequest`, or `.cancelled`.
    public func cachedResponse(
        for target: some TargetType,
        caching: CachePolicy? = nil,
        in storage: CachePolicy.Storage = .memoryAndDisk
    ) async throws(ApusError) -> Response? {
        try await forAny.cachedResponse(for: MultiTarget(target), caching: caching, in: storage)
    }

    /// The request that would be sent for a target of any kind, as plugins prepare it.
    ///
    /// - Throws: ``ApusError``: what a plugin throws, or the reason `.invalidRequest`.
    public func preparedRequest(
        for target: some TargetType
    ) async throws(ApusError) -> PreparedRequest {
        try await forAny.preparedRequest(for: MultiTarget(target))
    }

    /// What a serializer reads from the last answer to a target of any kind.
    ///
    /// - Throws: ``ApusError``: what the exchange ended with, or why its answer cannot be read.
    public func value<S: ResponseSerializer>(
        for target: some TargetType,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) async throws(ApusError) -> S.Value where S.Value: Sendable {
        try await forAny.value(
            for: MultiTarget(target),
            using: serializer,
            from: source,
            caching: caching
        )
    }

    /// The value of the last answer to a target of any kind, by a convention with its server.
    ///
    /// - Throws: ``ServerFailure``: what the server says instead, or why there is no answer.
    public func value<S: ResponseSerializer, F: ResponseSerializer>(
        for target: some TargetType,
        by convention: ServerConvention<S, F>,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) async throws(ServerFailure<F.Value>) -> S.Value where S.Value: Sendable {
        try await forAny.value(
            for: MultiTarget(target),
            by: convention,
            from: source,
            caching: caching
        )
    }

    /// What a serializer reads from the last answer to a target of any kind, never throwing.
    public func mappedResponse<S: ResponseSerializer>(
        for target: some TargetType,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) async -> MappedResponse<S.Value> where S.Value: Sendable {
        await forAny.mappedResponse(
            for: MultiTarget(target),
            using: serializer,
            from: source,
            caching: caching
        )
    }

    /// The values of the answers to a target of any kind.
    public func values<S: ResponseSerializer>(
        for target: some TargetType,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> MappedValues<S> {
        forAny.values(for: MultiTarget(target), using: serializer, from: source, caching: caching)
    }

    /// The answers to a target of any kind with their values; failures are elements too.
    public func mappedResponses<S: ResponseSerializer>(
        for target: some TargetType,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> MappedResponses<S> {
        forAny.mappedResponses(
            for: MultiTarget(target),
            using: serializer,
            from: source,
            caching: caching
        )
    }

    // Disfavoured, so that a closure that does not say what it takes gets a typed target's value.
    /// Sends a target of any kind and calls back.
    @_disfavoredOverload
    @discardableResult
    public func request(
        _ target: some TargetType,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        on executor: CallbackExecutor = .pool,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        completion: @escaping @Sendable (Result<Response, ApusError>) -> Void
    ) -> RequestToken {
        forAny.request(
            MultiTarget(target),
            from: source,
            caching: caching,
            on: executor,
            progress: progress,
            completion: completion
        )
    }

    /// Sends a target of any kind and calls back with values.
    @discardableResult
    public func request<S: ResponseSerializer>(
        _ target: some TargetType,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        on executor: CallbackExecutor = .pool,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        completion: @escaping @Sendable (MappedResponse<S.Value>) -> Void
    ) -> RequestToken where S.Value: Sendable {
        forAny.request(
            MultiTarget(target),
            using: serializer,
            from: source,
            caching: caching,
            on: executor,
            progress: progress,
            completion: completion
        )
    }

    /// Sends a target of any kind and calls back on the main actor.
    @_disfavoredOverload
    @discardableResult
    public func request(
        _ target: some TargetType,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        on executor: CallbackExecutor.Main,
        progress: (@MainActor (TransferProgress) -> Void)? = nil,
        completion: @escaping @MainActor (Result<Response, ApusError>) -> Void
    ) -> RequestToken {
        forAny.request(
            MultiTarget(target),
            from: source,
            caching: caching,
            on: executor,
            progress: progress,
            completion: completion
        )
    }

    /// Sends a target of any kind and calls back on the main actor with values.
    @discardableResult
    public func request<S: ResponseSerializer>(
        _ target: some TargetType,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        on executor: CallbackExecutor.Main,
        progress: (@MainActor (TransferProgress) -> Void)? = nil,
        completion: @escaping @MainActor (MappedResponse<S.Value>) -> Void
    ) -> RequestToken where S.Value: Sendable {
        forAny.request(
            MultiTarget(target),
            using: serializer,
            from: source,
            caching: caching,
            on: executor,
            progress: progress,
            completion: completion
        )
    }
}
