import FoundationEssentials

extension ResponseCache {
    /// Removes the entry of a key from memory and disk; whether there was one.
    @discardableResult
    public func remove(_ key: CacheKey) async -> Bool {
        let wasInMemory = memory.remove(key)
        return await disk.remove(key) || wasInMemory
    }

    /// Removes the entries that a rule names; how many.
    @discardableResult
    public func remove(where isUnwanted: @Sendable (CacheEntry) -> Bool) async -> Int {
        var count = 0
        for entry in await entries() where isUnwanted(entry) {
            count += await remove(entry.key) ? 1 : 0
        }
        return count
    }

    /// Removes what has expired; how many entries.
    @discardableResult
    public func removeExpired() async -> Int {
        let now = now
        disk.note(memory.takeUnsaved())
        await disk.flush()
        let keysOnDisk = Set(await disk.entries().lazy.map(\.key))
        let inMemoryOnly = memory.removeExpired(at: now).filter { !keysOnDisk.contains($0) }
        return await disk.removeExpired(at: now) + inMemoryOnly.count
    }

    /// Removes everything from the places named.
    public func removeAll(_ storage: CachePolicy.Storage = .memoryAndDisk) async {
        if storage == .memory || storage == .memoryAndDisk { memory.removeAll() }
        if storage == .disk || storage == .memoryAndDisk { await disk.removeAll() }
    }

    /// All entries, last used first.
    ///
    /// An entry in both places is listed once.
    public func entries() async -> [CacheEntry] {
        disk.note(memory.takeUnsaved())
        await disk.flush()
        var entries: [CacheKey: CacheEntry] = [:]
        for entry in await disk.entries() { entries[entry.key] = entry }
        for entry in memory.entries {
            let isOnDisk = entries[entry.key] != nil
            entries[entry.key] = entry.entry(in: isOnDisk ? .memoryAndDisk : .memory)
        }
        return entries.values.sorted {
            ($0.lastAccess, $1.key.digest) > ($1.lastAccess, $0.key.digest)
        }
    }

    /// Returns when the uses counted in memory have reached the disk.
    public func flush() async {
        disk.note(memory.takeUnsaved())
        await disk.flush()
    }

    /// Writes what waits, and closes the files; the next use opens them again.
    public func close() async {
        disk.note(memory.takeUnsaved())
        await disk.close()
    }
}
