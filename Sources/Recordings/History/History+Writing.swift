import Apus
import Dispatch
import FoundationEssentials
import Glibc
import HTTPTypes
import SQLite
import Secrets
import Synchronization

/// An exchange that waits in memory to be written.
enum PendingExchange {
    /// A row of the inbox.
    case row([UInt8])
    /// An exchange whose row takes long to make, so the writer makes it.
    indirect case record(ExchangeRecord, RecordedSession.ID?)
}

extension History {
    /// How many bytes may wait in memory; above this, callers of `record` wait.
    fileprivate static let pendingLimit = 64 << 20
    /// The shortest time between two commits, since each is synced.
    private static let commitPause = Duration.milliseconds(25)
    /// How long closing waits for digests of bodies that are too large to keep.
    private static let digestPatience = Duration.seconds(2)
    /// The pause before a commit is retried when another process holds the file.
    private static let busyPause = Duration.milliseconds(100)
    /// About the largest log, in bytes, that may be left behind; the next process reads it within a millisecond.
    private static let leftLogSize = 256 << 10

    /// Records an exchange in the background, and waits only while more than 64 MiB are still to be written.
    public func record(_ exchange: ExchangeRecord, in session: RecordedSession.ID? = nil) async {
        _ = await record(exchange, in: session, wantsPath: false)
    }

    /// Records an exchange, and returns its request's path without the exchange's secrets, to be shown.
    ///
    /// Nil if it has no secrets, or only such as its own names give away.
    package func recordingPath(
        of exchange: ExchangeRecord,
        in session: RecordedSession.ID? = nil
    ) async -> String? {
        await record(exchange, in: session, wantsPath: true)
    }

    private func record(
        _ exchange: ExchangeRecord,
        in session: RecordedSession.ID?,
        wantsPath: Bool
    ) async -> String? {
        let large = exchange.files(above: limits.bodySize)
        guard large.isEmpty else {
            // Hashing a large file takes seconds, so neither the caller nor the writer waits for it.
            state.withLock { $0.digestingCount += 1 }
            digester.async { [self] in
                var exchange = exchange
                exchange.digests = digests(of: large)
                let (pending, size, _) = self.pending(exchange, session, wantsPath: false)
                _ = add(pending, size)
                state.withLock { $0.digestingCount -= 1 }
            }
            return nil
        }
        let (pending, size, path) = pending(exchange, session, wantsPath: wantsPath)
        guard add(pending, size) else { return path }
        await withCheckedContinuation { (caller: CheckedContinuation<Void, Never>) in
            let mustWait = state.withLock { state in
                guard state.isFull else { return false }
                state.waiting.append(caller)
                return true
            }
            if !mustWait { caller.resume() }
        }
        return path
    }

    /// How many exchanges are not on disk yet, and a number that grows as the writer makes progress.
    package var unwritten: (count: Int, progress: Int) {
        state.withLock {
            (
                $0.pending.count + $0.writingCount + $0.digestingCount,
                $0.madeCount + $0.recordedCount
            )
        }
    }

    /// The digests of files, by path, without files that cannot be read in time.
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
        _ session: RecordedSession.ID?,
        wantsPath: Bool
    ) -> (PendingExchange, size: Int, path: String?) {
        // The row is made here while the exchange is still in the processor's cache. If it has new secrets, the
        // writer makes it, because only the writer assigns numbers.
        let known = session.flatMap { session in state.withLock { $0.numbers[session] } }
        let names = known.map { ExchangeSecrets($0) }
        guard exchange.isSmall, session == nil || names != nil || !mask.isOn,
            var row = try? row(of: exchange, session, names)
        else {
            let path = wantsPath ? shownPath(of: exchange) : nil
            return (.record(exchange, session), exchange.heldBytes, path)
        }
        guard names?.unnumbered.isEmpty ?? true, names?.numbers.hasGiven(row.highestMask) ?? true
        else { return (.record(exchange, session), exchange.heldBytes, row.path) }
        let path = row.path
        let bytes = row.encode()
        return (.row(bytes), bytes.count, path)
    }

    /// The path of a request whose row is made later, without what its bodies name as credentials.
    ///
    /// A path without a long word can have none of these.
    private func shownPath(of exchange: ExchangeRecord) -> String? {
        let path = exchange.request.head.path ?? ""
        let words = path.utf8.split { "/?&=;#".utf8.contains($0) }
        guard words.contains(where: { $0.count >= CredentialMask.shortestElsewhere }) else {
            return nil
        }
        return try? ExchangeRow.maskedPath(of: exchange, mask, limit: limits.bodySize)
    }

    /// Adds an exchange to those waiting to be written.
    ///
    /// - Returns: whether the caller must wait, because no more may wait in memory.
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

    /// Waits until everything recorded before this call is on disk.
    ///
    /// - Throws: ``RecordingError`` if it is not on disk: recording has ended, another process holds the file,
    ///   or held it for so long that exchanges have been lost since the last call.
    public func flush() async throws(RecordingError) {
        await digester.run {}
        let delay = await writer.run { [self] in commit() }
        let lost = state.withLock { state in
            defer { state.toldLostCount = state.lostCount }
            return state.lostCount - state.toldLostCount
        }
        if let error = failure ?? (lost > 0 ? lossError(lost) : delay) { throw error }
    }

    /// The error that says how many exchanges were lost while another process used the file.
    func lossError(_ count: Int) -> RecordingError {
        let lost = count == 1 ? "1 exchange was lost" : "\(count) exchanges were lost"
        return RecordingError(
            .write,
            path: path,
            detail: "another process used it for too long; \(lost)",
            isBusy: true
        )
    }

    /// Writes all waiting exchanges and closes the file; recording again reopens it.
    public func close() async { await close(takingIn: true) }

    /// Writes all waiting exchanges and closes the file; without `takingIn`, those in the inbox are left to the
    /// next process.
    package func close(takingIn: Bool) async {
        await endDigesting()
        await writer.run { [self] in
            commitAll()
            if takingIn, failure == nil { takeIn() }
        }
        await letGo()
    }

    private func endDigesting() async {
        // After a cancellation, wait only as long as a disk may take.
        let patience = Task.isCancelled ? Self.commitPause : Self.digestPatience
        state.withLock { ($0.isClosed, $0.digestEnd) = (true, .now + patience) }
        await digester.run {}
        // Digests that were finished meanwhile have marked it as open again.
        state.withLock { ($0.isClosed, $0.digestEnd) = (true, nil) }
    }

    /// Writes all waiting exchanges in a process that is about to exit.
    ///
    /// The file stays open, as after `kill -9`. Closing it would merge the log, which needs four syncs, while
    /// writing one exchange needs one. The next process reads the log. A large log is merged.
    package func leave() async {
        let isLong = Self.size(of: "\(path)-wal") > Self.leftLogSize
        guard !isLong else { return await close(takingIn: false) }
        await endDigesting()
        await writer.run { [self] in
            commitAll()
            // Retain it forever, so that no deinit closes the file.
            _ = Unmanaged.passRetained(self)
        }
    }

    /// Writes all waiting exchanges, on `writer`, however long other processes that write take their turns before this
    /// one; a process that holds the file and writes nothing is not waited for.
    private func commitAll() {
        var before = lastWrites
        while let delay = commit() {
            let now = lastWrites
            guard now != before else { return stop(delay, losing: []) }
            before = now
        }
    }

    /// When any process last wrote to the file and to its log: seconds and nanoseconds.
    private var lastWrites: [Int] {
        ["", "-wal"].flatMap { suffix -> [Int] in
            var status = stat()
            guard lstat(path + suffix, &status) == 0 else { return [] }
            return [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        }
    }

    /// Writes the waiting exchanges to the inbox, on `writer`.
    ///
    /// - Returns: why it must be retried; nil if nothing is waiting any more.
    @discardableResult func commit() -> RecordingError? {
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
            let last = try pool.write { db in
                let rows = try pending.map { try row(of: $0, db) }
                size = rows.reduce(0) { $0 + $1.count }
                return try Inbox.add(rows, to: db)
            }
            HistoryMark.change(of: path, by: pending.count, last: last, at: now)
            note(pending.count, size)
            takeInSurplus(pool)
            if !state.withLock(\.isClosed) { indexLater() }
        } catch {
            // The rollback has undone the new numbers too.
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
            // An imported exchange keeps its mask numbers.
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
            // A body's file is gone. Record the rest.
            return try ExchangeRow(record.withoutBodies, in: session, mask: mask, bodyLimit: limit)
        }
    }

    /// The names of an exchange's secrets; nil outside sessions, and if nothing is masked.
    func names(
        in session: RecordedSession.ID?,
        _ db: Database
    ) throws -> ExchangeSecrets? {
        guard let session, mask.isOn else { return nil }
        // Another process may have deleted the session with its numbers.
        let isThere = try Bool.fetchOne(
            db,
            sql: "SELECT 1 FROM session WHERE id = ?",
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

    /// Updates the counts after a commit, and resumes waiting callers.
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

    /// Puts exchanges back to be retried later, because another process holds the file.
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

    /// Runs `body` in a transaction, after everything recorded before has been written.
    func write<T: Sendable>(
        takingIn: Bool = true,
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(RecordingError) -> T {
        try await writing(takingIn: takingIn) { try $0.write(body) }
    }

    /// Runs `body` on `writer`, after everything recorded before has been written and, with `takingIn`, taken in.
    func writing<T: Sendable>(
        takingIn: Bool = true,
        _ body: @escaping @Sendable (DatabasePool) throws -> T
    ) async throws(RecordingError) -> T {
        let result = await writer.run { [self] () -> Result<T, RecordingError> in
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
    /// Whether it has no request body, and a response body in memory that goes through the inbox.
    fileprivate var isSmall: Bool {
        let body = (try? result.get())?.body
        guard case .none = request.body, case .bytes(let bytes)? = body else { return false }
        return bytes.count <= BodyStore.inboxLimit
    }

    /// The paths of its body files that are larger than the limit.
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

    /// The approximate memory in bytes that it takes until it is written.
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
