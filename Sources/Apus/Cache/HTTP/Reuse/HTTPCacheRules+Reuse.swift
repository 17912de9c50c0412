import FoundationEssentials
import HTTPTypes

extension HTTPCacheRules {
    /// How a request is answered, given all that is stored for its URL (RFC 9111, 4).
    func reuse(of stored: [StoredHead], for request: HTTPRequest, at now: Date) -> ReusePlan {
        var deliberation = ReuseDeliberation(
            rules: self,
            request: request,
            stored: stored,
            now: now
        )
        return deliberation.plan()
    }
}
