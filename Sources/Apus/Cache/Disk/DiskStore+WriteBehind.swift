// Answers go to disk behind their delivery; reads of the same key wait for them, and so does the
// end of the process.

import Dispatch
import Glibc
import Synchronization

extension DiskStore {
    /// Puts an entry in and the older ones out whose place it takes, later; a failure is a notice.
    ///
    /// Reads of the same key from now on find it. Where `superseded` gives nil all stays as it is.
    func insertUnwaited(
        _ entry: StoredResponse,
        inPlaceOf superseded: @escaping @Sendable (DiskTable) throws -> [Int]? = { _ in [] }
    ) {
        let rows = entry.rows
        let count = entry.body.count
        let isFirst = begin(rows, count)
        let insert: @Sendable (SealedParts) -> Void = { [self] parts in
            enqueue(rows, count) { table in
                guard let old = try superseded(table) else { return }
                for row in old { _ = try table.remove(row: Int64(row)) }
                try table.insert(entry, parts)
            }
        }
        // Without a body to write first and with nothing before it, the other thread has no part.
        if isFirst, !isStagingNeeded(entry) { return insert(SealedParts()) }
        stage(entry) { [self] staged in
            switch staged {
            case .failure: end(rows, count)
            case .success(let parts): insert(parts)
            }
        }
    }

    /// Does something to the entries in these rows, later; a failure is a notice.
    func writeUnwaited(
        changing rows: [Int64],
        _ body: @escaping @Sendable (DiskTable) throws -> Void
    ) {
        // A write under way is about to make the file.
        let isWriting = state.withLock { !$0.unwaited.isEmpty }
        guard isWriting || PrivateFiles.size(of: "\(folder)/responses.sqlite") != nil else {
            return
        }
        begin(rows)
        // Bodies under way come first: what is removed here may be among them.
        stager.async { [self] in enqueue(rows, 0, body) }
    }

    /// Counts a write that nobody waits for; whether no other is under way for its rows.
    @discardableResult
    private func begin(_ rows: [Int64], _ bytes: Int = 0) -> Bool {
        let (isFirst, isNew) = state.withLock { state in
            state.unwaitedBytes += bytes
            let isFirst = rows.allSatisfy { state.unwaited[$0] == nil }
            for row in rows { state.unwaited[row, default: 0] += 1 }
            defer { state.isKnownAtExit = true }
            return (isFirst, !state.isKnownAtExit)
        }
        if isNew { ExitFlush.add(self) }
        return isFirst
    }

    func isChanging(_ rows: [Int64]) -> Bool {
        state.withLock { state in
            !state.unwaited.isEmpty && rows.contains { state.unwaited[$0] != nil }
        }
    }

    private func end(_ rows: [Int64], _ bytes: Int) {
        state.withLock { state in
            state.unwaitedBytes -= bytes
            for row in rows {
                let count = (state.unwaited[row] ?? 1) - 1
                state.unwaited[row] = count > 0 ? count : nil
            }
        }
    }

    private func enqueue(
        _ rows: [Int64],
        _ bytes: Int = 0,
        _ body: @escaping @Sendable (DiskTable) throws -> Void
    ) {
        let write = Write(
            run: { [self] table in
                try body(table)
                return { self.end(rows, bytes) }
            },
            fail: { [self] _ in end(rows, bytes) }
        )
        state.withLock { $0.pending.append(write) }
        writer.async { [self] in drain() }
    }

    /// Returns when the writes that nobody waits for are done.
    func settle() async {
        guard state.withLock({ !$0.unwaited.isEmpty }) else { return }
        await withCheckedContinuation { continuation in
            stager.async { [self] in writer.async { continuation.resume() } }
        }
    }

    /// Returns at once unless very much waits to be written: what comes faster than the disk
    /// takes it must not pile up in memory.
    func catchUp() async {
        if state.withLock({ $0.unwaitedBytes > Self.mostUnwaitedBytes }) { await settle() }
    }

    private static let mostUnwaitedBytes = 32 << 20

    /// Leaves the group when the writes that nobody waits for are done.
    func settle(_ group: DispatchGroup) {
        guard state.withLock({ !$0.unwaited.isEmpty }) else { return }
        group.enter()
        stager.async { [self] in writer.async { group.leave() } }
    }
}

/// Lets a program that ends wait for what its caches still write to disk.
///
/// Answers are delivered before they are on disk. A program that returns from its main function,
/// or calls `exit`, right after an answer would lose it without this.
package enum ExitFlush {
    private struct Waiting {
        weak var store: DiskStore?
    }

    /// A disk that takes longer loses what it has not written: ending is worth more.
    private static let limit = DispatchTimeInterval.seconds(5)
    private static let stores = Mutex<[Waiting]>([])

    /// Remembers a store, once; the first one makes the process wait when it ends.
    static func add(_ store: DiskStore) {
        let isFirst = stores.withLock { stores in
            let isFirst = stores.isEmpty
            stores.removeAll { $0.store == nil }
            stores.append(Waiting(store: store))
            return isFirst
        }
        if isFirst { atexit { ExitFlush.run() } }
    }

    /// Waits for what the stores of this process still write, five seconds at most, and removes
    /// the folders of bodies that were too large for memory; for a program that ends without its
    /// exit handlers.
    package static func run() {
        defer { SpoolFolder.leaveAll() }
        // Not for ever and not on its queues, because `exit` may have been called on one of them.
        let group = DispatchGroup()
        for store in stores.withLock({ $0.compactMap(\.store) }) { store.settle(group) }
        guard group.wait(timeout: .now() + limit) == .success else { return }
        // Else the next opening would take this process for one that died at work.
        for store in stores.withLock({ $0.compactMap(\.store) }) { store.lending.leave() }
    }
}
