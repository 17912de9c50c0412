import BitCollections

/// Many targets that are sent concurrently, a bounded number at a time.
///
/// The targets may be of any types, whatever the target type of the ``Provider`` that sends them. Those of a
/// sequence are of one type, which may be ``MultiTarget``.
///
/// A batch holds its targets in groups, or makes them while it runs. An empty batch ends at once without a
/// failure.
///
/// ```swift
/// let batch = Batch(mode: .settled) { (1...100_000).lazy.map { API.item($0) } }
/// let summary = await provider.run(batch) { index, result in … }
/// ```
public struct Batch: Sendable {
    /// How a failure affects the rest of the batch.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// One failure fails the batch and cancels everything that has not ended.
        case all
        /// One failure fails the batch, but all other targets are still sent.
        case allFinishing
        /// Every target has its own result.
        case settled
    }

    /// Where the targets come from.
    enum Content: Sendable {
        case groups([Group])
        case made(count: Int?, @Sendable () -> BatchPull)
    }

    /// Where responses come from, unless a group says otherwise.
    public var source: DataSource
    /// Where responses are stored, unless a group says otherwise; nil for each target's own policy.
    public var caching: CachePolicy?
    /// The most requests that run at once, at least 1.
    public var concurrency: Int {
        didSet { concurrency = max(1, concurrency) }
    }
    /// How a failure affects the rest of the batch.
    public var mode: Mode

    let content: Content
    /// How fast requests start; nil to start one whenever another ends.
    public internal(set) var rate: BatchRate?
    /// The indices of targets that need not be sent.
    var done = BitSet()

    /// Creates a batch of targets; results come in their order.
    public init(
        _ targets: [any TargetType],
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        concurrency: Int = 8,
        mode: Mode = .settled
    ) {
        self.init(.groups([Group(targets)]), source, caching, concurrency, mode)
    }

    /// Creates a batch of groups; results come in the order of the groups and of the targets in each.
    ///
    /// A target of a later group starts when the earlier groups have none left or are at their own limits.
    public init(
        groups: [Group],
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        concurrency: Int = 8,
        mode: Mode = .settled
    ) {
        self.init(.groups(groups), source, caching, concurrency, mode)
    }

    /// Creates a batch that makes each target when its turn comes, so that the targets need not fit in memory
    /// together.
    ///
    /// - Parameters:
    ///   - source: Where responses come from.
    ///   - caching: Where they are stored; nil for each target's own policy.
    ///   - concurrency: The most requests that run at once.
    ///   - mode: How a failure affects the rest.
    ///   - count: The number of targets, for the progress; nil if it is not known.
    ///   - sequence: Is called once for each run.
    public init<Targets: Sequence & SendableMetatype>(
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        concurrency: Int = 8,
        mode: Mode = .settled,
        count: Int? = nil,
        sequence: @escaping @Sendable () -> Targets
    ) where Targets.Element: TargetType, Targets.Iterator: SendableMetatype {
        let make: @Sendable () -> BatchPull = {
            var iterator = sequence().makeIterator()
            return { iterator.next() }
        }
        self.init(.made(count: count, make), source, caching, concurrency, mode)
    }

    /// Creates a batch whose targets arrive while it runs.
    ///
    /// The next target is requested only when it can be sent at once. If the sequence throws, the batch fails
    /// with that error after the running requests have ended.
    public init<Targets: AsyncSequence & SendableMetatype>(
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        concurrency: Int = 8,
        mode: Mode = .settled,
        count: Int? = nil,
        stream: @escaping @Sendable () -> Targets
    ) where Targets.Element: TargetType, Targets.AsyncIterator: SendableMetatype {
        let make: @Sendable () -> BatchPull = {
            var iterator = stream().makeAsyncIterator()
            return { try await iterator.next(isolation: #isolation) }
        }
        self.init(.made(count: count, make), source, caching, concurrency, mode)
    }

    /// Creates a batch that makes its targets one by one and otherwise has the settings of another.
    init(made count: Int, like other: Batch, _ make: @escaping @Sendable () -> BatchPull) {
        self.init(
            .made(count: count, make),
            other.source,
            other.caching,
            other.concurrency,
            other.mode
        )
    }

    private init(
        _ content: Content,
        _ source: DataSource,
        _ caching: CachePolicy?,
        _ concurrency: Int,
        _ mode: Mode
    ) {
        self.content = content
        self.source = source
        self.caching = caching
        self.concurrency = max(1, concurrency)
        self.mode = mode
    }
}

extension Batch {
    /// A group of targets with settings of its own.
    public struct Group: Sendable {
        /// The group's name; nil if it has none.
        public var name: String?
        /// The targets, of any types.
        public var targets: [any TargetType]
        /// Where their responses come from; nil for the batch's source.
        public var source: DataSource?
        /// Where their responses are stored; nil for the batch's policy.
        public var caching: CachePolicy?
        /// The most requests of the group that run at once, within the batch's limit; nil for no limit of its
        /// own.
        public var concurrency: Int?

        /// Creates a group.
        public init(
            _ targets: [any TargetType],
            name: String? = nil,
            from source: DataSource? = nil,
            caching: CachePolicy? = nil,
            concurrency: Int? = nil
        ) {
            self.targets = targets
            self.name = name
            self.source = source
            self.caching = caching
            self.concurrency = concurrency
        }
    }

    /// The groups; empty if the targets are made while the batch runs.
    public var groups: [Group] {
        if case .groups(let groups) = content { groups } else { [] }
    }

    /// The targets in order; empty if they are made while the batch runs.
    public var targets: [any TargetType] { groups.flatMap(\.targets) }

    /// The number of targets; nil if it is not known.
    public var count: Int? {
        switch content {
        case .groups(let groups): groups.reduce(0) { $0 + $1.targets.count }
        case .made(let count, _): count
        }
    }

    /// The same batch with each target replaced.
    package func mapTargets(
        _ transform: @escaping @Sendable (Int, String?, any TargetType) -> any TargetType
    ) -> Batch {
        var batch: Batch
        switch content {
        case .groups(var groups):
            var place = 0
            for index in groups.indices {
                groups[index].targets = groups[index].targets.map { target in
                    defer { place += 1 }
                    return transform(place, nil, target)
                }
            }
            batch = Batch(.groups(groups), source, caching, concurrency, mode)
        case .made(let count, let make):
            let mapped: @Sendable () -> BatchPull = {
                let pull = make()
                var place = 0
                return {
                    guard let target = try await pull() else { return nil }
                    defer { place += 1 }
                    return transform(place, nil, target)
                }
            }
            batch = Batch(.made(count: count, mapped), source, caching, concurrency, mode)
        }
        batch.done = done
        batch.rate = rate
        return batch
    }

    /// Leaves out the targets at these indices.
    mutating func skip(_ places: [Int]) { done = BitSet(places) }

    /// The same batch without the targets that succeeded.
    ///
    /// The others keep their indices in events and results. Targets that are made while the batch runs are
    /// made again.
    public func retrying(_ summary: BatchSummary) -> Batch {
        var batch = self
        batch.done = summary.succeeded
        return batch
    }
}
