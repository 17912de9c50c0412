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
    /// The call asked for a value, which cannot be read in it.
    case unreadable
    /// The answer did not arrive whole.
    case incomplete
    /// It did not come from the server.
    case notFromServer
    /// The body went to a file of the user's.
    case downloaded
    /// An interceptor added credentials and did not say whose (`Interceptor.account`).
    case unknownAccount
    /// This rule of HTTP forbids it, or nothing allows it.
    case http(CacheRule)
    /// The store could not be written, for example because the disk is full.
    case failed(detail: String)
    /// It sends on to a URL with a credential, which the disk does not keep.
    case credential
    /// An interceptor had it sent in a way that the key knows nothing of: to another host, or for
    /// a coded body.
    case unknownWay
    /// Another request changed what its URL stands for while it was under way (RFC 9111, 4.4).
    case invalidated
    /// A newer answer is stored: one with a later `Date`, or that was asked for later.
    case outdated
}

/// What the cache would do with a request now.
public enum CacheForecast: Sendable, Hashable {
    /// What the rules of HTTP say, for `CachePolicy.http`.
    case http(CacheDecision)
    /// It would serve this entry.
    case hit(CacheEntry)
    /// It has nothing that it may serve.
    case miss(CacheKey, CacheMissReason)
}
