/// What the cache would do with a request now.
public enum CacheForecast: Sendable, Hashable {
    /// What the rules of HTTP say, for `CachePolicy.http`.
    case http(CacheDecision)
    /// It would serve this entry.
    case hit(CacheEntry)
    /// It has nothing that it may serve.
    case miss(CacheKey, CacheMissReason)
}
