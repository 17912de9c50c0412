public import FoundationEssentials

/// What became of an answer that could have been stored.
public enum CacheStoreOutcome: Sendable, Hashable {
    /// Stored, in these places, until then (nil for ever).
    case stored(CachePolicy.Storage, expires: Date?)
    /// Not stored.
    case notStored(NotStoredReason)
}
