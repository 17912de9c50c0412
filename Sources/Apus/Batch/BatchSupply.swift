/// Gives the next target of a batch; nil after the last.
typealias BatchPull = () async throws -> (any TargetType)?

/// A target of a batch whose turn has come.
struct BatchItem: Sendable {
    let index: Int
    let target: any TargetType
    let source: DataSource
    let group: Int
}

/// Hands out the targets of one run of a batch, each once.
protocol BatchSupply: Sendable {
    /// The next target; nil when a worker has nothing more to do.
    func next() async throws -> BatchItem?
    /// A target has ended.
    func ended(_ item: BatchItem)
    /// How many places have been looked at.
    var reached: Int { get }
}
