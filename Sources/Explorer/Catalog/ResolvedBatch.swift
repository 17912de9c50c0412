public import Apus

/// A batch, ready to run.
public struct ResolvedBatch: Sendable {
    /// What is sent.
    public var batch: Batch
    /// A line for each target of the batch: "GET /users/7".
    public var titles: [String]

    /// Makes a resolved batch.
    public init(batch: Batch, titles: [String]) {
        self.batch = batch
        self.titles = titles
    }
}
