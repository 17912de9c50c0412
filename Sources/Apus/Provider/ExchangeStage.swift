/// What the steps of an exchange share.
struct ExchangeStage {
    /// Which statuses are an answer.
    let validation: Validation
    /// Where answers are kept.
    let cachePolicy: CachePolicy
    private let cache: ResponseCache
    private var knownKey: CacheKey?

    /// The target's own request, once plugins have made another one of it.
    private var original: PreparedRequest?

    /// What is asked for, as the plugins made it.
    private(set) var request: PreparedRequest

    init(_ endpoint: Endpoint, _ plan: CachePlan, _ cache: ResponseCache) {
        validation = endpoint.validation
        cachePolicy = plan.policy ?? endpoint.cachePolicy
        self.cache = cache
        request = endpoint.request
    }

    /// Lets the plugins make their request out of the target's own.
    mutating func prepare(with hooks: HookRun) async throws(ApusError) {
        let original = original ?? request
        self.original = original
        request = try await hooks.prepare(original)
        knownKey = nil
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
