/// What the cache says when it is asked for a key.
public enum CacheLookup: Sendable, Hashable {
    /// It has an answer; the response's source tells where and how old.
    case hit(Response)
    /// It has none that may be served.
    case miss(CacheKey, CacheMissReason)
}
