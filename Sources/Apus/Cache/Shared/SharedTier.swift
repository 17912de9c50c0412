import Dispatch
import FoundationEssentials
import Synchronization

/// A cache's side of a shared store: entries instead of bytes, and writes that no request waits for.
final class SharedTier: Sendable {
    /// The most bytes of responses that wait to be written; more are not shared.
    private static let mostPendingBytes = 64 << 20
    /// The most responses that wait to be written.
    private static let mostPendingWrites = 1000
    /// More members of a group than any server means to have: they are removed together.
    private static let mostMembers = 64

    private struct Pending {
        var bytes = 0
        var writes = 0
        var isKnownAtExit = false
    }

    let store: any SharedStore
    private let serializer: (any CacheSerializer)?
    private let pending = Mutex(Pending())
    /// Encodes and writes, one after another.
    private let writer = DispatchQueue(label: "apus.cache.shared")

    init(_ store: any SharedStore, serializer: (any CacheSerializer)?) {
        self.store = store
        self.serializer = serializer
    }

    /// What the store has under a key.
    struct Entries {
        var responses: [StoredResponse]
        /// Why others were refused; nil if none were.
        var refusal: String?
    }

    /// The entries under a key, or why the store was not asked.
    func entries(of group: String) async -> Result<Entries, SharedStoreError> {
        let (members, refusal): ([String: [UInt8]], String?)
        switch await store.read(group) {
        case .unavailable(let reason): return .failure(SharedStoreError(reason))
        case .members(let found): (members, refusal) = (found, nil)
        case .refused(let reason, let others): (members, refusal) = (others, reason)
        }
        if members.count > Self.mostMembers { remove([group]) }
        let responses = members.values.compactMap { SharedRecord.entry($0, by: serializer) }
        return .success(Entries(responses: responses, refusal: refusal))
    }

    /// Writes an entry later; does nothing if too much is waiting already.
    func write(
        _ entry: StoredResponse,
        as member: String,
        of group: String,
        for lifetime: Duration
    ) {
        let count = entry.body.count
        enqueue(count) { [store, serializer] in
            // An entry that cannot be encoded is not on disk either, which has been reported.
            guard let value = try? SharedRecord.encoded(entry, by: serializer) else { return }
            store.write(value, as: member, of: group, for: lifetime)
        }
    }

    /// Removes what is stored under keys, later.
    func remove(_ groups: [String]) {
        enqueue(0) { [store] in store.remove(groups) }
    }

    private func enqueue(_ bytes: Int, _ work: @escaping @Sendable () -> Void) {
        let (hasRoom, isNew) = pending.withLock { pending in
            guard pending.bytes + bytes <= Self.mostPendingBytes,
                pending.writes < Self.mostPendingWrites
            else { return (false, false) }
            pending.bytes += bytes
            pending.writes += 1
            defer { pending.isKnownAtExit = true }
            return (true, !pending.isKnownAtExit)
        }
        guard hasRoom else { return }
        if isNew { ExitFlush.add(self) }
        writer.async { [self] in
            work()
            pending.withLock { pending in
                pending.bytes -= bytes
                pending.writes -= 1
            }
        }
    }

    /// Passes all entries to `body`.
    func scan(
        _ body: @escaping @Sendable (_ group: String, _ entry: StoredResponse) -> Void
    ) async throws(SharedStoreError) {
        try await store.scan { [serializer] group, members in
            for value in members.values {
                if let entry = SharedRecord.entry(value, by: serializer) { body(group, entry) }
            }
        }
    }

    /// Returns when what was to be written so far is written, or given up.
    func flush() async { await writer.run {} }
}

extension SharedTier: SettledAtExit {
    func settle(_ group: DispatchGroup) {
        guard pending.withLock({ $0.writes > 0 }) else { return }
        group.enter()
        writer.async { group.leave() }
    }
}

/// Collects entries while a store is listed.
final class SharedEntryList: Sendable {
    private let list = Mutex<[SharedCacheEntry]>([])

    var all: [SharedCacheEntry] { list.withLock { $0 } }

    func add(_ entry: SharedCacheEntry) { list.withLock { $0.append(entry) } }
}
