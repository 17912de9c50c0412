import FoundationEssentials
import Synchronization

extension MemoryStore {
    /// The entries in memory under a primary key, and whether the disk has no others.
    func variants(of primary: CacheKey) -> (entries: [StoredResponse], isComplete: Bool) {
        state.withLock { state in
            guard let group = state.groups[primary.name] else { return ([], false) }
            let entries = group.keys.compactMap { key in
                state.table.withValue(key, isUse: false) { $0.entry }
            }
            return (entries, group.isComplete)
        }
    }

    /// Inserts what was read from disk under a primary key, unless it has changed meanwhile.
    ///
    /// `isComplete` says whether `entries` are all that the disk has.
    func endFill(
        _ fill: Int,
        ofVariants primary: CacheKey,
        _ entries: [StoredResponse],
        isComplete: Bool
    ) {
        state.withLock { state in
            guard state.fills[primary.name] == fill else { return }
            state.fills[primary.name] = nil
            for entry in entries
            where state.table.withValue(entry.key.name, isUse: false, { _ in }) == nil {
                Self.insert(Held(entry: entry), &state)
            }
            // Entries that exceeded the limits have been evicted by now.
            let kept = state.groups[primary.name]?.keys ?? []
            guard isComplete, entries.allSatisfy({ kept.contains($0.key.name) }) else { return }
            state.groups[primary.name, default: .init()].isComplete = true
            Self.boundGroups(&state)
        }
        planCleaning(for: entries.compactMap(\.life.expires).min())
    }

    /// Updates the head and times of an entry, if it is in memory.
    func update(_ entry: StoredResponse) {
        state.withLock { state in
            if let http = entry.http { state.fills[http.primary] = nil }
            let cost = state.table.withValue(entry.key.name, isUse: false) { held in
                held.entry.head = entry.head
                held.entry.http = entry.http
                return held.entry.cost
            }
            guard let cost else { return }
            Self.forget(state.table.setCost(cost, of: entry.key.name), &state)
        }
    }

    /// Notes that the disk may have more than memory under a primary key.
    func forgetGroup(of primary: CacheKey) {
        state.withLock { state in
            state.fills[primary.name] = nil
            state.groups[primary.name]?.isComplete = false
        }
    }

    /// Removes all entries under a primary key; returns their number.
    func removeVariants(of primary: CacheKey) -> Int {
        state.withLock { state in
            state.fills[primary.name] = nil
            guard let group = state.groups[primary.name] else { return 0 }
            for key in group.keys {
                state.orphaned[key] = nil
                _ = state.table.remove(key)
            }
            state.groups[primary.name]?.clear()
            return group.keys.count
        }
    }

    /// Drops empty groups, which say that a URL has no entries, once there are too many.
    private static func boundGroups(_ state: inout State) {
        guard state.groups.count > 2 * state.table.count + 4096 else { return }
        state.groups = state.groups.filter { !$0.value.keys.isEmpty }
    }
}

extension HTTPEntry {
    /// The key that all responses for the URL share, without its recipe.
    var primaryKey: CacheKey { CacheKey(primary, recipe: "") }
}

/// The entries in memory that share a primary key.
struct VariantGroup: Sendable, Hashable {
    private(set) var keys: [KeyName] = []
    /// Whether memory has all entries that the disk has.
    var isComplete = false

    /// Whether it holds no information.
    var isNothing: Bool { keys.isEmpty && !isComplete }

    mutating func add(_ key: KeyName) {
        if !keys.contains(key) { keys.append(key) }
    }

    mutating func remove(_ key: KeyName) { keys.removeAll { $0 == key } }

    /// Removes an entry that has left memory but not the cache.
    mutating func forget(_ key: KeyName) {
        remove(key)
        isComplete = false
    }

    mutating func clear() { keys = [] }
}
