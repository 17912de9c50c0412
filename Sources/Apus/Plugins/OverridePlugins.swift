public import HTTPTypes

/// Sets a header field of every request, replacing the target's.
public struct HeaderPlugin: Plugin {
    /// Returns the field's value for a target, or nil to remove the field.
    public typealias Value = @Sendable (any TargetType) async throws -> String?

    private let field: HTTPField.Name
    private let value: Value

    /// Sets a field to a value; nil removes it.
    public init(_ field: HTTPField.Name, _ value: String?) {
        self.init(field) { _ in value }
    }

    /// Sets a field to the value that a closure returns for each target; nil removes it.
    public init(_ field: HTTPField.Name, value: @escaping Value) {
        self.field = field
        self.value = value
    }

    /// Sets the field.
    public func prepare(
        _ request: PreparedRequest,
        in context: ExchangeContext
    ) async throws -> PreparedRequest {
        var request = request
        request.head.headerFields.set(try await value(context.target), for: field)
        return request
    }
}

/// Overrides the data source or the cache policy of requests, for example for an offline mode.
public struct CacheOverridePlugin: Plugin {
    private let source: DataSource?
    private let policy: CachePolicy?
    private let isMeant: @Sendable (any TargetType) -> Bool

    /// Creates an override.
    ///
    /// - Parameters:
    ///   - source: where responses come from; nil keeps the caller's source.
    ///   - policy: where they are stored; nil keeps the target's policy.
    ///   - isMeant: whether to override a target; by default all are.
    public init(
        source: DataSource? = nil,
        policy: CachePolicy? = nil,
        where isMeant: @escaping @Sendable (any TargetType) -> Bool = { _ in true }
    ) {
        self.source = source
        self.policy = policy
        self.isMeant = isMeant
    }

    /// Overrides the plan.
    public func plan(_ plan: CachePlan, in context: ExchangeContext) -> CachePlan {
        guard isMeant(context.target) else { return plan }
        return CachePlan(source: source ?? plan.source, policy: policy ?? plan.policy)
    }
}
