import Apus
import SQLite
import Synchronization

/// Taking in the inbox.
extension History {
    /// About how many exchanges one transaction takes in, since each transaction is synced.
    private static let takenAtOnce = 500
    /// How many bytes may wait in the inbox during recording.
    private static let inboxSize = 64 << 20

    /// Takes in the inbox if it holds more than a reader should have to take in.
    func takeInSurplus(_ pool: DatabasePool) {
        let isMuch = state.withLock {
            $0.waitingCount > limits.inbox || $0.waitingBytes > Self.inboxSize
        }
        guard isMuch, !state.withLock(\.isTakingIn) else { return }
        state.withLock { $0.isTakingIn = true }
        defer { state.withLock { $0.isTakingIn = false } }
        // Taking in so many takes seconds. What is recorded meanwhile must not wait, or its callers would, too.
        takeIn { [self] in
            if state.withLock({ !$0.pending.isEmpty }) { commit() }
        }
    }

    /// Takes in the whole inbox.
    ///
    /// - Throws: ``RecordingError`` if that is not possible now.
    func takeInAll() async throws(RecordingError) {
        guard try reader() is DatabasePool else { return }
        if let delay = await writer.run({ [self] in takeIn() }) { throw delay }
    }

    /// Takes in the inbox: moves its exchanges to the tables, on `writer`.
    ///
    /// Calls `between` after each transaction.
    ///
    /// - Returns: why some exchanges are still waiting; nil if none are.
    @discardableResult func takeIn(between: () -> Void = {}) -> RecordingError? {
        let waiting = state.withLock { ($0.waitingCount, $0.waitingBytes) }
        do {
            let pool = try database()
            guard let end = try pool.read(Inbox.last) else { return nil }
            try requireRoom(for: pool)
            var count = 0
            while case let taken = try takeInSome(upTo: end, pool), taken > 0 {
                count += taken
                between()
            }
            state.withLock { state in
                state.waitingCount = max(0, state.waitingCount - waiting.0)
                state.waitingBytes = max(0, state.waitingBytes - waiting.1)
            }
            // Remove up to twice as many exchanges as were added, while there are any beyond the limits.
            var surplus = 2 * count
            while surplus > 0, case let removed = trim(pool), removed > 0 {
                surplus -= removed
                between()
            }
            return nil
        } catch {
            let delay = recordingError(.read, error)
            // A failure has already been reported, and a file in use is retried.
            if failure == nil, !delay.isBusy { notice(.delayed(delay)) }
            return delay
        }
    }

    /// Takes in some rows, and moves a damaged row to a file beside the history, so that the next rows can follow.
    ///
    /// - Returns: how many exchanges the rows had; 0 if there are no rows.
    private func takeInSome(upTo end: Int64, _ pool: DatabasePool) throws -> Int {
        do {
            return try pool.write {
                try Inbox.takeIn(upTo: end, atOnce: Self.takenAtOnce, bodies, $0)
            }
        } catch let damage as Inbox.DamagedRowError {
            let file = "\(path).unread-\(damage.first)"
            try PrivateFiles.replace(file, with: damage.rows)
            try pool.write { try damage.remove(from: $0) }
            notice(.unread(path: path, to: file, count: Int(damage.count)))
            return max(1, Int(damage.count))
        }
    }
}
