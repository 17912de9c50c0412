import FoundationEssentials
import Glibc

extension ResponseCache {
    /// Removes the entry of a key from memory and disk; whether there was one.
    ///
    /// The key of a URL under `CachePolicy.http` stands for all that is kept for it.
    @discardableResult
    public func remove(_ key: CacheKey) async -> Bool {
        let wasInMemory = removeFromMemory(key)
        // A write that fails is a notice.
        return (try? await disk.remove(key)) ?? false || wasInMemory
    }

    /// Does what `remove(_:)` does.
    ///
    /// - Throws: `ApusError` with the reason `.file` if the disk keeps the entry.
    package func tryRemove(_ key: CacheKey) async throws(ApusError) -> Bool {
        let wasInMemory = removeFromMemory(key)
        return try await disk.remove(key) || wasInMemory
    }

    private func removeFromMemory(_ key: CacheKey) -> Bool {
        let variants = memory.removeVariants(of: key)
        return memory.remove(key) || variants > 0
    }

    /// Removes the entry that an answer came from if what it has on disk is damaged; whether it was.
    package func removeIfDamaged(_ key: CacheKey) async -> Bool {
        // Who asks says that it is still there.
        guard (try? await disk.remove(damaged: key.row)) == true else { return false }
        _ = memory.remove(key)
        return true
    }

    /// Removes the entries of a URL, or of those that fit a pattern of the shell's, in which `*`
    /// stands for any text, slashes too; how many.
    @discardableResult
    public func remove(matching pattern: String) async -> Int {
        await remove { $0.fits(pattern) }
    }

    /// Where the entry of a key is, expired or not; nil if it is nowhere.
    ///
    /// The key of a URL under `CachePolicy.http` stands for all that is kept for it.
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
        // A write that fails is a notice.
        (try? await tryRemoveExpired()) ?? 0
    }

    /// Does what `removeExpired()` does.
    ///
    /// - Throws: `ApusError` with the reason `.file` if the disk keeps them.
    package func tryRemoveExpired() async throws(ApusError) -> Int {
        let now = now
        disk.note(memory.takeUnsaved())
        await disk.flush()
        let onDisk = await disk.entries()
        let keysOnDisk = Set(onDisk.lazy.map(\.key))
        let inMemoryOnly = memory.removeExpired(at: now).filter { !keysOnDisk.contains($0) }
        var count = inMemoryOnly.count
        // What is over because it was stored later than now has an end that is yet to come.
        for entry in onDisk where entry.stored.isFuture(at: now) && entry.expires != nil {
            count += try await disk.remove(entry.key) ? 1 : 0
        }
        return try await disk.removeExpired(at: now) + count
    }

    /// Removes everything from the places named.
    public func removeAll(_ storage: CachePolicy.Storage = .memoryAndDisk) async {
        if storage == .memory || storage == .memoryAndDisk { memory.removeAll() }
        // A write that fails is a notice.
        if storage == .disk || storage == .memoryAndDisk { _ = try? await disk.removeAll() }
    }

    /// Removes everything from memory and disk; how many entries there were on disk.
    ///
    /// - Throws: `ApusError` with the reason `.file` if the disk keeps them.
    package func tryRemoveAll() async throws(ApusError) -> Int {
        memory.removeAll()
        return try await disk.removeAll()
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
            let onDisk = entries[entry.key]
            var both = entry.entry(in: onDisk == nil ? .memory : .memoryAndDisk, at: now)
            both.path = onDisk?.path
            // Each place may have its own; nil is never.
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

    /// The entries of a URL, or of those that fit a pattern as in `remove(matching:)`; last used
    /// first.
    public func entries(matching pattern: String) async -> [CacheEntry] {
        await entries().filter { $0.fits(pattern) }
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

extension CacheEntry {
    /// Whether its URL is this, which may have brackets (RFC 3986, 3.2.2), or fits it as a pattern
    /// (fnmatch(3)).
    fileprivate func fits(_ pattern: String) -> Bool {
        request.url == pattern || fnmatch(pattern, request.url, 0) == 0
    }
}

/// What reading a whole cache on disk has shown.
public struct CacheVerification: Sendable, Hashable {
    /// Entries that were read, the damaged ones among them.
    public var checked = 0
    /// Entries that were damaged; they have been removed, but for those that could not be.
    public var damaged = 0
    /// Damaged entries that are still there, because the disk takes no write.
    public var notRemoved = 0
    /// Bytes that were read: of entries and of the files of bodies.
    public var bytes = 0
    /// The keys of the damaged entries, as far as they could be read.
    public var damagedKeys: [String] = []
    /// Files of bodies that belonged to no entry; they have been removed.
    public var orphans = 0

    /// Makes a verification of nothing.
    public init() {}
}

extension ResponseCache {
    /// Opens what is on disk; false if there is nothing yet.
    ///
    /// Lookups and lists take a cache that cannot be read for an empty one, with a notice, because
    /// no request may fail for it. Who must tell the two apart asks here first.
    ///
    /// - Throws: `ApusError` with the reason `.file`, its path and number, if it cannot be read.
    @discardableResult
    public func open() async throws(ApusError) -> Bool { try await disk.open() }

    /// Throws if the folder has another use, and so no cache can be there; makes and opens nothing.
    package func checkFolder() throws(ApusError) { try disk.checkFolder() }

    /// Reads every entry on disk with its body, and removes what is damaged: entries that cannot
    /// be read or are not what was written, those whose bodies are missing, and files of bodies
    /// without an entry.
    ///
    /// - Parameter progress: is told what there is so far, now and then, on a thread of its own.
    /// - Returns: what was found.
    /// - Throws: `ApusError` with the reason `.file` if the cache cannot be read; a database that
    ///   is damaged as a whole is set aside before. `CancellationError`.
    public func verify(
        _ progress: (@Sendable (CacheVerification) -> Void)? = nil
    ) async throws -> CacheVerification {
        disk.note(memory.takeUnsaved())
        await disk.flush()
        return try await disk.verify(progress)
    }
}
