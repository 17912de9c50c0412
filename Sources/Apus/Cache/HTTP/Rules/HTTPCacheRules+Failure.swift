import FoundationEssentials
import HTTPTypes

extension HTTPCacheRules {
    /// Whether a stored response may stand in for a failing origin (RFC 9111, 4.2.4; RFC 5861, 4).
    ///
    /// `selected` is the stored response that the request would have got. `request` is the caller's.
    func afterFailure(
        _ failure: FailurePlan.Failure,
        selected: StoredHead?,
        for request: HTTPRequest,
        at now: Date
    ) -> FailurePlan {
        var deliberation = ReuseEvaluation(
            rules: self,
            request: request,
            stored: selected.map { [$0] } ?? [],
            now: now
        )
        if case .status(let status) = failure { deliberation.log.note(.status(status)) }
        if let selected, selected.isWhole, !request.headerFields.contains(.range) {
            if let rule = deliberation.ruleToStandIn(selected, failure) {
                return FailurePlan(
                    decision: deliberation.log.decide(.staleAllowed, rule),
                    answer: deliberation.answer(from: selected).0
                )
            }
            if failure == .unreachable, options.contains(.gatewayTimeout),
                let rule = ruleToFail(selected, at: now)
            {
                let decision = deliberation.log.decide(.gatewayTimeout, rule)
                return FailurePlan(decision: decision, answer: nil)
            }
        }
        let decision =
            failure == .unreachable
            ? deliberation.log.decide(.failed, .disconnected)
            : deliberation.log.decide(.forwarded, .serverError)
        return FailurePlan(decision: decision, answer: nil)
    }

    /// The rule by which the cache answers 504 instead of a stale response; nil if none (RFC 9111, 5.2.2.2).
    private func ruleToFail(_ selected: StoredHead, at now: Date) -> CacheRule? {
        let response = control(selected.fields)
        if response.isNoCache { return .responseNoCache }
        let isFresh = Freshness(of: selected, at: now, self).isFresh && !selected.isInvalidated
        return response.mustRevalidate && !isFresh ? .mustRevalidate : nil
    }
}

extension ReuseEvaluation {
    /// The rule that allows a response to stand in; nil if a rule forbids it or none allows it.
    fileprivate mutating func ruleToStandIn(
        _ selected: StoredHead,
        _ failure: FailurePlan.Failure
    ) -> CacheRule? {
        let response = rules.control(selected.fields)
        let freshness = Freshness(of: selected, at: now, rules)
        freshness.report(to: &log)
        if log.consider(.unsafeRequestSince, selected.isInvalidated) { return nil }
        if log.consider(.mustRevalidate, response.mustRevalidate) { return nil }
        if log.consider(.responseNoCache, response.isNoCache) { return nil }
        let isNoCache = control.has("no-cache") || request.headerFields.isPragmaNoCache
        if log.consider(.requestNoCache, isNoCache) { return nil }
        log.note("stale-if-error", in: response, of: .response)
        log.note("stale-if-error", in: control, of: .request)
        let windows = [response.staleIfError, control.staleIfError].compactMap { $0 }
        if let window = windows.max() {
            // A given limit applies to every kind of failure.
            return log.consider(.staleIfError, freshness.staleness <= window)
                ? .staleIfError : nil
        }
        // Being disconnected does not override the caller's limits (5.2.1.1, 5.2.1.3).
        if control.has("max-age"), MaxStale(control) == nil { return nil }
        if control.has("min-fresh") { return nil }
        return log.consider(.disconnected, failure == .unreachable) ? .disconnected : nil
    }
}

/// What the caller gets when the origin fails.
struct FailurePlan: Sendable, Equatable {
    /// How the origin failed.
    enum Failure: Sendable, Equatable {
        /// It answered 500, 502, 503 or 504.
        case status(Int)
        /// It gave no complete response.
        case unreachable
    }

    let decision: CacheDecision
    /// The stale response that stands in; nil to deliver the failure, or a 504 if the decision says so.
    let answer: ServedResponse?
}
