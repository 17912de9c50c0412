import Dispatch
import Glibc
import Synchronization

// Responses are written to disk after they have been delivered. Reads of the same key and the end of the
// process wait for these writes.

extension DiskStore {
    /// Inserts an entry and removes those it supersedes, without making the caller wait.
    ///
    /// A failure is reported as a notice.
    ///
    /// From now on reads of the same key find the entry. If `superseded` returns nil, nothing changes.
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
        // With no body to write first and no earlier write pending, `stager` is not needed.
        if isFirst, !isStagingNeeded(entry) { return insert(SealedParts()) }
        stage(entry) { [self] staged in
            switch staged {
            case .failure: end(rows, count)
            case .success(let parts): insert(parts)
            }
        }
    }

    /// Changes the entries in these rows, without making the caller wait; a failure is reported as a notice.
    func writeUnwaited(
        changing rows: [Int64],
        _ body: @escaping @Sendable (DiskTable) throws -> Void
    ) {
        // A pending write is about to create the file.
        let isWriting = state.withLock { !$0.unwaited.isEmpty }
        let file = "\(folder)/\(DiskFolder.database)"
        guard isWriting || PrivateFiles.size(of: file) != nil else { return }
        begin(rows)
        // After the bodies being staged, because what is removed here may be among them.
        stager.async { [self] in enqueue(rows, 0, body) }
    }

    /// Counts an unwaited write; returns whether its rows have no other one.
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

    /// Returns when the unwaited writes are done.
    func settle() async {
        guard state.withLock({ !$0.unwaited.isEmpty }) else { return }
        await withCheckedContinuation { continuation in
            stager.async { [self] in writer.async { continuation.resume() } }
        }
    }

    /// Returns at once unless too many bytes are waiting to be written; then waits (back-pressure).
    func catchUp() async {
        if state.withLock({ $0.unwaitedBytes > Self.mostUnwaitedBytes }) { await settle() }
    }

    private static let mostUnwaitedBytes = 32 << 20

    /// Enters a group, and leaves it when the unwaited writes are done.
    func settle(_ group: DispatchGroup) {
        guard state.withLock({ !$0.unwaited.isEmpty }) else { return }
        group.enter()
        stager.async { [self] in writer.async { group.leave() } }
    }
}

/// A store whose pending writes a program waits for before it ends.
protocol SettledAtExit: AnyObject, Sendable {
    /// Enters a group, and leaves it when the pending writes are done.
    func settle(_ group: DispatchGroup)

    /// Does what is left to do once all is written.
    func leave()
}

extension SettledAtExit {
    func leave() {}
}

extension DiskStore: SettledAtExit {
    func leave() { lending.leave() }
}

/// Makes a program that ends wait for its caches' pending writes.
///
/// Responses are delivered before they are on disk. Without this, a program that returns from its main
/// function or calls `exit` right after a response would lose it.
package enum ExitFlush {
    private struct Waiting {
        weak var store: (any SettledAtExit)?
    }

    /// After this time the remaining writes are lost, so that the program ends.
    private static let limit = DispatchTimeInterval.seconds(5)
    private static let stores = Mutex<[Waiting]>([])

    /// Registers a store; the first call installs the exit handler.
    static func add(_ store: any SettledAtExit) {
        let isFirst = stores.withLock { stores in
            let isFirst = stores.isEmpty
            stores.removeAll { $0.store == nil }
            stores.append(Waiting(store: store))
            return isFirst
        }
        if isFirst { atexit { ExitFlush.run() } }
    }

    /// Waits up to five seconds for pending writes, and removes the spool folders.
    ///
    /// For a program that ends without running exit handlers.
    package static func run() {
        defer { SpoolFolder.leaveAll() }
        // With a timeout and not on the stores' queues, because `exit` may have been called on one of them.
        let group = DispatchGroup()
        for store in stores.withLock({ $0.compactMap(\.store) }) { store.settle(group) }
        guard group.wait(timeout: .now() + limit) == .success else { return }
        // Otherwise the next process to open the cache would think that this one died at work.
        for store in stores.withLock({ $0.compactMap(\.store) }) { store.leave() }
    }
}
