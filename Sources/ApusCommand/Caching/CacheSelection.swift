import Apus

/// Entries to remove.
enum CacheSelection: Sendable {
    case all
    case expired
    case named(EntryName)

    /// Removes them; how many there were.
    func clear(_ cache: ResponseCache) async -> Int {
        switch self {
        case .all:
            let count = await cache.entries().count
            await cache.removeAll()
            return count
        case .expired: return await cache.removeExpired()
        case .named(.key(let start)): return await cache.remove { $0.key.digest.hasPrefix(start) }
        case .named(.url(let pattern)): return await cache.remove(matching: pattern)
        }
    }
}
