public import FoundationEssentials

/// Why the cache had no answer.
public enum CacheMissReason: Sendable, Hashable {
    /// Nothing was ever stored under the key, or it has been evicted.
    case notFound
    /// The entry's time was over.
    case expired(since: Date)
    /// The entry was damaged and has been removed.
    case corrupt(detail: String)
    /// The entry was written by another `CacheSerializer`, of this name, or by none.
    case otherForm(String?)
    /// The policy keeps nothing.
    case policyNone
    /// The key was already used in this process (`.cacheOnFirstUse`).
    case notFirstUse
    /// Something is stored, but by this rule of HTTP it may not be served unasked.
    case mustAsk(CacheRule)
    /// A plugin did not let the cached answer pass.
    case refused
    /// The store could not be read.
    case unavailable(detail: String)
}
