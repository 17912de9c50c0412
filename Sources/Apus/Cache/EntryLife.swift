import FoundationEssentials

/// From when until when an entry is served, and how reading it changes that.
struct EntryLife: Sendable, Hashable {
    /// When it was stored.
    let stored: Date
    /// Its first lifetime in seconds; nil for ever.
    let lifetime: Double?
    /// When it stops being served; nil for never.
    var expires: Date?

    init(stored: Date, lifetime: Double?, expires: Date?) {
        self.stored = stored
        self.lifetime = lifetime
        self.expires = expires
    }

    /// The life that a policy gives to what is stored now; nil if it is over
    /// before it begins.
    init?(storedAt now: Date, _ policy: CachePolicy) {
        let expiry = policy.semantics == .http ? .never : policy.expiry
        let lifetime: Double? =
            switch expiry {
            case .never: nil
            case .seconds(.infinity), .days(.infinity): nil
            case .seconds(let seconds): seconds
            case .days(let days): days * 86_400
            case .date(let date): date.timeIntervalSince(now)
            case .expired: 0
            }
        if let lifetime, !(lifetime > 0) { return nil }
        let end = lifetime.map { min(now.addingTimeInterval($0), .distantFuture) }
        self.init(stored: now, lifetime: lifetime, expires: end)
        expires = within(policy.maximumLifetime, expires)
        guard !isOver(at: now) else { return nil }
    }

    /// Whether it is not served any more.
    func isOver(at now: Date) -> Bool { endIfOver(at: now) != nil }

    /// When it ended, if it has; nil while it is served.
    ///
    /// What was stored later than now, because the clock has been set back since, is over: nobody
    /// knows how long it would be served. What is served for ever still is.
    func endIfOver(at now: Date) -> Date? {
        guard let end = expires else { return nil }
        if end <= now { return end }
        return stored.isFuture(at: now) ? now : nil
    }

    /// The end after a use at `now`; it never comes earlier than it was, unless
    /// the policy's longest life is shorter.
    func end(afterUseAt now: Date, _ policy: CachePolicy) -> Date? {
        guard let expires else { return nil }
        switch policy.expiryExtension {
        case .none: return expires
        case .cacheTime:
            guard let lifetime else { return expires }
            return within(policy.maximumLifetime, max(expires, now.addingTimeInterval(lifetime)))
        case .fixed(let duration):
            return within(
                policy.maximumLifetime,
                max(expires, now.addingTimeInterval(duration.seconds))
            )
        }
    }

    private func within(_ maximum: Duration?, _ end: Date?) -> Date? {
        guard let maximum else { return end }
        let limit = stored.addingTimeInterval(maximum.seconds)
        return end.map { min($0, limit) } ?? limit
    }
}

extension Date {
    /// Whether it cannot be the time of anything that has happened; a second later than now it can
    /// be, for another thread may have looked at the clock before.
    func isFuture(at now: Date) -> Bool { self > now.addingTimeInterval(1) }
}

extension Duration {
    /// The duration in seconds, as dates count them.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
