import FoundationEssentials
import Glibc

extension ResponseCache {
    /// Removes the entry of a key from memory and disk; returns whether there was one.
    ///
    /// With `CachePolicy.http` the key of a URL stands for all responses stored for that URL.
    @discardableResult
    public func remove(_ key: CacheKey) async -> Bool {
        let wasInMemory = removeFromMemory(key)
        // A failed write is reported as a notice.
        return (try? await disk.remove(key)) ?? false || wasInMemory
    }

    /// As `remove(_:)`, but throws if the disk fails.
    ///
    /// - Throws: `ApusError` with the reason `.file` if the entry could not be removed from disk.
    package func tryRemove(_ key: CacheKey) async throws(ApusError) -> Bool {
        let wasInMemory = removeFromMemory(key)
        return try await disk.remove(key) || wasInMemory
    }

    private func removeFromMemory(_ key: CacheKey) -> Bool {
        let variants = memory.removeVariants(of: key)
        return memory.remove(key) || variants > 0
    }

    /// Removes an entry whose copy on disk is damaged; returns whether it was damaged.
    package func removeIfDamaged(_ key: CacheKey) async -> Bool {
        // If the removal fails, this returns false and the caller reports that the entry is still there.
        guard (try? await disk.remove(damaged: key.row)) == true else { return false }
        _ = memory.remove(key)
        return true
    }

    /// Removes the entries whose URL equals a text or matches it as a shell pattern; returns how many.
    ///
    /// In a pattern `*` also matches slashes.
    @discardableResult
    public func remove(matching pattern: String) async -> Int {
        await remove { $0.fits(pattern) }
    }

    /// Where the entry of a key is stored, expired or not; nil if there is none.
    ///
    /// With `CachePolicy.http` the key of a URL stands for all responses stored for that URL.
    public func place(of key: CacheKey) async -> CachePolicy.Storage? {
        let isInMemory = memory.peek(key) != nil || !memory.variants(of: key).entries.isEmpty
        let isOnDisk =
            if case .entry = await disk.find(key, memoryLimit: 0) {
                true
            } else {
                await !disk.variants(of: key).isEmpty
            }
        guard isOnDisk else { return isInMemory ? .memory : nil }
        return isInMemory ? .memoryAndDisk : .disk
    }

    /// Removes the entries that satisfy a predicate; returns the number removed.
    @discardableResult
    public func remove(where isUnwanted: @Sendable (CacheEntry) -> Bool) async -> Int {
        var count = 0
        for entry in await entries() where isUnwanted(entry) {
            count += await remove(entry.key) ? 1 : 0
        }
        return count
    }

    /// Removes the expired entries; returns the number removed.
    @discardableResult
    public func removeExpired() async -> Int {
        // A failed write is reported as a notice.
        (try? await tryRemoveExpired()) ?? 0
    }

    /// As `removeExpired()`, but throws if the disk fails.
    ///
    /// - Throws: `ApusError` with the reason `.file` if entries could not be removed from disk.
    package func tryRemoveExpired() async throws(ApusError) -> Int {
        let now = now
        disk.note(memory.takeUnsaved())
        await disk.flush()
        let onDisk = await disk.entries()
        let keysOnDisk = Set(onDisk.lazy.map(\.key))
        let inMemoryOnly = memory.removeExpired(at: now).filter { !keysOnDisk.contains($0) }
        var count = inMemoryOnly.count
        // Entries with a store date in the future count as expired whatever their expiry date.
        for entry in onDisk where entry.stored.isFuture(at: now) && entry.expires != nil {
            count += try await disk.remove(entry.key) ? 1 : 0
        }
        return try await disk.removeExpired(at: now) + count
    }

    /// Removes all entries from the given storage.
    public func removeAll(_ storage: CachePolicy.Storage = .memoryAndDisk) async {
        if storage.usesMemory { memory.removeAll() }
        // A failed write is reported as a notice.
        if storage.usesDisk { _ = try? await disk.removeAll() }
    }

    /// Removes all entries from memory and disk; returns the number that were on disk.
    ///
    /// - Throws: `ApusError` with the reason `.file` if entries could not be removed from disk.
    package func tryRemoveAll() async throws(ApusError) -> Int {
        memory.removeAll()
        return try await disk.removeAll()
    }

    /// All entries, most recently used first; an entry that is both in memory and on disk is listed once.
    public func entries() async -> [CacheEntry] {
        disk.note(memory.takeUnsaved())
        await disk.flush()
        var entries: [CacheKey: CacheEntry] = [:]
        for entry in await disk.entries() { entries[entry.key] = entry }
        for entry in memory.entries {
            let onDisk = entries[entry.key]
            var both = entry.entry(in: onDisk == nil ? .memory : .memoryAndDisk, at: now)
            both.path = onDisk?.path
            // Memory and disk may have different expiry dates; nil never expires.
            if let other = onDisk?.expires, let own = both.expires {
                both.expires = max(own, other)
            } else if onDisk != nil {
                both.expires = nil
            }
            entries[entry.key] = both
        }
        return entries.values.sorted {
            ($0.lastAccess, $1.key.digest) > ($1.lastAccess, $0.key.digest)
        }
    }

    /// The entries that `remove(matching:)` would remove, most recently used first.
    public func entries(matching pattern: String) async -> [CacheEntry] {
        await entries().filter { $0.fits(pattern) }
    }

    /// Returns when pending writes and the uses counted in memory have reached the disk and the shared store.
    public func flush() async {
        disk.note(memory.takeUnsaved())
        await disk.flush()
        await shared?.flush()
    }

    /// Writes what is pending and closes the files; the next use opens them again.
    public func close() async {
        disk.note(memory.takeUnsaved())
        await disk.close()
        await shared?.flush()
    }
}

extension CacheEntry {
    /// Whether the entry's URL equals the text or matches it as a pattern (fnmatch(3)).
    ///
    /// The comparison comes first because a URL may have brackets (RFC 3986, 3.2.2).
    package func fits(_ pattern: String) -> Bool {
        request.url == pattern || fnmatch(pattern, request.url, 0) == 0
    }
}

/// The result of verifying a whole cache on disk.
public struct CacheVerification: Sendable, Hashable {
    /// The number of entries read, including damaged ones.
    public var checked = 0
    /// The number of damaged entries; they have been removed, except `notRemoved` of them.
    public var damaged = 0
    /// The number of damaged entries that remain because the disk could not be written.
    public var notRemoved = 0
    /// The bytes read: entries and body files.
    public var bytes = 0
    /// The keys of the damaged entries; a row whose key is unreadable is named by its number.
    public var damagedKeys: [String] = []
    /// The number of body files that belonged to no entry; they have been removed.
    public var orphans = 0

    /// Makes a result with all counts 0.
    public init() {}
}

extension ResponseCache {
    /// Opens the cache on disk; returns false if there is none yet.
    ///
    /// Lookups and lists treat an unreadable cache as an empty one and post a notice, because no request
    /// may fail for it. Call this first to distinguish the two.
    ///
    /// - Throws: `ApusError` with the reason `.file` (path and error number) if the cache cannot be read.
    @discardableResult
    public func open() async throws(ApusError) -> Bool { try await disk.open() }

    /// Throws if the folder is in use for something else; creates and opens nothing.
    package func checkFolder() throws(ApusError) { try disk.checkFolder() }

    /// Reads every entry on disk with its body, and removes what is damaged.
    ///
    /// Damaged means: an entry that cannot be read or has a wrong checksum, an entry without its body, or a
    /// body file without an entry.
    ///
    /// - Parameter progress: called with the result so far every 256 entries and at the end, on any thread.
    /// - Returns: the result.
    /// - Throws: `ApusError` with the reason `.file` if the cache cannot be read; a database that is
    ///   damaged as a whole is first set aside. `CancellationError` if the task is cancelled.
    public func verify(
        _ progress: (@Sendable (CacheVerification) -> Void)? = nil
    ) async throws -> CacheVerification {
        disk.note(memory.takeUnsaved())
        await disk.flush()
        return try await disk.verify(progress)
    }
}
