import HTTPTypes

extension ReuseDeliberation {
    /// Whether a stored response may be used.
    enum Judgement {
        case use(CacheDecision.Outcome, CacheRule)
        case useAndRevalidate(CacheRule)
        case validate(CacheRule)
    }

    mutating func judge(_ chosen: StoredHead) -> Judgement {
        let freshness = Freshness(of: chosen, at: now, rules)
        let response = CacheControl(chosen.fields)
        freshness.report(to: &log)
        if let reason = reasonToAsk(chosen, response) { return .validate(reason) }
        return freshness.isFresh
            ? judgeFresh(freshness, response) : judgeStale(freshness, response)
    }

    /// What makes the cache ask whatever the age.
    private mutating func reasonToAsk(_ chosen: StoredHead, _ response: CacheControl) -> CacheRule?
    {
        if isAsking {
            _ = log.consider(.sourceAsks, true)
            return .sourceAsks
        }
        if log.consider(.unsafeRequestSince, chosen.isInvalidated) { return .unsafeRequestSince }
        if log.consider(.responseNoCache, response.isNoCache) { return .responseNoCache }
        if log.consider(.requestNoCache, control.has("no-cache")) { return .requestNoCache }
        if log.consider(.pragmaNoCache, request.headerFields.isPragmaNoCache) {
            return .pragmaNoCache
        }
        return nil
    }

    private mutating func judgeFresh(
        _ freshness: Freshness,
        _ response: CacheControl
    ) -> Judgement {
        if isOverRequestMaxAge(freshness) {
            // A reload is a max-age of 0; immutable says that it need not reach the origin.
            let isReload = control.maxAge == .zero
            guard log.consider(.immutable, isReload && response.isImmutable) else {
                return .validate(.requestMaxAge)
            }
            return .use(.fresh, .immutable)
        }
        if isUnderMinFresh(freshness) { return .validate(.minFresh) }
        _ = log.consider(.fresh, true)
        return .use(.fresh, .fresh)
    }

    private mutating func judgeStale(
        _ freshness: Freshness,
        _ response: CacheControl
    ) -> Judgement {
        _ = log.consider(.stale, true)
        if log.consider(.mustRevalidate, response.mustRevalidate) {
            return .validate(.mustRevalidate)
        }
        if isOverRequestMaxAge(freshness) { return .validate(.requestMaxAge) }
        if isUnderMinFresh(freshness) { return .validate(.minFresh) }
        if let maxStale = MaxStale(control) {
            log.note("max-stale", in: control, of: .request)
            if log.consider(.maxStale, maxStale.allows(freshness.staleness)) {
                return .use(.staleAllowed, .maxStale)
            }
        }
        // A request with a max-age of its own does not want stale responses (5.2.1.1).
        if let window = response.staleWhileRevalidate, control.maxAge == nil {
            log.note("stale-while-revalidate", in: response, of: .response)
            if log.consider(.staleWhileRevalidate, freshness.staleness <= window && window > .zero)
            {
                return isOffline
                    ? .use(.staleAllowed, .staleWhileRevalidate)
                    : .useAndRevalidate(.staleWhileRevalidate)
            }
        }
        return .validate(.stale)
    }

    private mutating func isOverRequestMaxAge(_ freshness: Freshness) -> Bool {
        guard let limit = control.maxAge else { return false }
        log.note("max-age", in: control, of: .request)
        return log.consider(.requestMaxAge, limit == .zero || freshness.age.current > limit)
    }

    private mutating func isUnderMinFresh(_ freshness: Freshness) -> Bool {
        guard let wanted = control.greatest("min-fresh", invalid: DeltaSeconds.largest) else {
            return false
        }
        log.note("min-fresh", in: control, of: .request)
        return log.consider(.minFresh, freshness.remaining < wanted)
    }
}
