public import FoundationEssentials
public import HTTPTypes

/// A target, bound to what a store says when it is sent.
public struct EnvironmentTarget<Base: TargetType>: TargetType {
    /// The target.
    public let base: Base
    /// The store.
    public let store: EnvironmentStore

    /// Binds a target.
    public init(_ base: Base, in store: EnvironmentStore) {
        self.base = base
        self.store = store
    }

    /// The one in use now.
    public var environment: TargetEnvironment? { store.current }

    /// The target's own.
    public var baseURL: URL { base.baseURL }
    /// The target's own.
    public var cdn: URL? { base.cdn }
    /// The target's own.
    public var path: String { base.path }
    /// The target's own.
    public var method: HTTPRequest.Method { base.method }
    /// The target's own.
    public var task: RequestTask { base.task }
    /// The target's own.
    public var headerFields: HTTPFields { base.headerFields }
    /// The target's own.
    public var validation: Validation { base.validation }
    /// The target's own.
    public var cachePolicy: CachePolicy { base.cachePolicy }
    /// The target's own.
    public var options: TransportOptions { base.options }
    /// The target's own.
    public var envelope: ResponseEnvelope? { base.envelope ?? environment?.envelope }
    /// The target's own.
    public var sample: StubAnswer { base.sample }
}

extension TargetType {
    /// This target, bound to a store's environment.
    public func bound(to store: EnvironmentStore) -> EnvironmentTarget<Self> {
        EnvironmentTarget(self, in: store)
    }
}
