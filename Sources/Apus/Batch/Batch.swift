/// Many targets sent side by side, a bounded number at a time.
public struct Batch: Sendable {
    /// What a failure does to the rest.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// One failure fails the batch; what has not ended is cancelled.
        case all
        /// Every target has its own result.
        case settled
    }

    /// The targets; results come in this order.
    public var targets: [any TargetType]
    /// Where their answers come from.
    public var source: DataSource
    /// How many are under way at once, at least 1.
    public var concurrency: Int
    /// What a failure does to the rest.
    public var mode: Mode

    /// Makes a batch.
    public init(
        _ targets: [any TargetType],
        from source: DataSource = .server,
        concurrency: Int = 8,
        mode: Mode = .settled
    ) {
        self.targets = targets
        self.source = source
        self.concurrency = max(1, concurrency)
        self.mode = mode
    }
}
