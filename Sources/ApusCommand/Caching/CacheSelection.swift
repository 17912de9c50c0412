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
        case .named(let name):
            var count = 0
            for entry in await name.entries(in: cache) {
                count += await cache.remove(entry.key) ? 1 : 0
            }
            return count
        }
    }
}
