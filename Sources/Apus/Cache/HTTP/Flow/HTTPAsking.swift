/// How the private cache is asked for an answer.
///
/// | data source | with `CachePolicy.http` |
/// |---|---|
/// | `server` | `reload`: the origin's answer, stored |
/// | `cache` | `onlyIfCached`: what may be served unasked, else the error `cacheMiss` |
/// | `cacheIfPossible` | `reuse`: the cache of RFC 9111 |
/// | `cacheAndServer` | `stored`, however old, then `validate` |
/// | `cacheThenRefresh` | `stored`, then `validate` unseen; `validate` on a miss |
/// | `cacheOnFirstUse` | `stored` for a URL's first use, then `validate` |
/// | `custom` | `stored`; then `validate` if the rule says so, stored if it says so |
enum HTTPAsking: Sendable, Hashable {
    /// The origin is asked as the caller wrote it; what is stored does not count.
    case reload
    /// What RFC 9111 allows is reused, else the origin is asked.
    case reuse
    /// What may be served without asking; never the origin.
    case onlyIfCached
    /// What there is, however old; never the origin.
    case stored
    /// The origin is asked whether what is stored is still the current version.
    case validate
}
