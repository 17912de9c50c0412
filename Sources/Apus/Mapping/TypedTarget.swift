/// A target that declares how its responses are read, so that no call has to.
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
/// Any ``Provider`` can send it, along with the targets of its own type. A `Decodable` value is read from the
/// whole body unless ``serializer`` says otherwise.
public protocol TypedTarget<Value>: TargetType {
    /// The type of the value.
    associatedtype Value: Sendable
    /// The form in which the server explains a refusal; `Never`, the default, if it has none.
    ///
    /// With another type than `Never`, `provider.value(for:)` throws ``ServerFailure`` and reads a response
    /// with a status outside 200 to 299 as this type. The other calls throw ``ApusError`` and read every
    /// response that ``TargetType/validation`` accepts as the value.
    associatedtype Failure: Decodable & Sendable = Never
    /// The type of `serializer`.
    associatedtype Serializer: ResponseSerializer<Value>

    /// Reads a response; by default a `Decodable` value from the whole body.
    ///
    /// ```swift
    /// var serializer: some ResponseSerializer<User> { .enveloped(.decodable(User.self)) }
    /// ```
    var serializer: Serializer { get }
}

extension TypedTarget where Value: Decodable {
    /// Reads the whole body.
    public var serializer: DecodableSerializer<Value> { .decodable() }
}

extension EnvironmentTarget: TypedTarget where Base: TypedTarget {
    /// The value of the bound target.
    public typealias Value = Base.Value
    /// The form in which the bound target's server explains a refusal.
    public typealias Failure = Base.Failure
    /// The serializer of the bound target.
    public var serializer: Base.Serializer { base.serializer }
}

extension AnyProvider {
    /// Reads the last response to a typed target.
    ///
    /// - Parameters:
    ///   - target: the target to request.
    ///   - source: where the response comes from.
    ///   - caching: where to store the response this time; nil for the target's policy.
    ///   - progress: is called with the transfer's progress, on no particular thread.
    /// - Returns: the value.
    /// - Throws: ``ApusError`` if the exchange fails or its response cannot be read.
    public func value<T: TypedTarget>(
        for target: T,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(ApusError) -> T.Value where T.Failure == Never {
        try await value(
            for: target,
            using: target.serializer,
            from: source,
            caching: caching,
            progress: progress
        )
    }

    /// Sends a target and returns its value; a refusal is thrown in the form that the server has for it.
    ///
    /// - Throws: ``ServerFailure`` with what the server says instead, or why there is no response.
    public func value<T: TypedTarget>(
        for target: T,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(ServerFailure<T.Failure>) -> T.Value {
        try await value(
            for: target,
            by: ServerConvention(
                success: target.serializer,
                failure: .decodable(T.Failure.self)
            ),
            from: source,
            caching: caching,
            progress: progress
        )
    }

    /// Sends a target and returns its response with the value, or with the error; never throws.
    public func mappedResponse<T: TypedTarget>(
        for target: T,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async -> MappedResponse<T.Value> {
        await mappedResponse(
            for: target,
            using: target.serializer,
            from: source,
            caching: caching,
            progress: progress
        )
    }

    /// The values of the responses to a typed target; with `.cacheAndServer` the cached and the server's.
    public func values<T: TypedTarget>(
        for target: T,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> MappedValues<T.Serializer> {
        values(for: target, using: target.serializer, from: source, caching: caching)
    }

    /// The responses to a typed target with their values; failures are elements too.
    public func mappedResponses<T: TypedTarget>(
        for target: T,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> MappedResponses<T.Serializer> {
        mappedResponses(for: target, using: target.serializer, from: source, caching: caching)
    }
}

extension AnyProvider {
    /// Sends a typed target and calls back with the values in order, which are read off the executor.
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

    /// Sends a typed target and calls back on the main actor with the values, which are read off it.
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
