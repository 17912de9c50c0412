import FoundationEssentials
import Synchronization

/// The entries in this process's memory, evicted in LRU order.
final class MemoryStore: Sendable {
    /// An entry, and its uses that have not been saved to disk.
    struct Held {
        var entry: StoredResponse
        /// Whether its expiry date applies to memory only, so a use does not change the one on disk.
        let hasOwnEnd: Bool
        var unsaved: PendingUses?

        init(entry: StoredResponse, hasOwnEnd: Bool = false) {
            self.entry = entry
            self.hasOwnEnd = hasOwnEnd
        }

        mutating func use(at now: Date, _ policy: CachePolicy) {
            entry.hits += 1
            entry.lastAccess = now
            let end = entry.life.end(afterUseAt: now, policy)
            let isExtended = end != entry.life.expires && !hasOwnEnd
            entry.life.expires = end
            var use = unsaved ?? PendingUses(lastAccess: now)
            use.merge(PendingUses(hits: 1, lastAccess: now, expires: isExtended ? end : nil))
            unsaved = use
        }
    }

    struct State: ~Copyable {
        var table: LRUCache<KeyName, Held>
        /// The keys of entries with unsaved uses.
        var unsaved: [KeyName] = []
        /// The date of the first unsaved use.
        var unsavedSince = Date.distantPast
        /// Unsaved uses of entries that have been evicted.
        var orphaned: [KeyName: PendingUses] = [:]
        /// Running reads from disk, by key; a store or removal cancels the fill of its key.
        var fills: [KeyName: Int] = [:]
        var lastFill = 0
        /// The entries of HTTP caching by primary key.
        var groups: [KeyName: VariantGroup] = [:]
        /// When expired entries are removed next; `distantFuture` if none expires.
        var cleaningTime = Date.distantFuture
        /// The timer for the next cleaning; 0 if there is none.
        var cleaningAlarm: UInt64 = 0
    }

    enum Found {
        case entry(ServedEntry)
        case expired(since: Date)
        case nothing
    }

    let state: Mutex<State>
    /// The seconds after which uses are saved.
    ///
    /// They are not worth a write of their own: last accesses only order evictions, and hits are only shown.
    private static let savingInterval = 60.0

    let costLimit: Int
    private let clock: @Sendable () -> Date
    private let timers: TimerQueue

    init(
        costLimit: Int,
        countLimit: Int,
        clock: @escaping @Sendable () -> Date = { Date() },
        timers: any Clock<Duration> = ContinuousClock()
    ) {
        // Nothing fits if there may be no entries.
        self.costLimit = countLimit > 0 ? costLimit : 0
        self.clock = clock
        self.timers = TimerQueue(timers)
        state = Mutex(
            State(table: LRUCache(costLimit: costLimit, countLimit: countLimit))
        )
    }

    /// Looks up an entry and counts a use: makes it the most recently used and extends its expiry.
    ///
    /// An expired entry is removed.
    ///
    /// - Returns: the entry, and whether unsaved uses should be saved now.
    func use(
        _ key: CacheKey,
        at now: Date,
        _ policy: CachePolicy
    ) -> (found: Found, isSavingDue: Bool) {
        state.withLock { state in
            var isFirstUnsaved = false
            let found: Found =
                state.table.withValue(key.name) { held -> Found in
                    if let end = held.entry.life.endIfOver(at: now) { return .expired(since: end) }
                    isFirstUnsaved = held.unsaved == nil
                    held.use(at: now, policy)
                    return .entry(held.entry.served(as: key))
                } ?? .nothing
            // If it counts as expired only because the clock was set back, it may be served again, so it
            // stays.
            if case .expired(let end) = found, end < now { Self.takeOut(key.name, &state) }
            if isFirstUnsaved {
                if state.unsaved.isEmpty { state.unsavedSince = now }
                state.unsaved.append(key.name)
            }
            let isSavingDue =
                !state.unsaved.isEmpty
                && now.timeIntervalSince(state.unsavedSince) >= Self.savingInterval
            return (found, isSavingDue)
        }
    }

    /// The entry, expired or not, without counting a use.
    func peek(_ key: CacheKey) -> StoredResponse? {
        state.withLock { $0.table.withValue(key.name, isUse: false) { $0.entry } }
    }

    /// Inserts an entry; returns false if it is too large.
    func insert(_ entry: StoredResponse, hasOwnEnd: Bool = false) -> Bool {
        guard entry.cost <= costLimit else {
            _ = remove(entry.key)
            return false
        }
        state.withLock { state in
            state.fills[entry.key.name] = nil
            // Unsaved uses belong to the replaced entry.
            state.orphaned[entry.key.name] = nil
            if let http = entry.http { state.fills[http.primary] = nil }
            Self.insert(Held(entry: entry, hasOwnEnd: hasOwnEnd), &state)
        }
        planCleaning(for: entry.life.expires)
        return true
    }

    static func insert(_ held: consuming Held, _ state: inout State) {
        let entry = held.entry
        if let http = entry.http {
            state.groups[http.primary, default: .init()].add(entry.key.name)
        }
        let evicted = state.table.insert(held, for: entry.key.name, cost: entry.cost)
        forget(evicted, &state)
    }

    /// Records that entries have been evicted.
    static func forget(_ evicted: [Held], _ state: inout State) {
        for evicted in evicted {
            if let http = evicted.entry.http {
                // From now on the entry is only on disk, so lookups must read it there.
                state.groups[http.primary]?.forget(evicted.entry.key.name)
            }
            if let use = evicted.unsaved { state.orphaned.add(use, of: evicted.entry.key.name) }
        }
    }

    /// Notes that the key's entry is being read from disk; returns the number of the fill.
    func beginFill(_ key: CacheKey) -> Int {
        state.withLock { state in
            state.lastFill += 1
            state.fills[key.name] = state.lastFill
            return state.lastFill
        }
    }

    /// Ends a fill and inserts the entry read, unless the key has been stored or removed meanwhile.
    ///
    /// nil inserts nothing.
    func endFill(
        _ fill: Int,
        _ key: CacheKey,
        _ entry: StoredResponse?,
        hasOwnEnd: Bool = false
    ) {
        state.withLock { state in
            guard state.fills[key.name] == fill else { return }
            state.fills[key.name] = nil
            if let entry { Self.insert(Held(entry: entry, hasOwnEnd: hasOwnEnd), &state) }
        }
        if let entry { planCleaning(for: entry.life.expires) }
    }

    /// Removes an entry; returns whether there was one.
    func remove(_ key: CacheKey) -> Bool {
        state.withLock { state in
            state.fills[key.name] = nil
            state.orphaned[key.name] = nil
            guard let held = state.table.remove(key.name) else { return false }
            if let http = held.entry.http { Self.ungroup(key.name, http, &state) }
            return true
        }
    }

    func removeAll() {
        state.withLock { state in
            state.fills = [:]
            state.orphaned = [:]
            state.unsaved = []
            state.groups = [:]
            state.table.removeAll()
        }
    }

    /// Removes the expired entries.
    ///
    /// - Returns: their keys.
    func removeExpired(at now: Date) -> [CacheKey] {
        takeOutExpired(at: now).expired.map(\.entry.key)
    }

    /// Removes the expired entries; also returns when the next entry expires.
    private func takeOutExpired(at now: Date) -> (expired: [Held], next: Date?) {
        state.withLock { state in
            var next: Date?
            let expired = state.table.removeAll { held in
                guard !held.entry.life.isOver(at: now) else { return true }
                if let end = held.entry.life.expires { next = min(next ?? end, end) }
                return false
            }
            for held in expired { Self.takeLeave(of: held, &state) }
            return (expired, next)
        }
    }

    private static func takeOut(_ key: KeyName, _ state: inout State) {
        guard let held = state.table.remove(key) else { return }
        takeLeave(of: held, &state)
    }

    /// Records an expired entry's removal; keeps its unsaved uses because it may still be on disk.
    private static func takeLeave(of held: Held, _ state: inout State) {
        if let http = held.entry.http { ungroup(held.entry.key.name, http, &state) }
        if let use = held.unsaved { state.orphaned.add(use, of: held.entry.key.name) }
    }

    static func ungroup(_ key: KeyName, _ http: HTTPEntry, _ state: inout State) {
        state.fills[http.primary] = nil
        state.groups[http.primary]?.remove(key)
        if state.groups[http.primary]?.isNothing == true { state.groups[http.primary] = nil }
    }

    /// All entries, most recently used first.
    var entries: [StoredResponse] {
        state.withLock { state in state.table.values.map(\.entry) }
    }

    /// The number of entries and their total cost.
    var size: (count: Int, cost: Int) {
        state.withLock { ($0.table.count, $0.table.cost) }
    }

    /// Returns the unsaved uses and forgets them.
    func takeUnsaved() -> [KeyName: PendingUses] {
        state.withLock { state in
            var uses = state.orphaned
            state.orphaned = [:]
            for key in state.unsaved {
                let use = state.table.withValue(key, isUse: false) { held in
                    defer { held.unsaved = nil }
                    return held.unsaved
                }
                guard case .some(.some(let use)) = use else { continue }
                uses.add(use, of: key)
            }
            state.unsaved = []
            return uses
        }
    }
}

extension MemoryStore {
    /// The seconds for which an expired entry may stay, so that entries that expire one after another are
    /// removed together: checking all of them takes a millisecond.
    private static let cleaningInterval = 30.0
    /// The longest timer in seconds; after that it is set again, because clocks may have been changed.
    private static let longestWait = 86_400.0

    /// Schedules the removal of an entry with this expiry date.
    ///
    /// A timer runs only while there is an entry that expires; otherwise the process is never woken.
    func planCleaning(for end: Date?) {
        guard let end else { return }
        let time = end.addingTimeInterval(Self.cleaningInterval)
        let isFirst = state.withLock { state in
            guard time < state.cleaningTime else { return false }
            state.cleaningTime = time
            return true
        }
        if isFirst { setAlarm(for: time) }
    }

    private func setAlarm(for time: Date) {
        let wait = min(max(0, time.timeIntervalSince(clock())), Self.longestWait)
        // Weak, because the timer must not keep its owner alive.
        let alarm = timers.set(after: .seconds(wait)) { [weak self] in
            self?.clean(plannedFor: time)
        }
        let obsolete = state.withLock { state in
            guard state.cleaningTime == time else { return alarm }
            defer { state.cleaningAlarm = alarm }
            return state.cleaningAlarm
        }
        timers.remove(obsolete)
    }

    private func clean(plannedFor time: Date) {
        let isDue = state.withLock { state in
            guard state.cleaningTime == time else { return false }
            state.cleaningTime = .distantFuture
            state.cleaningAlarm = 0
            return true
        }
        guard isDue else { return }
        planCleaning(for: takeOutExpired(at: clock()).next)
    }
}
