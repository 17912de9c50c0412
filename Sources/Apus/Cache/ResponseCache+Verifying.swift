/// What reading a whole cache on disk has shown.
public struct CacheVerification: Sendable, Hashable {
    /// Entries that were read, the damaged ones among them.
    public var checked = 0
    /// Entries that were damaged; they have been removed.
    public var damaged = 0
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
