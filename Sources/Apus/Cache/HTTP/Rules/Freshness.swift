import FoundationEssentials
import HTTPTypes

/// A response's age and lifetime.
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

    /// Whether it is fresh; false if its age is unknown.
    var isFresh: Bool { !age.isUnknown && lifetime.duration > age.current }

    /// How much longer it is fresh; at least 0.
    var remaining: Duration { isFresh ? lifetime.duration - age.current : .zero }

    /// How long it has been stale, at least 0.
    ///
    /// If the age is unknown, the longest time that a field can express.
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
        guard !isInvalidated, !rules.control(fields).isNoCache else { return nil }
        let freshness = Freshness(of: self, at: responseTime, rules)
        let left = freshness.lifetime.duration - freshness.age.correctedInitial
        return responseTime.addingTimeInterval(left.seconds)
    }
}

/// A freshness lifetime and where it comes from (RFC 9111, 4.2.1).
struct FreshnessLifetime: Sendable, Equatable {
    let duration: Duration
    let source: FreshnessSource

    /// Uses `s-maxage` if the cache is shared, else `max-age`, else `Expires`, else a heuristic.
    init(of response: HTTPResponse, receivedAt received: Date, _ rules: HTTPCacheRules) {
        let fields = response.headerFields
        let control = rules.control(fields)
        let date = fields.date(.date, now: received) ?? received
        if let maxAge = control.sharedMaxAge {
            self.init(maxAge, .sharedMaxAge)
        } else if let maxAge = control.maxAge {
            let isReadable = control.all("max-age").allSatisfy { $0.seconds != nil }
            self.init(maxAge, isReadable ? .maxAge : .invalidMaxAge)
        } else if fields.contains(.expires) {
            if let expires = fields.date(.expires, now: received) {
                self.init(.between(date, expires), .expires)
            } else {
                self.init(.zero, .invalidExpires)
            }
        } else if let modified = fields.date(.lastModified, now: received),
            control.isPublic || HTTPCacheRules.heuristicStatuses.contains(response.status.code)
        {
            let unchanged = Duration.between(modified, date)
            let lifetime = unchanged * HTTPCacheRules.heuristicFraction
            self.init(min(lifetime, HTTPCacheRules.heuristicLimit), .heuristic)
        } else {
            self.init(.zero, .nothing)
        }
    }

    private init(_ duration: Duration, _ source: FreshnessSource) {
        self.duration = duration
        self.source = source
    }
}

/// The age of a stored response, step by step (RFC 9111, 4.2.3).
struct ResponseAge: Sendable, Equatable {
    let apparent: Duration
    /// The value of `Age`; nil if it is missing or invalid.
    let ageField: Duration?
    let responseDelay: Duration
    let correctedInitial: Duration
    let resident: Duration
    let current: Duration
    /// Whether it was received in the future, because the clock has been set back.
    ///
    /// The age is then unknown, and `current` is its minimum.
    let isUnknown: Bool

    init(of stored: StoredHead, at now: Date) {
        // `Date` fields have whole seconds, so a fraction is not age.
        let apparentSeconds =
            stored.responseTime.timeIntervalSince1970.rounded(.down)
            - stored.date.timeIntervalSince1970.rounded(.down)
        apparent = .seconds(max(0, apparentSeconds))
        ageField = stored.fields.age
        responseDelay = .between(stored.requestTime, stored.responseTime)
        let corrected = (ageField ?? .zero) + responseDelay
        correctedInitial = max(apparent, corrected)
        resident = .between(stored.responseTime, now)
        isUnknown = stored.responseTime.isFuture(at: now)
        current = correctedInitial + resident
    }

    /// The value for `Age`: whole seconds, at most 2^31.
    var fieldValue: String {
        String(min(current, DeltaSeconds.largest).components.seconds)
    }

    func report(to log: inout DecisionLog) {
        log.note(.apparentAge(apparent))
        if let ageField { log.note(.ageField(ageField)) }
        log.note(.responseDelay(responseDelay))
        log.note(.correctedInitialAge(correctedInitial))
        log.note(.residentTime(resident))
        log.note(.currentAge(current))
    }
}

extension Duration {
    /// The time from `start` to `end`; zero if the clock was set back.
    static func between(_ start: Date, _ end: Date) -> Duration {
        // In microseconds, the precision of a `Date` in this century.
        .microseconds(max(0, (end.timeIntervalSince(start) * 1e6).rounded()))
    }
}
