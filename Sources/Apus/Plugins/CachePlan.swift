/// Where an exchange takes its answers from, and where it keeps them.
public struct CachePlan: Sendable {
    /// Where answers come from.
    public var source: DataSource
    /// Where they are kept; nil for what the target says.
    public var policy: CachePolicy?

    /// Makes a plan.
    public init(source: DataSource = .server, policy: CachePolicy? = nil) {
        self.source = source
        self.policy = policy
    }
}
