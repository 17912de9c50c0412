extension Batch {
    /// Targets of a batch that belong together.
    public struct Group: Sendable {
        /// Its name, if it has one.
        public var name: String?
        /// The targets, of any kinds.
        public var targets: [any TargetType]
        /// Where their answers come from; nil for what the batch says.
        public var source: DataSource?
        /// How many of the group are under way at once, within the batch's
        /// limit; nil for no limit of its own.
        public var concurrency: Int?

        /// Makes a group.
        public init(
            _ targets: [any TargetType],
            name: String? = nil,
            from source: DataSource? = nil,
            concurrency: Int? = nil
        ) {
            self.targets = targets
            self.name = name
            self.source = source
            self.concurrency = concurrency
        }
    }

    /// The groups; none if the targets are made while the batch runs.
    public var groups: [Group] {
        if case .groups(let groups) = content { groups } else { [] }
    }

    /// The targets in order; none if they are made while the batch runs.
    public var targets: [any TargetType] { groups.flatMap(\.targets) }

    /// How many targets there are; nil if nobody knows.
    public var count: Int? {
        switch content {
        case .groups(let groups): groups.reduce(0) { $0 + $1.targets.count }
        case .made(let count, _): count
        }
    }

    /// The batch again, without those that succeeded.
    ///
    /// The others keep their places: events and results name them as before.
    /// Targets that are made while the batch runs are made again.
    public func retrying(_ summary: BatchSummary) -> Batch {
        var batch = self
        batch.done = summary.succeeded
        return batch
    }
}
