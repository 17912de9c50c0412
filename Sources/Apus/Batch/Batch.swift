import BitCollections

/// Many targets sent side by side, a bounded number at a time.
///
/// They may be of any kinds, whatever the kind of the ``Provider`` that sends them;
/// those of a sequence are of one kind, which may be ``MultiTarget``.
///
/// A batch has its targets in groups, or makes them while it runs. An empty batch
/// ends at once, without a failure.
///
/// ```swift
/// let batch = Batch(mode: .settled) { (1...100_000).lazy.map { API.item($0) } }
/// let summary = await provider.run(batch) { index, result in … }
/// ```
public struct Batch: Sendable {
    /// What a failure does to the rest.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// One failure fails the batch; what has not ended is cancelled.
        case all
        /// One failure fails the batch, but the others are still sent.
        case allFinishing
        /// Every target has its own result.
        case settled
    }

    /// Where the targets come from.
    enum Content: Sendable {
        case groups([Group])
        case made(count: Int?, @Sendable () -> BatchPull)
    }

    /// Where answers come from, unless a group says otherwise.
    public var source: DataSource
    /// Where answers are kept, unless a group says otherwise; nil for what each target says.
    public var caching: CachePolicy?
    /// How many are under way at once, at least 1.
    public var concurrency: Int {
        didSet { concurrency = max(1, concurrency) }
    }
    /// What a failure does to the rest.
    public var mode: Mode

    let content: Content
    /// How fast requests are begun; nil for as fast as they end.
    public internal(set) var rate: BatchRate?
    /// Those that need not be sent.
    var done = BitSet()

    /// Makes a batch of targets; results come in their order.
    public init(
        _ targets: [any TargetType],
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        concurrency: Int = 8,
        mode: Mode = .settled
    ) {
        self.init(.groups([Group(targets)]), source, caching, concurrency, mode)
    }

    /// Makes a batch of groups; results come in the order of the groups and, in
    /// each, of its targets.
    ///
    /// A target of a later group is begun when the earlier ones have none left or
    /// are at their own limit.
    public init(
        groups: [Group],
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        concurrency: Int = 8,
        mode: Mode = .settled
    ) {
        self.init(.groups(groups), source, caching, concurrency, mode)
    }

    /// Makes a batch whose targets are made when their turn comes, so that there
    /// may be more of them than there is memory for.
    ///
    /// - Parameters:
    ///   - source: Where answers come from.
    ///   - caching: Where they are kept; nil for what each target says.
    ///   - concurrency: How many are under way at once.
    ///   - mode: What a failure does to the rest.
    ///   - count: How many there will be, for the progress; nil if nobody knows.
    ///   - sequence: Called once for each run.
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

    /// Makes a batch whose targets arrive while it runs.
    ///
    /// A target is only asked for when it can be sent at once. If the sequence
    /// throws, the batch fails with that error when what is under way has ended.
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

    /// Makes a batch whose targets are made one by one, otherwise like another.
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
    /// Targets of a batch that belong together.
    public struct Group: Sendable {
        /// Its name, if it has one.
        public var name: String?
        /// The targets, of any kinds.
        public var targets: [any TargetType]
        /// Where their answers come from; nil for what the batch says.
        public var source: DataSource?
        /// Where their answers are kept; nil for what the batch says.
        public var caching: CachePolicy?
        /// How many of the group are under way at once, within the batch's
        /// limit; nil for no limit of its own.
        public var concurrency: Int?

        /// Makes a group.
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

    /// The same batch, with another target in the place of each.
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

    /// Leaves out the targets at some places.
    mutating func skip(_ places: [Int]) { done = BitSet(places) }

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
