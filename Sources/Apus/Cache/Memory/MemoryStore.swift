import FoundationEssentials
import Synchronization

/// The entries that this process holds in memory: least recently used goes first.
final class MemoryStore: Sendable {
    /// An entry with what its row on disk does not know of yet.
    struct Held {
        var entry: StoredResponse
        var unsaved: PendingUses?

        init(entry: StoredResponse) { self.entry = entry }

        mutating func use(at now: Date, _ policy: CachePolicy) {
            entry.hits += 1
            entry.lastAccess = now
            let end = entry.life.end(afterUseAt: now, policy)
            let isExtended = end != entry.life.expires
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

    init(costLimit: Int, countLimit: Int) {
        self.costLimit = costLimit
        self.countLimit = countLimit
        state = Mutex(
            State(table: LRUCache(costLimit: costLimit, countLimit: countLimit))
        )
    }

    /// The entry, used now: counted, made the newest, its end extended.
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
    func insert(_ entry: StoredResponse) -> Bool {
        guard entry.cost <= costLimit, countLimit > 0 else {
            _ = remove(entry.key)
            return false
        }
        state.withLock { state in
            state.fills[entry.key.name] = nil
            // What was not saved belongs to the entry that goes.
            state.orphaned[entry.key.name] = nil
            if let http = entry.http { state.fills[http.primary] = nil }
            Self.insert(Held(entry: entry), &state)
        }
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
    func endFill(_ fill: Int, _ key: CacheKey, _ entry: StoredResponse?) {
        state.withLock { state in
            guard state.fills[key.name] == fill else { return }
            state.fills[key.name] = nil
            if let entry { Self.insert(Held(entry: entry), &state) }
        }
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
        state.withLock { state in
            let expired = state.table.values.filter { $0.entry.life.isOver(at: now) }
                .map(\.entry)
            for entry in expired {
                _ = state.table.remove(entry.key.name)
                if let http = entry.http { Self.ungroup(entry.key.name, http, &state) }
            }
            return expired.map(\.key)
        }
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
