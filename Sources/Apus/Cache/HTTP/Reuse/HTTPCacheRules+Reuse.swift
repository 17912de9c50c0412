import FoundationEssentials
import HTTPTypes

extension HTTPCacheRules {
    /// How a request is answered, given all that is stored for its URL (RFC 9111, 4).
    ///
    /// With `isAsking` nothing is served before the origin has been asked; with `isOffline` the
    /// origin is not, as if the request said `only-if-cached`.
    func reuse(
        of stored: [StoredHead],
        for request: HTTPRequest,
        at now: Date,
        isAsking: Bool = false,
        isOffline: Bool = false
    ) -> ReusePlan {
        var deliberation = ReuseDeliberation(
            rules: self,
            request: request,
            stored: stored,
            now: now
        )
        deliberation.isAsking = isAsking
        deliberation.isOffline = isOffline || deliberation.control.has("only-if-cached")
        return deliberation.plan()
    }

    /// The answer that is stored for a request, however old; nil if there is none.
    func stored(
        of stored: [StoredHead],
        for request: HTTPRequest,
        at now: Date
    ) -> (answer: StoredAnswer, decision: CacheDecision)? {
        var deliberation = ReuseDeliberation(
            rules: self,
            request: request,
            stored: stored,
            now: now
        )
        return deliberation.anyAnswer()
    }
}
