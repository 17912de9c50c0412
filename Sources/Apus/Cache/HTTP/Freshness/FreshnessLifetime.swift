import FoundationEssentials
import HTTPTypes

/// How long a response is fresh, and what says so (RFC 9111, 4.2.1).
struct FreshnessLifetime: Sendable, Equatable {
    let duration: Duration
    let source: FreshnessSource

    /// Looks at `max-age`, then `Expires`, then guesses.
    ///
    /// `s-maxage` is for shared caches.
    init(of response: HTTPResponse, receivedAt received: Date, _ rules: HTTPCacheRules) {
        let fields = response.headerFields
        let control = CacheControl(fields)
        let date = fields.date(.date, now: received) ?? received
        if let maxAge = control.maxAge {
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
