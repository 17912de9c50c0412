/// Sends targets; the entry point of the engine.
///
/// ```swift
/// let provider = Provider<GitHub>()
/// let response = try await provider.response(for: .user("ada"), from: .cacheIfPossible)
/// ```
/// It can do what ``AnyProvider`` can, with targets of any type. Each call that takes a target is here once
/// more for the provider's own type, because a leading dot needs a type to look in.
public final class Provider<Target: TargetType>: AnyProvider, @unchecked Sendable {
    /// The events of an exchange with a target.
    public func events(
        for target: Target,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> ExchangeEvents {
        super.events(for: target, from: source, caching: caching)
    }

    /// The last response to a target.
    ///
    /// - Throws: ``ApusError``; cancelling the task ends the transfer with `.cancelled`.
    public func response(
        for target: Target,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(ApusError) -> Response {
        try await super.response(
            for: target,
            from: source,
            caching: caching,
            progress: progress
        )
    }

    /// The cached response to a target, however old; nil if there is none.
    ///
    /// - Throws: ``ApusError``: an error of a plugin, the reason `.invalidRequest`, or `.cancelled`.
    public func cachedResponse(
        for target: Target,
        caching: CachePolicy? = nil,
        in storage: CachePolicy.Storage = .memoryAndDisk
    ) async throws(ApusError) -> Response? {
        try await super.cachedResponse(for: target, caching: caching, in: storage)
    }

    /// The request that would be sent for a target, as plugins prepare it.
    ///
    /// - Throws: ``ApusError``: an error of a plugin, or the reason `.invalidRequest`.
    public func preparedRequest(for target: Target) async throws(ApusError) -> PreparedRequest {
        try await super.preparedRequest(for: target)
    }

    /// Reads the last response to a target with a serializer.
    ///
    /// - Throws: ``ApusError`` if the exchange fails or its response cannot be read.
    public func value<S: ResponseSerializer>(
        for target: Target,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(ApusError) -> S.Value where S.Value: Sendable {
        try await super.value(
            for: target,
            using: serializer,
            from: source,
            caching: caching,
            progress: progress
        )
    }

    /// Reads the last response to a target according to a convention with its server.
    ///
    /// - Throws: ``ServerFailure`` with what the server says instead, or why there is no response.
    public func value<S: ResponseSerializer, F: ResponseSerializer>(
        for target: Target,
        by convention: ServerConvention<S, F>,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(ServerFailure<F.Value>) -> S.Value where S.Value: Sendable {
        try await super.value(
            for: target,
            by: convention,
            from: source,
            caching: caching,
            progress: progress
        )
    }

    /// Reads the last response to a target with a serializer; never throws.
    public func mappedResponse<S: ResponseSerializer>(
        for target: Target,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async -> MappedResponse<S.Value> where S.Value: Sendable {
        await super.mappedResponse(
            for: target,
            using: serializer,
            from: source,
            caching: caching,
            progress: progress
        )
    }

    /// The values of the responses to a target.
    public func values<S: ResponseSerializer>(
        for target: Target,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> MappedValues<S> {
        super.values(for: target, using: serializer, from: source, caching: caching)
    }

    /// The responses to a target with their values; failures are elements too.
    public func mappedResponses<S: ResponseSerializer>(
        for target: Target,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> MappedResponses<S> {
        super.mappedResponses(for: target, using: serializer, from: source, caching: caching)
    }

    /// Sends a target and calls back.
    @discardableResult
    public func request(
        _ target: Target,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        on executor: CallbackExecutor = .pool,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        completion: @escaping @Sendable (Result<Response, ApusError>) -> Void
    ) -> RequestToken {
        super.request(
            target,
            from: source,
            caching: caching,
            on: executor,
            progress: progress,
            completion: completion
        )
    }

    /// Sends a target and calls back with values.
    @discardableResult
    public func request<S: ResponseSerializer>(
        _ target: Target,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        on executor: CallbackExecutor = .pool,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        completion: @escaping @Sendable (MappedResponse<S.Value>) -> Void
    ) -> RequestToken where S.Value: Sendable {
        super.request(
            target,
            using: serializer,
            from: source,
            caching: caching,
            on: executor,
            progress: progress,
            completion: completion
        )
    }

    /// Sends a target and calls back on the main actor.
    @discardableResult
    public func request(
        _ target: Target,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        on executor: CallbackExecutor.Main,
        progress: (@MainActor (TransferProgress) -> Void)? = nil,
        completion: @escaping @MainActor (Result<Response, ApusError>) -> Void
    ) -> RequestToken {
        super.request(
            target,
            from: source,
            caching: caching,
            on: executor,
            progress: progress,
            completion: completion
        )
    }

    /// Sends a target and calls back on the main actor with values.
    @discardableResult
    public func request<S: ResponseSerializer>(
        _ target: Target,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        on executor: CallbackExecutor.Main,
        progress: (@MainActor (TransferProgress) -> Void)? = nil,
        completion: @escaping @MainActor (MappedResponse<S.Value>) -> Void
    ) -> RequestToken where S.Value: Sendable {
        super.request(
            target,
            using: serializer,
            from: source,
            caching: caching,
            on: executor,
            progress: progress,
            completion: completion
        )
    }
}
