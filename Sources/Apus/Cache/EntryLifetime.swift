import FoundationEssentials

/// When an entry was stored and when it expires, and how a use changes that.
struct EntryLifetime: Sendable, Hashable {
    /// When the entry was stored.
    let stored: Date
    /// The initial lifetime in seconds; nil for no limit.
    let lifetime: Double?
    /// When the entry expires; nil if it never does.
    var expires: Date?

    init(stored: Date, lifetime: Double?, expires: Date?) {
        self.stored = stored
        self.lifetime = lifetime
        self.expires = expires
    }

    /// The lifetime of an entry stored now, by the policy or a separate `expiry`; nil if it would be over at
    /// once.
    init?(storedAt now: Date, _ policy: CachePolicy, for expiry: CachePolicy.Expiry? = nil) {
        let lifetime: Double? =
            switch expiry ?? policy.expiry {
            case .forever: nil
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

    /// The lifetime in memory of an entry that is put there now; nil if it must not be in memory.
    func inMemory(from now: Date, _ policy: CachePolicy) -> EntryLifetime? {
        guard let expiry = policy.memoryExpiry else { return self }
        guard let own = EntryLifetime(storedAt: now, policy, for: expiry) else { return nil }
        let end = now > stored ? [own.expires, expires].compactMap(\.self).min() : own.expires
        return EntryLifetime(stored: stored, lifetime: own.lifetime, expires: end)
    }

    func isOver(at now: Date) -> Bool { endIfOver(at: now) != nil }

    /// When the entry expired; nil if it has not.
    ///
    /// An entry with a store date in the future, because the clock has been set back, counts as expired now:
    /// its remaining lifetime is unknown. One that never expires still does not.
    func endIfOver(at now: Date) -> Date? {
        guard let end = expires else { return nil }
        if end <= now { return end }
        return stored.isFuture(at: now) ? now : nil
    }

    /// The expiry date after a use at `now`.
    ///
    /// It is never earlier than before, unless the policy's maximum lifetime is shorter.
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
    /// Whether it is more than a second later than `now`.
    ///
    /// Up to a second is allowed because another thread may have read the clock before.
    func isFuture(at now: Date) -> Bool { self > now.addingTimeInterval(1) }
}

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

/// Uses of an entry that have not been written to its row on disk.
struct PendingUses: Sendable, Hashable {
    var hits = 0
    /// The date of the last use.
    var lastAccess: Date
    /// The expiry date that the uses set; nil if they did not change it.
    var expires: Date?

    mutating func merge(_ later: PendingUses) {
        hits += later.hits
        lastAccess = max(lastAccess, later.lastAccess)
        expires = later.expires ?? expires
    }
}

extension [KeyName: PendingUses] {
    mutating func add(_ use: PendingUses, of name: KeyName) {
        self[name, default: PendingUses(lastAccess: use.lastAccess)].merge(use)
    }
}

extension PendingUses {
    /// The number of hits in a column; 0 for a value out of range.
    static func hits(_ number: Int64) -> Int { 0 <= number && number < 1 << 53 ? Int(number) : 0 }

    /// The date in a column, clamped because others could not be written or subtracted.
    static func date(_ seconds: Double) -> Date {
        min(max(Date(timeIntervalSinceReferenceDate: seconds), .distantPast), .distantFuture)
    }
}
