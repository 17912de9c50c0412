import HTTPTypes

extension ResponseCache {
    /// What the cache would do with a request now; nothing is sent, and nothing counts as a use.
    ///
    /// The cost grows with the number of entries, unless the policy is HTTP's: it is for people.
    public func forecast(
        for request: PreparedRequest,
        policy: CachePolicy
    ) async -> CacheForecast {
        let key = key(for: request, policy: policy)
        guard policy.semantics == .http else { return await forecast(key, policy) }
        let variants = await variants(
            of: key,
            account: policy.account(of: request),
            policy: policy
        )
        let plan = HTTPCacheRules().reuse(of: variants.map(\.head), for: request.head, at: now)
        return .http(plan.decision)
    }

    private func forecast(_ key: CacheKey, _ policy: CachePolicy) async -> CacheForecast {
        guard let entry = await entries().first(where: { $0.key == key }) else {
            return .miss(key, policy.storage == .none ? .policyNone : .notFound)
        }
        if let end = entry.expires, end <= now { return .miss(key, .expired(since: end)) }
        return .hit(entry)
    }
}
