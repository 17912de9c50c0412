public import FoundationEssentials

/// The result of a cache lookup.
public enum CacheLookup: Sendable, Hashable {
    /// The cache has a response; its source says where it was and how old it is.
    case hit(Response)
    /// The cache has no response that may be served.
    case miss(CacheKey, CacheMissReason)
}

/// Why a lookup was a miss.
public enum CacheMissReason: Sendable, Hashable {
    /// Nothing was stored under the key, or the entry has been evicted.
    case notFound
    /// The entry expired at this date.
    case expired(since: Date)
    /// The entry was damaged.
    case corrupt(detail: String)
    /// The entry was written with another `CacheSerializer`, which has this name, or without one (nil).
    case otherForm(String?)
    /// The policy stores nothing.
    case policyNone
    /// The key was already used in this process (`.cacheOnFirstUse`).
    case notFirstUse
    /// A response is stored, but this HTTP rule requires asking the origin first.
    case mustAsk(CacheRule)
    /// A plugin rejected the cached response.
    case refused
    /// The disk could not be read.
    case unavailable(detail: String)
}

/// What happened to a response that could have been stored.
public enum CacheStoreOutcome: Sendable, Hashable {
    /// Stored in memory, on disk or both.
    ///
    /// The date is the expiry, or with `CachePolicy.http` the end of freshness; nil if there is none.
    case stored(CachePolicy.Storage, expires: Date?)
    /// Not stored.
    case notStored(NotStoredReason)
}

/// Why a response was not stored.
public enum NotStoredReason: Sendable, Hashable {
    /// The policy stores nothing.
    case policyNone
    /// The entry would expire at once.
    case expired
    /// The response has this status, and only successes are stored.
    case status(Int)
    /// The policy's `shouldStore` returned false.
    case predicate
    /// The data source's predicate returned false.
    case rule
    /// The response takes more bytes than the limit: body, head, and what the cache adds.
    ///
    /// The limit is 0 if memory may have no entries. With a serializer the body alone may be too large.
    case tooLarge(bytes: Int, limit: Int)
    /// The call asked for a value that cannot be read from the response.
    case unreadable
    /// The response did not arrive completely.
    case incomplete
    /// The response did not come from the server.
    case notFromServer
    /// The body was downloaded to a file of the caller's.
    case downloaded
    /// An interceptor added credentials without naming their account (`Interceptor.account`).
    case unknownAccount
    /// This HTTP rule forbids storing, or no rule allows it.
    case http(CacheRule)
    /// The disk could not be written, for example because it is full.
    case failed(detail: String)
    /// The response redirects to a URL with a credential, which must not go to disk.
    case credential
    /// An interceptor changed the request's host or encoding, which its key does not cover.
    case unknownWay
    /// Another request invalidated the URL while this one was in flight (RFC 9111, 4.4).
    case invalidated
    /// A newer response is already stored: it has a later `Date` or was requested later.
    case outdated
}

/// What the cache would do with a request now.
public enum CacheForecast: Sendable, Hashable {
    /// The decision of HTTP's rules, for `CachePolicy.http`.
    case http(CacheDecision)
    /// The cache would serve this entry.
    case hit(CacheEntry)
    /// The lookup would be a miss.
    case miss(CacheKey, CacheMissReason)
}
