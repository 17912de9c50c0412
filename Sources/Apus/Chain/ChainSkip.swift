/// Why a step of a graph was not run.
public enum ChainSkip: Sendable, Hashable {
    /// A step that it needs failed.
    case failed(step: String)
    /// A step that it needs was itself skipped.
    case skipped(step: String)
    /// Its condition is not true.
    case condition(String)
}
