/// A target that says what its answers are read as, so that no call has to.
///
/// ```swift
/// struct ShowUser: TypedTarget {
///     typealias Value = User
///     let login: String
///     var baseURL: URL { api }
///     var path: String { "users/\(login)" }
/// }
/// let user = try await provider.value(for: ShowUser(login: "ada"))
/// ```
/// Any ``Provider`` sends it, beside the targets of its own kind. A `Decodable` value is the whole
/// body unless ``serializer`` says otherwise.
public protocol TypedTarget<Value>: TargetType {
    /// What is read.
    associatedtype Value: Sendable
    /// What the server says when it refuses, in a form of its own; `Never`, the default, for none.
    ///
    /// With it `provider.value(for:)` throws ``ServerFailure``: an answer with another status than
    /// 200 to 299 is read as this. The other calls throw ``ApusError``: they read every answer that
    /// ``TargetType/validation`` accepts as the value.
    associatedtype Failure: Decodable & Sendable = Never
    /// The type of `serializer`.
    associatedtype Serializer: ResponseSerializer<Value>

    /// What reads an answer: the whole body of a `Decodable` value unless said otherwise.
    ///
    /// ```swift
    /// var serializer: some ResponseSerializer<User> { .enveloped(.decodable(User.self)) }
    /// ```
    var serializer: Serializer { get }
}

extension TypedTarget where Value: Decodable {
    /// The whole body.
    public var serializer: DecodableSerializer<Value> { .decodable() }
}

extension EnvironmentTarget: TypedTarget where Base: TypedTarget {
    /// What the bound target's answers are read as.
    public typealias Value = Base.Value
    /// What the bound target's server says when it refuses.
    public typealias Failure = Base.Failure
    /// The bound target's.
    public var serializer: Base.Serializer { base.serializer }
}

extension Provider {
    /// The value of the last answer to a typed target.
    ///
    /// - Parameters:
    ///   - target: what is asked.
    ///   - source: where the answer comes from.
    ///   - caching: where it is kept this time; nil for what the target says.
    /// - Returns: the value.
    /// - Throws: ``ApusError``: what the exchange ended with, or why its answer cannot be read.
    public func value<T: TypedTarget>(
        for target: T,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) async throws(ApusError) -> T.Value where T.Failure == Never {
        try await value(for: target, using: target.serializer, from: source, caching: caching)
    }

    /// The same for a target whose server says in a form of its own why it refuses.
    ///
    /// - Throws: ``ServerFailure``: what the server says instead, or why there is no answer.
    public func value<T: TypedTarget>(
        for target: T,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) async throws(ServerFailure<T.Failure>) -> T.Value {
        try await value(
            for: target,
            by: ServerConvention(
                success: target.serializer,
                failure: .decodable(T.Failure.self)
            ),
            from: source,
            caching: caching
        )
    }

    /// The value of the last answer to a typed target with the answer beside it, never throwing.
    public func mappedResponse<T: TypedTarget>(
        for target: T,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) async -> MappedResponse<T.Value> {
        await mappedResponse(for: target, using: target.serializer, from: source, caching: caching)
    }

    /// The values of the answers to a typed target: with `.cacheAndServer` the cache's and the
    /// server's.
    public func values<T: TypedTarget>(
        for target: T,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> MappedValues<T.Serializer> {
        values(for: target, using: target.serializer, from: source, caching: caching)
    }

    /// The answers to a typed target with their values; failures are elements too.
    public func mappedResponses<T: TypedTarget>(
        for target: T,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> MappedResponses<T.Serializer> {
        mappedResponses(for: target, using: target.serializer, from: source, caching: caching)
    }
}

extension Provider {
    /// Sends a typed target and calls back with values, which are read off the executor, in order.
    @discardableResult
    public func request<T: TypedTarget>(
        _ target: T,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        on executor: CallbackExecutor = .pool,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        completion: @escaping @Sendable (MappedResponse<T.Value>) -> Void
    ) -> RequestToken {
        request(
            target,
            using: target.serializer,
            from: source,
            caching: caching,
            on: executor,
            progress: progress,
            completion: completion
        )
    }

    /// Sends a typed target and calls back on the main actor with values, which are read off it.
    @discardableResult
    public func request<T: TypedTarget>(
        _ target: T,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        on executor: CallbackExecutor.Main,
        progress: (@MainActor (TransferProgress) -> Void)? = nil,
        completion: @escaping @MainActor (MappedResponse<T.Value>) -> Void
    ) -> RequestToken {
        request(
            target,
            using: target.serializer,
            from: source,
            caching: caching,
            on: executor,
            progress: progress,
            completion: completion
        )
    }
}
