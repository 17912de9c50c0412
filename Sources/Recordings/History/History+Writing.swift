import Apus
import Dispatch
import FoundationEssentials
import GRDB
import Glibc
import Synchronization

/// An exchange that waits in memory to be written.
enum PendingExchange {
    /// A row of the inbox.
    case row([UInt8])
    /// One whose row takes long to make: the writer makes it.
    indirect case record(ExchangeRecord, RecordedSession.ID?)
}

extension History {
    /// Bytes that may wait in memory; above it, callers of `record` wait.
    fileprivate static let pendingLimit = 64 << 20
    /// The least time between two commits: each is synced.
    private static let commitPause = Duration.milliseconds(25)
    /// How long the program's end waits for digests of bodies that are not kept.
    private static let digestPatience = Duration.seconds(2)
    /// The pause before a commit is tried again when another process holds the file.
    private static let busyPause = Duration.milliseconds(100)
    /// About the largest log that may be left behind; the next process reads it within a millisecond.
    private static let leftLogSize = 256 << 10
    /// About how many exchanges one transaction takes in; each transaction is synced.
    private static let takenAtOnce = 500
    /// Bytes that may wait in the inbox while more is recorded.
    private static let inboxSize = 64 << 20

    /// Records an exchange in the background; waits only while more than 64 MiB are still to be written.
    public func record(_ exchange: ExchangeRecord, in session: RecordedSession.ID? = nil) async {
        let large = exchange.files(above: limits.bodySize)
        guard large.isEmpty else {
            // A large file takes seconds: neither the caller nor the writer waits for it.
            state.withLock { $0.digestingCount += 1 }
            digester.async { [self] in
                var exchange = exchange
                exchange.digests = digests(of: large)
                let (pending, size) = self.pending(exchange, session)
                _ = add(pending, size)
                state.withLock { $0.digestingCount -= 1 }
            }
            return
        }
        let (pending, size) = pending(exchange, session)
        guard add(pending, size) else { return }
        await withCheckedContinuation { (caller: CheckedContinuation<Void, Never>) in
            let mustWait = state.withLock { state in
                guard state.isFull else { return false }
                state.waiting.append(caller)
                return true
            }
            if !mustWait { caller.resume() }
        }
    }

    /// How many exchanges are not on disk yet, and a number that grows while the writer gets on with them.
    package var unwritten: (count: Int, progress: Int) {
        state.withLock {
            (
                $0.pending.count + $0.writingCount + $0.digestingCount,
                $0.madeCount + $0.recordedCount
            )
        }
    }

    /// The digests of files by their paths, without those that cannot be read in time.
    private func digests(of paths: [String]) -> [String: String] {
        paths.reduce(into: [:]) { digests, path in
            digests[path] =
                ContentDigest.hex(ofFile: path) {
                    state.withLock { $0.digestEnd.map { ContinuousClock.now < $0 } ?? true }
                }?.digest
        }
    }

    private func pending(
        _ exchange: ExchangeRecord,
        _ session: RecordedSession.ID?
    ) -> (PendingExchange, size: Int) {
        // Made here, while the exchange is still in the processor's cache. The writer gives numbers to new
        // secrets.
        let known = session.flatMap { session in state.withLock { $0.numbers[session] } }
        let names = known.map { ExchangeSecrets($0) }
        guard exchange.isSmall, session == nil || names != nil || !mask.isOn,
            var row = try? row(of: exchange, session, names),
            names?.unnumbered.isEmpty ?? true, names?.numbers.hasGiven(row.highestMask) ?? true
        else { return (.record(exchange, session), exchange.heldBytes) }
        let bytes = row.encode()
        return (.row(bytes), bytes.count)
    }

    /// Adds an exchange to those to be written.
    ///
    /// - Returns: whether there is no room for more.
    private func add(_ exchange: PendingExchange, _ size: Int) -> Bool {
        let (isFull, pause) = state.withLock { state -> (Bool, Duration?) in
            guard state.failure == nil, !state.isBusy || !state.isFull else {
                state.lostCount += 1
                return (false, nil)
            }
            state.pending.append(exchange)
            state.pendingBytes += size
            state.isClosed = false
            guard !state.isDrainDue else { return (state.isFull && !state.isBusy, nil) }
            state.isDrainDue = true
            let since = state.lastCommit.map { $0.duration(to: .now) } ?? Self.commitPause
            return (state.isFull, max(.zero, Self.commitPause - since))
        }
        if let pause { commit(after: pause) }
        return isFull
    }

    private func commit(after pause: Duration) {
        let nanoseconds = Int(pause / .nanoseconds(1))
        writer.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [self] in commit() }
    }

    /// Waits until all that was recorded before is on disk.
    ///
    /// - Throws: ``RecordingError`` if it is not: recording has ended, another process holds the file, or
    ///   held it so long that exchanges were lost since the last call.
    public func flush() async throws(RecordingError) {
        await on(digester) {}
        let delay = await on(writer) { [self] in commit() }
        let lost = state.withLock { state in
            defer { state.toldLostCount = state.lostCount }
            return state.lostCount - state.toldLostCount
        }
        if let error = failure ?? (lost > 0 ? lossError(lost) : delay) { throw error }
    }

    /// The error that says how many exchanges were lost while the file was in use.
    func lossError(_ count: Int) -> RecordingError {
        RecordingError(
            .write,
            path: path,
            detail: "it was in use for too long, \(count) of what was to be recorded were lost",
            isBusy: true
        )
    }

    /// Writes what waits, and closes the file; what is recorded later opens it again.
    public func close() async { await close(takingIn: true) }

    /// The same; unless `takingIn` is true, what was recorded stays in the inbox for the next process.
    package func close(takingIn: Bool) async {
        await endDigesting()
        await on(writer) { [self] in
            if let delay = commit() { stop(delay, losing: []) }
            if takingIn, failure == nil { takeIn() }
        }
        await letGo()
    }

    private func endDigesting() async {
        // After an interruption it waits no longer than a disk may take.
        let patience = Task.isCancelled ? Self.commitPause : Self.digestPatience
        state.withLock { ($0.isClosed, $0.digestEnd) = (true, .now + patience) }
        await on(digester) {}
        // Digests that ended meanwhile have opened it again.
        state.withLock { ($0.isClosed, $0.digestEnd) = (true, nil) }
    }

    /// Writes what waits, for a process that ends now.
    ///
    /// The file is left open, as `kill -9` would leave it: closing it would merge the log, with four syncs
    /// where one exchange needs one. The next process reads the log. A log that has grown is merged.
    package func leave() async {
        let isLong = Self.size(of: "\(path)-wal") > Self.leftLogSize
        guard !isLong else { return await close(takingIn: false) }
        await endDigesting()
        await on(writer) { [self] in
            if let delay = commit() { stop(delay, losing: []) }
            // Retained for good, so that no deinit closes it.
            _ = Unmanaged.passRetained(self)
        }
    }

    /// Runs on `writer`.
    ///
    /// - Returns: why it must be tried again; nil if nothing waits any more.
    @discardableResult private func commit() -> RecordingError? {
        let pending = state.withLock { state in
            defer { (state.pending, state.pendingBytes, state.isDrainDue) = ([], 0, false) }
            state.writingCount = state.pending.count
            return state.pending
        }
        guard !pending.isEmpty else { return nil }
        defer { state.withLock { $0.writingCount = 0 } }
        do {
            var size = 0
            let pool = try database()
            try pool.write { db in
                let rows = try pending.map { try row(of: $0, db) }
                size = rows.reduce(0) { $0 + $1.count }
                try Inbox.add(rows, to: db)
            }
            note(pending.count, size)
            takeInSurplus(pool)
            if !state.withLock(\.isClosed) { indexLater() }
        } catch {
            // The transaction was rolled back, and with it the new numbers.
            state.withLock { $0.numbers = [:] }
            let error = recordingError(.write, error)
            guard error.isBusy else {
                stop(error, losing: pending)
                return nil
            }
            delay(pending, error)
            return error
        }
        return nil
    }

    func row(of pending: PendingExchange, _ db: Database) throws -> [UInt8] {
        switch pending {
        case .row(let bytes): return bytes
        case .record(let record, let session):
            let names = try names(in: session, db)
            var row = try self.row(of: record, session, names)
            // An imported exchange keeps the numbers of its masks.
            try names?.numbers.reserve(row.highestMask, in: db)
            if let names, case let secrets = names.unnumbered, !secrets.isEmpty {
                try names.numbers.add(secrets, in: db)
                row = try self.row(of: record, session, names)
            }
            try row.addLargeBodies(to: bodies, db)
            state.withLock { $0.madeCount += 1 }
            return row.encode()
        }
    }

    private func row(
        of record: ExchangeRecord,
        _ session: RecordedSession.ID?,
        _ names: ExchangeSecrets?
    ) throws -> ExchangeRow {
        var mask = self.mask
        if let names { mask = mask.naming(names) }
        let limit = limits.bodySize
        do {
            return try ExchangeRow(record, in: session, mask: mask, bodyLimit: limit)
        } catch is ApusError {
            // Its body's file is gone: the rest is recorded all the same.
            return try ExchangeRow(record.withoutBodies, in: session, mask: mask, bodyLimit: limit)
        }
    }

    /// The names of an exchange's secrets; nil outside of sessions, and where none is masked.
    private func names(
        in session: RecordedSession.ID?,
        _ db: Database
    ) throws -> ExchangeSecrets? {
        guard let session, mask.isOn else { return nil }
        // Another process may have deleted it, with its numbers.
        let isThere = try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT 1 FROM session WHERE id = ?"),
            arguments: [session.number]
        )
        guard isThere == true else {
            state.withLock { $0.numbers[session] = nil }
            return nil
        }
        if let known = state.withLock({ $0.numbers[session] }) { return ExchangeSecrets(known) }
        let numbers = try SecretNumbers(of: session, keyAt: "\(path)-key", in: db)
        state.withLock { $0.numbers[session] = numbers }
        return ExchangeSecrets(numbers)
    }

    /// Notes a commit.
    private func note(_ count: Int, _ size: Int) {
        let waiting = state.withLock { state in
            state.lastCommit = .now
            state.isBusy = false
            state.recordedCount += count
            state.waitingCount += count
            state.waitingBytes += size
            return state.takeWaiting()
        }
        for caller in waiting { caller.resume() }
    }

    /// Puts exchanges back to be tried later, since another process holds the file.
    private func delay(_ pending: [PendingExchange], _ error: RecordingError) {
        let (waiting, isNew) = state.withLock { state in
            defer { state.isBusy = true }
            state.pending.insert(contentsOf: pending, at: 0)
            state.pendingBytes = state.pending.reduce(0) { $0 + $1.size }
            state.isDrainDue = true
            return (state.takeWaiting(), !state.isBusy)
        }
        for caller in waiting { caller.resume() }
        if isNew { notice(.delayed(error)) }
        commit(after: Self.busyPause)
    }

    private func stop(_ failure: RecordingError, losing lost: [PendingExchange]) {
        let waiting = state.withLock { state in
            state.failure = failure
            state.lostCount += lost.count + state.pending.count
            (state.pending, state.pendingBytes) = ([], 0)
            return state.takeWaiting()
        }
        for caller in waiting { caller.resume() }
        notice(.stopped(failure))
    }

    // MARK: the inbox

    /// Takes in the inbox when more waits than a reader should have to take in.
    private func takeInSurplus(_ pool: DatabasePool) {
        let isMuch = state.withLock {
            $0.waitingCount > limits.inbox || $0.waitingBytes > Self.inboxSize
        }
        if isMuch { takeIn() }
    }

    /// Takes in all that waits; throws if some cannot be.
    func takeInAll() async throws(RecordingError) {
        guard try reader() is DatabasePool else { return }
        if let delay = await on(writer, { [self] in takeIn() }) { throw delay }
    }

    /// Takes in what waits in the inbox; runs on `writer`.
    ///
    /// - Returns: why some still wait; nil if none do.
    @discardableResult func takeIn() -> RecordingError? {
        do {
            let pool = try database()
            guard let end = try pool.read(Inbox.last) else { return nil }
            var count = 0
            while case let taken = try takeInSome(upTo: end, pool), taken > 0 { count += taken }
            state.withLock { ($0.waitingCount, $0.waitingBytes) = (0, 0) }
            // Twice as many as came, or until nothing is beyond the limits.
            var surplus = 2 * count
            while surplus > 0, case let removed = trim(pool), removed > 0 { surplus -= removed }
            return nil
        } catch {
            let delay = recordingError(.read, error)
            // A failure was reported where it happened, and a held file is tried again.
            if failure == nil, !delay.isBusy { notice(.delayed(delay)) }
            return delay
        }
    }

    /// Takes in some rows; a damaged one is moved to a file beside the history, so that the next can follow.
    ///
    /// - Returns: how many exchanges they had; 0 if there is none.
    private func takeInSome(upTo end: Int64, _ pool: DatabasePool) throws -> Int {
        do {
            return try pool.write {
                try Inbox.takeIn(upTo: end, atOnce: Self.takenAtOnce, bodies, $0)
            }
        } catch let damage as Inbox.Damage {
            let file = "\(path).unread-\(damage.first)"
            try PrivateFiles.replace(file, with: [UInt8](damage.rows))
            try pool.write { try damage.remove(from: $0) }
            notice(.unread(path: path, to: file, count: Int(damage.count)))
            return max(1, Int(damage.count))
        }
    }

    /// Runs `body` in a transaction, after everything recorded before.
    func write<T: Sendable>(
        takingIn: Bool = true,
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(RecordingError) -> T {
        try await writing(takingIn: takingIn) { try $0.write(body) }
    }

    /// Runs `body` after everything recorded before; `takingIn` says whether it needs what waits in the
    /// inbox.
    func writing<T: Sendable>(
        takingIn: Bool = true,
        _ body: @escaping @Sendable (DatabasePool) throws -> T
    ) async throws(RecordingError) -> T {
        let result = await on(writer) { [self] () -> Result<T, RecordingError> in
            commit()
            if takingIn { takeIn() }
            do {
                return .success(try body(database()))
            } catch {
                return .failure(recordingError(.write, error))
            }
        }
        return try result.get()
    }
}

extension History.State {
    /// Whether callers of `record` must wait.
    var isFull: Bool { pendingBytes > History.pendingLimit }

    mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
        defer { waiting = [] }
        return waiting
    }
}

extension PendingExchange {
    var size: Int {
        switch self {
        case .row(let bytes): bytes.count
        case .record(let record, _): record.heldBytes
        }
    }
}

extension ExchangeRecord {
    /// Whether its bodies are in memory, and go through the inbox.
    fileprivate var isSmall: Bool {
        let body = (try? result.get())?.body
        guard case .none = request.body, case .bytes(let bytes)? = body else { return false }
        return bytes.count <= BodyStore.inboxLimit
    }

    /// The files of its bodies that have more bytes.
    fileprivate func files(above limit: Int) -> [String] {
        var paths: [String] = []
        if case .file(let path) = request.body { paths.append(path) }
        if case .success(let response) = result, case .file(let file) = response.body {
            paths.append(file.path)
        }
        return paths.filter { path in
            var status = stat()
            return stat(path, &status) == 0 && Int(status.st_size) > limit
        }
    }

    /// About how many bytes it holds in memory until it is written.
    fileprivate var heldBytes: Int {
        var count = 4096
        if case .bytes(let bytes) = request.body { count += bytes.count }
        if case .success(let response) = result, case .bytes(let bytes) = response.body {
            count += bytes.count
        }
        return count
    }

    fileprivate var withoutBodies: ExchangeRecord {
        var record = self
        if case .file = record.request.body { record.request.body = .none }
        if case .success(var response) = result, case .file = response.body {
            response.body = .bytes([])
            response.isComplete = false
            record.result = .success(response)
        }
        return record
    }
}
