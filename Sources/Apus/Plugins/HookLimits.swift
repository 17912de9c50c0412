/// What bounds the hooks of a provider.
public struct HookLimits: Sendable, Hashable {
    /// How long a hook may take; nil for no limit.
    ///
    /// The default is 30 s.
    public var time: Duration?
    /// How often `process` may ask for another attempt in one exchange.
    ///
    /// The default is 3.
    public var retries: Int

    /// Makes limits.
    public init(time: Duration? = .seconds(30), retries: Int = 3) {
        self.time = time
        self.retries = retries
    }
}
