import FoundationEssentials

/// Age against lifetime.
struct Freshness: Sendable, Equatable {
    let age: ResponseAge
    let lifetime: FreshnessLifetime

    init(of stored: StoredHead, at now: Date, _ rules: HTTPCacheRules) {
        age = ResponseAge(of: stored, at: now)
        lifetime = FreshnessLifetime(
            of: stored.response,
            receivedAt: stored.responseTime,
            rules
        )
    }

    /// Whether it may be served unasked; not if its age is not known.
    var isFresh: Bool { !age.isUnknown && lifetime.duration > age.current }

    /// How much longer it is fresh, at least 0.
    var remaining: Duration { isFresh ? lifetime.duration - age.current : .zero }

    /// For how long it has been stale, at least 0; the longest that a field can say if its age is
    /// not known.
    var staleness: Duration {
        age.isUnknown ? DeltaSeconds.largest : max(.zero, age.current - lifetime.duration)
    }

    func report(to log: inout DecisionLog) {
        age.report(to: &log)
        log.note(.lifetime(lifetime.duration, lifetime.source))
        log.note(isFresh ? .freshFor(remaining) : .staleness(staleness))
    }
}

extension StoredHead {
    /// Until when it is fresh; nil if it must be validated before each use.
    func freshUntil(_ rules: HTTPCacheRules) -> Date? {
        guard !isInvalidated, !CacheControl(fields).isNoCache else { return nil }
        let freshness = Freshness(of: self, at: responseTime, rules)
        let left = freshness.lifetime.duration - freshness.age.correctedInitial
        return responseTime.addingTimeInterval(left.seconds)
    }
}
