import FoundationEssentials
import HTTPTypes

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
        guard !isInvalidated, !rules.control(fields).isNoCache else { return nil }
        let freshness = Freshness(of: self, at: responseTime, rules)
        let left = freshness.lifetime.duration - freshness.age.correctedInitial
        return responseTime.addingTimeInterval(left.seconds)
    }
}

/// How long a response is fresh, and what says so (RFC 9111, 4.2.1).
struct FreshnessLifetime: Sendable, Equatable {
    let duration: Duration
    let source: FreshnessSource

    /// Looks at `s-maxage` if the cache is a shared one, `max-age`, then `Expires`, then guesses.
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
            self.init(min(unchanged * rules.heuristicFraction, rules.heuristicLimit), .heuristic)
        } else {
            self.init(.zero, .nothing)
        }
    }

    private init(_ duration: Duration, _ source: FreshnessSource) {
        self.duration = duration
        self.source = source
    }
}

/// How old a stored response is, step by step (RFC 9111, 4.2.3).
struct ResponseAge: Sendable, Equatable {
    let apparent: Duration
    /// Nil if there is no valid `Age`.
    let ageField: Duration?
    let responseDelay: Duration
    let correctedInitial: Duration
    let resident: Duration
    let current: Duration
    /// Whether it came later than now, because the clock has been set back since: nobody knows for
    /// how long it has been here, and `current` is the least that it can be.
    let isUnknown: Bool

    init(of stored: StoredHead, at now: Date) {
        // Dates have whole seconds: a fraction is not age.
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

    /// As `Age` gives it: whole seconds, at most 2^31.
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
    /// From one moment to the next; zero if the clock was set back.
    static func between(_ start: Date, _ end: Date) -> Duration {
        // Microseconds: what a Date of this century can tell apart.
        .microseconds(max(0, (end.timeIntervalSince(start) * 1e6).rounded()))
    }
}
