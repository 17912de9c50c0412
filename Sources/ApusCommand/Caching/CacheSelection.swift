import Apus

/// Entries to remove.
enum CacheSelection: Sendable {
    case all
    case expired
    /// Whose key begins so.
    case key(String)
    /// Whose URL fits a pattern of the shell's.
    case pattern(String)

    /// Removes them; how many there were.
    func clear(_ cache: ResponseCache) async -> Int {
        switch self {
        case .all:
            let count = await cache.entries().count
            await cache.removeAll()
            return count
        case .expired: return await cache.removeExpired()
        case .key(let start): return await cache.remove { $0.key.digest.hasPrefix(start) }
        case .pattern(let pattern): return await cache.remove(matching: pattern)
        }
    }
}
