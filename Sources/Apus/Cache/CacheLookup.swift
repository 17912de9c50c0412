public import FoundationEssentials

/// What the cache says when it is asked for a key.
public enum CacheLookup: Sendable, Hashable {
    /// It has an answer; the response's source tells where and how old.
    case hit(Response)
    /// It has none that may be served.
    case miss(CacheKey, CacheMissReason)
}

/// Why the cache had no answer.
public enum CacheMissReason: Sendable, Hashable {
    /// Nothing was ever stored under the key, or it has been evicted.
    case notFound
    /// The entry's time was over.
    case expired(since: Date)
    /// The entry was damaged and has been removed.
    case corrupt(detail: String)
    /// The policy keeps nothing.
    case policyNone
    /// The key was already used in this process (`.cacheOnFirstUse`).
    case notFirstUse
    /// The store could not be read.
    case unavailable(detail: String)
}

/// What became of an answer that could have been stored.
public enum CacheStoreOutcome: Sendable, Hashable {
    /// Stored, in these places, until then (nil for ever).
    case stored(CachePolicy.Storage, expires: Date?)
    /// Not stored.
    case notStored(NotStoredReason)
}

/// Why an answer was not stored.
public enum NotStoredReason: Sendable, Hashable {
    /// The policy keeps nothing.
    case policyNone
    /// The policy's time is over before it begins.
    case expired
    /// Only successes are stored.
    case status(Int)
    /// The target's own rule said no.
    case predicate
    /// The data source's rule said no.
    case rule
    /// The body is larger than the store's limit.
    case tooLarge(bytes: Int, limit: Int)
    /// The answer did not arrive whole.
    case incomplete
    /// It did not come from the server.
    case notFromServer
    /// The body went to a file of the user's.
    case downloaded
    /// The store could not be written, for example because the disk is full.
    case failed(detail: String)
}
