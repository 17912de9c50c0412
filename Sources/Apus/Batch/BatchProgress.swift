/// How far a batch has come.
public struct BatchProgress: Sendable, Hashable {
    /// Targets in all.
    public var total: Int
    /// Targets that ended with an answer.
    public var succeeded: Int
    /// Targets that ended without one.
    public var failed: Int

    /// Makes a progress.
    public init(total: Int, succeeded: Int = 0, failed: Int = 0) {
        self.total = total
        self.succeeded = succeeded
        self.failed = failed
    }

    /// Targets that have ended.
    public var ended: Int { succeeded + failed }
}
