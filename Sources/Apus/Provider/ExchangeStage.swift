/// What the steps of an exchange share.
struct ExchangeStage {
    let endpoint: Endpoint
    let cachePolicy: CachePolicy
    private let cache: ResponseCache
    private var knownKey: CacheKey?

    /// What is asked for, as the plugins made it.
    var request: PreparedRequest {
        didSet { knownKey = nil }
    }

    init(_ endpoint: Endpoint, _ plan: CachePlan, _ cache: ResponseCache) {
        self.endpoint = endpoint
        cachePolicy = plan.policy ?? endpoint.cachePolicy
        self.cache = cache
        request = endpoint.request
    }

    /// The request's key.
    ///
    /// Made when it is first asked for: hashing costs more than the rest of a
    /// request that neither reads nor fills the cache.
    var key: CacheKey {
        mutating get {
            if let knownKey { return knownKey }
            let key = cache.key(for: request, policy: cachePolicy)
            knownKey = key
            return key
        }
    }
}
