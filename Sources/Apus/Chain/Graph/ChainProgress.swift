/// How far a graph's run has come.
public struct ChainProgress: Sendable, Hashable {
    /// Steps in all.
    public let total: Int
    /// Steps that are done, in this run or in the one that it resumes.
    public internal(set) var done = 0
    /// Steps that failed.
    public internal(set) var failed = 0
    /// Steps that were not run, or cancelled.
    public internal(set) var skipped = 0

    /// Steps that have ended, in whichever way.
    public var ended: Int { done + failed + skipped }
}
