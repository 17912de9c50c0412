// A provider does the same with targets of any type as with those of its own, so that a program needs one
// provider for enums, whose cases are named with a leading dot, and for types with one endpoint each. The
// overloads for its own type exist only for the leading dot.

extension Provider {
    /// The events of an exchange with a target of any type.
    public func events(
        for target: some TargetType,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> ExchangeEvents {
        forAny.events(for: MultiTarget(target), from: source, caching: caching)
    }

    /// The last response to a target of any type.
    ///
    /// - Throws: ``ApusError``; cancelling the task ends the transfer with `.cancelled`.
    public func response(
        for target: some TargetType,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) async throws(ApusError) -> Response {
        try await forAny.response(for: MultiTarget(target), from: source, caching: caching)
    }

    /// The cached response to a target of any type, however old; nil if there is none.
    ///
    /// - Throws: ``ApusError``: an error of a plugin, the reason `.invalidRequest`, or `.cancelled`.
    public func cachedResponse(
        for target: some TargetType,
        caching: CachePolicy? = nil,
        in storage: CachePolicy.Storage = .memoryAndDisk
    ) async throws(ApusError) -> Response? {
        try await forAny.cachedResponse(for: MultiTarget(target), caching: caching, in: storage)
    }

    /// The request that would be sent for a target of any type, as plugins prepare it.
    ///
    /// - Throws: ``ApusError``: an error of a plugin, or the reason `.invalidRequest`.
    public func preparedRequest(
        for target: some TargetType
    ) async throws(ApusError) -> PreparedRequest {
        try await forAny.preparedRequest(for: MultiTarget(target))
    }

    /// Reads the last response to a target of any type with a serializer.
    ///
    /// - Throws: ``ApusError`` if the exchange fails or its response cannot be read.
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

    /// Reads the last response to a target of any type according to a convention with its server.
    ///
    /// - Throws: ``ServerFailure`` with what the server says instead, or why there is no response.
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

    /// Reads the last response to a target of any type with a serializer; never throws.
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

    /// The values of the responses to a target of any type.
    public func values<S: ResponseSerializer>(
        for target: some TargetType,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> MappedValues<S> {
        forAny.values(for: MultiTarget(target), using: serializer, from: source, caching: caching)
    }

    /// The responses to a target of any type with their values; failures are elements too.
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

    // Disfavored, so that a closure without a parameter type gets the value of a typed target.
    /// Sends a target of any type and calls back.
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

    /// Sends a target of any type and calls back with values.
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

    /// Sends a target of any type and calls back on the main actor.
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

    /// Sends a target of any type and calls back on the main actor with values.
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
