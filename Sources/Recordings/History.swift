import Apus
import Dispatch
public import FoundationEssentials
import GRDB
import Glibc
import Synchronization

/// All that was sent, in one file: kept for good, found again, compared, replayed.
///
/// Exchanges are written behind the work that makes them: some hundredths of a second later they are on
/// disk and synced, those that came meanwhile together. What ``recordedCount`` counts survives the end of
/// the process and of the machine. Several processes may write and read the file at once.
///
/// Secrets are masked before anything is written. Where the disk is full, recording ends, says so
/// (``failure``), and nothing else does.
public final class History: Sendable {
    /// How much is kept.
    public struct Limits: Sendable, Hashable {
        /// Exchanges outside of sessions; those of a named session stay until it is deleted.
        public var exchanges: Int
        /// Bytes of bodies.
        public var bytes: Int
        /// The age of exchanges outside of sessions.
        public var age: Duration
        /// Of larger bodies only the size is kept.
        public var bodySize: Int

        /// Makes limits; by default 10,000 exchanges, 2 GiB, 90 days, and bodies of up to 32 MiB.
        public init(
            exchanges: Int = 10_000,
            bytes: Int = 2 << 30,
            age: Duration = .seconds(90 * 86_400),
            bodySize: Int = 32 << 20
        ) {
            self.exchanges = exchanges
            self.bytes = bytes
            self.age = age
            self.bodySize = bodySize
        }
    }

    /// What a history says that is no failure of a call.
    public enum Notice: Sendable, Hashable, CustomStringConvertible {
        /// The file was damaged, or of something else: it stands at `to` now, and a new one was begun.
        case setAside(path: String, to: String, detail: String)
        /// Recording has ended, for this reason.
        case stopped(RecordingError)

        /// What happened, in words for people.
        public var description: String {
            switch self {
            case .setAside(let path, let to, let detail):
                "The history \(path) cannot be read (\(detail)): set aside as \(to), a new one begun."
            case .stopped(let error): "Nothing is recorded any more: \(error)."
            }
        }
    }

    /// `$XDG_DATA_HOME/apus/history.sqlite`, else below `~/.local/share`.
    public static var standardPath: String { "\(StandardFolders.data)/history.sqlite" }

    /// The file.
    public let path: String
    let limits: Limits
    let bodies: BodyStore
    private let mask: CredentialMask
    private let clock: @Sendable () -> Date
    private let notice: @Sendable (Notice) -> Void
    // Opening, writing and syncing block: they have a thread of their own.
    private let writer = DispatchQueue(label: "apus.history.writer")
    private let state = Mutex(State())
    private let indexer = DispatchQueue(label: "apus.history.index", qos: .background)
    private let index = Mutex<SearchIndex?>(nil)
    private let opened = Mutex<Result<any DatabaseReader, RecordingError>?>(nil)
    /// Whether it is only read, and somebody else may have made it.
    private let isForeign: Bool

    private struct Pending {
        let record: ExchangeRecord
        let session: RecordedSession.ID?
    }

    private struct State {
        var pending: [Pending] = []
        var pendingBytes = 0
        var isDrainDue = false
        var isIndexDue = false
        /// Whether the index is left alone until the file is used again.
        var isClosed = false
        var lastCommit: ContinuousClock.Instant?
        var writeCount = 0
        var recordedCount = 0
        var lostCount = 0
        var failure: RecordingError?
        /// Who waits for room.
        var waiting: [CheckedContinuation<Void, Never>] = []
        var listeners: [@Sendable () -> Void] = []
    }

    /// What may wait in memory to be written: more, and who records waits.
    private static let pendingLimit = 64 << 20
    /// The least time between two commits: each is synced.
    private static let commitPause = Duration.milliseconds(25)

    /// How long nothing is written before the index is filled.
    private static let indexPause = DispatchTimeInterval.milliseconds(500)

    /// A history in a file, which is opened when it is first used.
    ///
    /// - Parameters:
    ///   - path: the file; its folder is made, for its user alone.
    ///   - limits: how much is kept.
    ///   - secrets: what is masked wherever it stands, beside the credentials that are known by their
    ///     names.
    ///   - keepsSecrets: whether nothing is masked.
    ///   - clock: tells the time by which exchanges grow old.
    ///   - notice: is told what is no failure of a call, on any thread.
    public convenience init(
        path: String = History.standardPath,
        limits: Limits = Limits(),
        secrets: [String] = [],
        keepsSecrets: Bool = false,
        clock: @escaping @Sendable () -> Date = { Date() },
        notice: @escaping @Sendable (Notice) -> Void = { _ in }
    ) {
        let mask = keepsSecrets ? .nothing : CredentialMask(secrets: secrets)
        self.init(path, limits, mask, isForeign: false, clock, notice)
    }

    /// A history that is only read, which somebody else may have made: what it says of itself calls no
    /// function, and all of its pages are looked at when it is opened.
    public convenience init(reading path: String) {
        self.init(path, Limits(), .nothing, isForeign: true, { Date() }, { _ in })
    }

    private init(
        _ path: String,
        _ limits: Limits,
        _ mask: CredentialMask,
        isForeign: Bool,
        _ clock: @escaping @Sendable () -> Date,
        _ notice: @escaping @Sendable (Notice) -> Void
    ) {
        self.path = path
        self.limits = limits
        self.mask = mask
        bodies = BodyStore(folder: "\(path)-bodies")
        self.isForeign = isForeign
        self.clock = clock
        self.notice = notice
    }

    /// How often this object has written.
    var writeCount: Int { state.withLock(\.writeCount) }

    /// How many exchanges this object has recorded: they are on disk, and synced.
    public var recordedCount: Int { state.withLock(\.recordedCount) }

    /// How many exchanges were lost because recording had ended.
    public var lostCount: Int { state.withLock(\.lostCount) }

    /// Why nothing is recorded any more; nil while it is.
    public var failure: RecordingError? { state.withLock(\.failure) }

    var date: Date { clock() }

    /// The time, as rows have it.
    var now: Double { date.timeIntervalSinceReferenceDate }

    /// Calls a closure, on any thread, each time that something was written by this object.
    public func onChange(_ changed: @escaping @Sendable () -> Void) {
        state.withLock { $0.listeners.append(changed) }
    }
}

// MARK: - Writing

extension History {
    /// Records an exchange, behind the caller; it waits only where much is still to be written.
    public func record(_ exchange: ExchangeRecord, in session: RecordedSession.ID? = nil) async {
        await withCheckedContinuation { (caller: CheckedContinuation<Void, Never>) in
            let (isFull, drain) = state.withLock { state -> (Bool, Duration?) in
                guard state.failure == nil else {
                    state.lostCount += 1
                    return (false, nil)
                }
                state.pending.append(Pending(record: exchange, session: session))
                state.pendingBytes += exchange.heldBytes
                let isFull = state.pendingBytes > Self.pendingLimit
                if isFull { state.waiting.append(caller) }
                guard !state.isDrainDue else { return (isFull, nil) }
                state.isDrainDue = true
                let since = state.lastCommit.map { $0.duration(to: .now) } ?? Self.commitPause
                return (isFull, max(.zero, Self.commitPause - since))
            }
            if !isFull { caller.resume() }
            guard let drain else { return }
            let nanoseconds = Int(drain / .nanoseconds(1))
            writer.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [self] in commit() }
        }
    }

    /// Waits until all that was recorded before is on disk.
    ///
    /// - Throws: ``RecordingError`` if it is not.
    public func flush() async throws(RecordingError) {
        await withCheckedContinuation { (caller: CheckedContinuation<Void, Never>) in
            writer.async { [self] in
                commit()
                caller.resume()
            }
        }
        if let failure { throw failure }
    }

    /// Writes what waits, and closes the file; what is recorded later opens it again.
    public func close() async {
        // What failed is told by `failure`.
        try? await flush()
        state.withLock { $0.isClosed = true }
        // The connections close when the last who reads lets go of them: to close them under a reader
        // would end the process.
        await withCheckedContinuation { (caller: CheckedContinuation<Void, Never>) in
            indexer.async { [self] in
                index.withLock { $0 = nil }
                caller.resume()
            }
        }
        await withCheckedContinuation { (caller: CheckedContinuation<Void, Never>) in
            writer.async { [self] in
                opened.withLock { $0 = nil }
                caller.resume()
            }
        }
    }

    /// Runs on `writer`.
    private func commit() {
        let (pending, waiting) = state.withLock { state in
            defer {
                (state.pending, state.pendingBytes, state.isDrainDue) = ([], 0, false)
                state.waiting = []
            }
            return (state.pending, state.waiting)
        }
        guard !pending.isEmpty else { return }
        defer { for caller in waiting { caller.resume() } }
        do {
            let pool = try database()
            try pool.write { db in
                for exchange in pending {
                    try row(of: exchange.record).insert(in: exchange.session, bodies, into: db)
                }
            }
            state.withLock { state in
                state.lastCommit = .now
                state.recordedCount += pending.count
            }
            tellChange()
            trim(pool)
            indexLater()
        } catch {
            stop(error, losing: pending.count)
        }
    }

    private func row(of record: ExchangeRecord) throws -> ExchangeRow {
        do {
            return try ExchangeRow(record, mask: mask, bodyLimit: limits.bodySize)
        } catch is ApusError {
            // Its body's file is gone: the rest is recorded all the same.
            return try ExchangeRow(
                record.withoutBodies,
                mask: mask,
                bodyLimit: limits.bodySize
            )
        }
    }

    private func tellChange() {
        let listeners = state.withLock { state in
            state.writeCount += 1
            return state.listeners
        }
        for listener in listeners { listener() }
    }

    private func stop(_ error: any Error, losing count: Int) {
        let failure = writeError(error)
        let waiting = state.withLock { state in
            defer { (state.pending, state.pendingBytes, state.waiting) = ([], 0, []) }
            state.failure = failure
            state.lostCount += count + state.pending.count
            return state.waiting
        }
        for caller in waiting { caller.resume() }
        notice(.stopped(failure))
    }

    private func writeError(_ error: any Error) -> RecordingError {
        error as? RecordingError
            ?? RecordingError(.write, path: path, detail: Self.detail(of: error))
    }

    /// Does something in a transaction of its own, after what was recorded before.
    func write<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(RecordingError) -> T {
        try await writing { try $0.write(body) }
    }

    /// Does something with the file, after what was recorded before; `isChange` says whether that is told.
    func writing<T: Sendable>(
        isChange: Bool = true,
        _ body: @escaping @Sendable (DatabasePool) throws -> T
    ) async throws(RecordingError) -> T {
        let result = await withCheckedContinuation {
            (caller: CheckedContinuation<Result<T, RecordingError>, Never>) in
            writer.async { [self] in
                commit()
                let result: Result<T, RecordingError>
                do {
                    result = .success(try body(database()))
                    if isChange { tellChange() }
                } catch {
                    result = .failure(writeError(error))
                }
                caller.resume(returning: result)
            }
        }
        return try result.get()
    }

    // MARK: Opening

    /// What writes.
    private func database() throws(RecordingError) -> DatabasePool {
        guard let pool = try reader() as? DatabasePool else {
            throw RecordingError(.write, path: path, detail: "it was opened for reading")
        }
        return pool
    }

    /// What reads; the file is opened, and made, if that was not done.
    func reader() throws(RecordingError) -> any DatabaseReader {
        let result = opened.withLock { opened in
            if let opened { return opened }
            let result = open()
            opened = result
            return result
        }
        return try result.get()
    }

    private func open() -> Result<any DatabaseReader, RecordingError> {
        do {
            do {
                return .success(
                    isForeign ? try HistoryFile.openForeign(path) : try HistoryFile.open(path)
                )
            } catch {
                guard !isForeign, Self.isDamage(error) else { throw error }
                let target = try setAside()
                let pool = try HistoryFile.open(path)
                notice(.setAside(path: path, to: target, detail: Self.detail(of: error)))
                return .success(pool)
            }
        } catch {
            return .failure(RecordingError(.open, path: path, detail: Self.detail(of: error)))
        }
    }

    private static func isDamage(_ error: any Error) -> Bool {
        switch error {
        case is HistoryFile.Unknown: true
        case let error as DatabaseError:
            [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
        default: false
        }
    }

    private func setAside() throws -> String {
        let stamp = clock().formatted(
            Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        )
        let target = "\(path).damaged-\(stamp)"
        for suffix in ["-wal", "-shm", ""] {
            guard rename(path + suffix, target + suffix) == 0 || errno == ENOENT else {
                throw PrivateFiles.Fault(path: path, errno: errno)
            }
        }
        rename(bodies.folder, "\(target)-bodies")
        return target
    }

    static func detail(of error: any Error) -> String {
        guard let error = error as? DatabaseError else { return String(describing: error) }
        return error.message ?? "\(error.resultCode)"
    }

    // MARK: Searching

    /// The index, filled with all that was recorded before; nil if there can be none, and then all is
    /// looked through.
    func filledIndex() async -> SearchIndex? {
        await withCheckedContinuation { (caller: CheckedContinuation<SearchIndex?, Never>) in
            state.withLock { $0.isClosed = false }
            indexer.async { [self] in caller.resume(returning: fillIndex()) }
        }
    }

    /// Fills the index when there has been nothing to write for a moment.
    private func indexLater() {
        let isDue = state.withLock { state in
            defer { (state.isIndexDue, state.isClosed) = (true, false) }
            return state.isIndexDue
        }
        guard !isDue else { return }
        indexer.asyncAfter(deadline: .now() + Self.indexPause) { [weak self] in
            guard let self else { return }
            let isIdle = state.withLock { state -> Bool? in
                state.isIndexDue = false
                return state.isClosed ? nil : state.pending.isEmpty
            }
            guard let isIdle else { return }
            if isIdle { _ = fillIndex() } else { indexLater() }
        }
    }

    /// Runs on `indexer`.
    private func fillIndex() -> SearchIndex? {
        do {
            let pool = try database()
            let index = try index.withLock { index in
                if let index { return index }
                let salt = try pool.read { try Data.fetchOne($0, sql: "SELECT salt FROM total") }
                let opened = try SearchIndex(path: "\(path)-search", salt: salt ?? Data())
                index = opened
                return opened
            }
            while !state.withLock(\.isClosed), try index.advance(pool, bodies) {}
            return index
        } catch {
            // A search without it takes longer.
            return nil
        }
    }
}

extension ExchangeRecord {
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
