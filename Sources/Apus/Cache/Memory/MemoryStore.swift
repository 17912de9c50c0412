import FoundationEssentials
import Synchronization

/// The entries that this process holds in memory: least recently used goes first.
final class MemoryStore: Sendable {
    /// An entry with what its row on disk does not know of yet.
    struct Held {
        var entry: StoredResponse
        /// Whether its end is memory's alone: a use does not change that on disk.
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
        /// Keys whose entries have unsaved uses.
        var unsaved: [KeyName] = []
        /// When the first of them came.
        var unsavedSince = Date.distantPast
        /// Uses of entries that have been evicted since.
        var orphaned: [KeyName: PendingUses] = [:]
        /// Reads from disk under way, by key; a store or removal ends its key's.
        var fills: [KeyName: Int] = [:]
        var lastFill = 0
        /// The entries of HTTP caching by their primary keys.
        var groups: [KeyName: VariantGroup] = [:]
        /// When expired entries are taken out next; never, if none expires.
        var cleaningTime = Date.distantFuture
        /// The alarm for it; 0 for none.
        var cleaningAlarm: UInt64 = 0
    }

    /// What was found under a key.
    enum Found {
        case entry(ServedEntry)
        case expired(since: Date)
        case nothing
    }

    let state: Mutex<State>
    /// Seconds after which uses are saved: last accesses decide only what goes
    /// first, and hits are for people, so neither is worth a write of its own.
    private static let savingInterval = 60.0

    let costLimit: Int
    private let countLimit: Int
    private let clock: @Sendable () -> Date
    private let timers: TimerQueue

    init(
        costLimit: Int,
        countLimit: Int,
        clock: @escaping @Sendable () -> Date = { Date() },
        timers: any Clock<Duration> = ContinuousClock()
    ) {
        self.costLimit = costLimit
        self.countLimit = countLimit
        self.clock = clock
        self.timers = TimerQueue(timers)
        state = Mutex(
            State(table: LRUCache(costLimit: costLimit, countLimit: countLimit))
        )
    }

    /// The entry, used now: counted, made the newest, its end extended; one that has expired is
    /// taken out.
    ///
    /// - Returns: the entry, and whether uses have waited long to be saved.
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
            // What only the clock, set back, has ended may be served again.
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

    /// The entry as it is, expired or not.
    func peek(_ key: CacheKey) -> StoredResponse? {
        state.withLock { $0.table.withValue(key.name, isUse: false) { $0.entry } }
    }

    /// Takes an entry in; false if it is too large.
    func insert(_ entry: StoredResponse, hasOwnEnd: Bool = false) -> Bool {
        guard entry.cost <= costLimit, countLimit > 0 else {
            _ = remove(entry.key)
            return false
        }
        state.withLock { state in
            state.fills[entry.key.name] = nil
            // What was not saved belongs to the entry that goes.
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

    /// Notes that entries had to go.
    static func forget(_ evicted: [Held], _ state: inout State) {
        for evicted in evicted {
            if let http = evicted.entry.http {
                // What is only on disk from now on must be looked for there.
                state.groups[http.primary]?.forget(evicted.entry.key.name)
            }
            guard let use = evicted.unsaved else { continue }
            state.orphaned[evicted.entry.key.name, default: PendingUses(lastAccess: use.lastAccess)]
                .merge(use)
        }
    }

    /// Says that the key's entry is being read from disk.
    func beginFill(_ key: CacheKey) -> Int {
        state.withLock { state in
            state.lastFill += 1
            state.fills[key.name] = state.lastFill
            return state.lastFill
        }
    }

    /// Takes in what was read from disk, unless the key has been stored or
    /// removed meanwhile; nil only ends the reading.
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

    /// Takes an entry out.
    func remove(_ key: CacheKey) -> Bool {
        state.withLock { state in
            state.fills[key.name] = nil
            state.orphaned[key.name] = nil
            guard let held = state.table.remove(key.name) else { return false }
            if let http = held.entry.http { Self.ungroup(key.name, http, &state) }
            return true
        }
    }

    /// Takes all entries out.
    func removeAll() {
        state.withLock { state in
            state.fills = [:]
            state.orphaned = [:]
            state.unsaved = []
            state.groups = [:]
            state.table.removeAll()
        }
    }

    /// Takes out what has expired.
    ///
    /// - Returns: the keys.
    func removeExpired(at now: Date) -> [CacheKey] {
        takeOutExpired(at: now).expired.map(\.entry.key)
    }

    /// Takes out what has expired; also, when the next entry will have.
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

    /// Notes that an expired entry has gone; its uses may belong to one that is still on disk.
    private static func takeLeave(of held: Held, _ state: inout State) {
        if let http = held.entry.http { ungroup(held.entry.key.name, http, &state) }
        guard let use = held.unsaved else { return }
        state.orphaned[held.entry.key.name, default: PendingUses(lastAccess: use.lastAccess)]
            .merge(use)
    }

    static func ungroup(_ key: KeyName, _ http: HTTPEntry, _ state: inout State) {
        state.fills[http.primary] = nil
        state.groups[http.primary]?.remove(key)
        if state.groups[http.primary]?.isNothing == true { state.groups[http.primary] = nil }
    }

    /// All entries, last used first.
    var entries: [StoredResponse] {
        state.withLock { state in state.table.values.map(\.entry) }
    }

    /// How many entries there are and what they weigh.
    var size: (count: Int, cost: Int) {
        state.withLock { ($0.table.count, $0.table.cost) }
    }

    /// Takes out the uses that have not been saved.
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
                uses[key, default: PendingUses(lastAccess: use.lastAccess)].merge(use)
            }
            state.unsaved = []
            return uses
        }
    }
}

extension MemoryStore {
    /// Seconds for which an expired entry may stay, so that those which end one after the other go
    /// together: looking through all of them takes a millisecond.
    private static let cleaningInterval = 30.0
    /// An alarm for later is set again then; clocks may have been set meanwhile.
    private static let longestWait = 86_400.0

    /// Sees to it that an entry with this end does not stay for long after it.
    ///
    /// There is an alarm only while there is an entry that ends: else nothing ever wakes.
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
        // Weak, for the alarm must not keep its owner.
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
