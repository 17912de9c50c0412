public import FoundationEssentials
public import HTTPTypes

/// Any target, so that targets of many kinds can stand in one provider or batch.
public struct MultiTarget: TargetType {
    /// The target inside, never itself a `MultiTarget`.
    public let target: any TargetType

    /// Wraps a target; one that is already wrapped is taken out first.
    public init(_ target: any TargetType) { self.target = Self.unwrapped(target) }

    /// The target inside, or the target itself.
    static func unwrapped(_ target: any TargetType) -> any TargetType {
        // The comparison comes first, for a cast looks at more: this runs for every request.
        guard type(of: target) == MultiTarget.self, let outer = target as? MultiTarget else {
            return target
        }
        return outer.target
    }

    /// The target's own.
    public var baseURL: URL { target.baseURL }
    /// The target's own.
    public var cdn: URL? { target.cdn }
    /// The target's own.
    public var environment: TargetEnvironment? { target.environment }
    /// The target's own.
    public var path: String { target.path }
    /// The target's own.
    public var method: HTTPRequest.Method { target.method }
    /// The target's own.
    public var task: RequestTask { target.task }
    /// The target's own.
    public var headerFields: HTTPFields { target.headerFields }
    /// The target's own.
    public var validation: Validation { target.validation }
    /// The target's own.
    public var cachePolicy: CachePolicy { target.cachePolicy }
    /// The target's own.
    public var options: TransportOptions { target.options }
    /// The target's own.
    public var envelope: ResponseEnvelope? { target.envelope }
    /// The target's own.
    public var sample: StubAnswer { target.sample }
}
