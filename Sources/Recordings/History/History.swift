import Apus
import Dispatch
public import FoundationEssentials
import Glibc
import SQLite
import Secrets
import Synchronization

/// The recorded exchanges in one file, to be searched, compared and replayed.
///
/// Exchanges are written in the background, several in one transaction, and are synced to disk within some
/// hundredths of a second. Those that ``recordedCount`` counts survive a crash of the process or the machine.
/// Several processes may write and read the file at the same time.
///
/// Secrets are masked before anything is written. A full disk ends the recording, as ``failure`` reports, and
/// affects nothing else. Up to 64 MiB wait in memory to be written. Beyond that `record` waits, but if
/// another process holds the file, further exchanges are dropped and counted in ``lostCount``.
public final class History: Sendable {
    /// How much a history keeps.
    public struct Limits: Sendable, Hashable {
        /// The number of exchanges outside sessions; those in a session stay until it is deleted.
        public var exchanges: Int
        /// The total size of the bodies outside sessions, in bytes.
        public var bytes: Int
        /// The age of exchanges outside sessions.
        public var age: Duration
        /// The largest body that is kept, in bytes, at most 1 GiB; of a larger one only size and digest are kept.
        public var bodySize: Int
        /// How many exchanges may wait in the inbox during recording; a reader takes them in in half a second.
        package var inbox = 20_000

        /// Makes limits, by default 10,000 exchanges, 2 GiB, 90 days, and bodies of up to 32 MiB.
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

    /// An event in a history that no call reports by throwing.
    public enum Notice: Sendable, Hashable, CustomStringConvertible {
        /// The file was damaged. Its content was moved to `to`, and a new history was begun.
        case setAside(path: String, to: String, detail: String)
        /// `count` exchanges in the inbox were damaged, and were moved to the file `to`.
        case unread(path: String, to: String, count: Int)
        /// The file was damaged, and `count` recorded exchanges are no longer in it: all that were recorded after
        /// `since`, or, if `isAll`, all that were recorded from then on.
        case lost(path: String, count: Int, since: Date, isAll: Bool)
        /// Recording has ended, for this reason.
        case stopped(RecordingError)
        /// Recorded exchanges cannot be written or read yet, for this reason.
        case delayed(RecordingError)

        /// What happened, in a sentence for people.
        public var description: String {
            switch self {
            case .setAside(let path, let to, let detail):
                "The history \(path) is damaged (\(detail)). It was moved to \(to), and a new one was started."
            case .unread(let path, let to, let count):
                count == 1
                    ? "1 waiting exchange in the history \(path) is damaged and was moved to \(to)."
                    : "\(count) waiting exchanges in the history \(path) are damaged and were moved to \(to)."
            case .lost(let path, let count, let since, let isAll):
                """
                The history \(path) was damaged: \(count) recorded \
                \(count == 1 ? "exchange is" : "exchanges are") lost, all \
                \(isAll ? "that was recorded since" : "after") \(ExportedFacts.time(since)).
                """
            case .stopped(let error): "Recording has stopped: \(error)."
            case .delayed(let error): "Recorded exchanges are waiting to be written: \(error)."
            }
        }
    }

    /// `$XDG_DATA_HOME/apus/history.sqlite`, where `XDG_DATA_HOME` defaults to `~/.local/share`.
    public static var standardPath: String { "\(StandardFolders.data)/history.sqlite" }
    /// The history of the demo, beside the user's own.
    package static var demoPath: String { "\(StandardFolders.data)/demo.sqlite" }

    /// The path of the file.
    public let path: String
    let limits: Limits
    let bodies: BodyStore
    let mask: CredentialMask
    private let clock: @Sendable () -> Date
    private let told: @Sendable (Notice) -> Void
    // Opening, writing and syncing block the thread, so they have a queue of their own.
    let writer = DispatchQueue(label: "apus.history.writer")
    let state = Mutex(State())
    /// Hashes bodies that are too large to keep, without blocking the writer.
    let digester = DispatchQueue(label: "apus.history.digest")
    private let indexer = DispatchQueue(label: "apus.history.index", qos: .background)
    private let index = Mutex<SearchIndex?>(nil)
    private let opened = Mutex<Result<any DatabaseReader, RecordingError>?>(nil)
    /// A copy to read from, with all exchanges up to `end`, if the inbox cannot be taken in.
    let copied = Mutex<(end: Int64, queue: DatabaseQueue)?>(nil)
    /// Why nothing can be written, if the file could only be read.
    private let protection = Mutex<String?>(nil)
    /// Whether the file is only read, and somebody else may have made it.
    private let isForeign: Bool

    struct State {
        var pending: [PendingExchange] = []
        var pendingBytes = 0
        /// How many exchanges the writer has taken but not committed yet.
        var writingCount = 0
        /// How many exchanges are waiting for the digests of their large bodies.
        var digestingCount = 0
        /// How many rows the writer has made; one may take seconds.
        var madeCount = 0
        var isDrainDue = false
        /// Whether another process holds the file, so that nothing can be written now.
        var isBusy = false
        /// How many exchanges have been written to the inbox since it was last taken in.
        var waitingCount = 0
        var waitingBytes = 0
        /// Whether the inbox is taken in during recording.
        var isTakingIn = false
        /// The secrets' numbers in each session in which this object has recorded.
        var numbers: [RecordedSession.ID: SecretNumbers] = [:]
        var isIndexDue = false
        /// Whether indexing is stopped until the file is used again.
        var isClosed = false
        /// The deadline for computing digests; nil for no limit.
        var digestEnd: ContinuousClock.Instant?
        var lastCommit: ContinuousClock.Instant?
        var recordedCount = 0
        var lostCount = 0
        /// How many of the lost exchanges `flush` has already reported.
        var toldLostCount = 0
        var failure: RecordingError?
        /// The callers of `record` that wait until more may be held in memory.
        var waiting: [CheckedContinuation<Void, Never>] = []
        var noticeListeners: [@Sendable (Notice) -> Void] = []
        /// Fetches bodies that are not here; nil if nothing can.
        var fetch: (@Sendable (RemoteBody) async throws -> [UInt8])?
    }

    /// The index is filled after a time of this length with little recording.
    private static let indexPause = DispatchTimeInterval.milliseconds(500)
    /// This many exchanges in that time mean that a batch is running, which indexing would slow down.
    private static let busyCount = 100

    /// A history in a file, which is opened on first use.
    ///
    /// - Parameters:
    ///   - path: the file. If its folder is missing, it is created for this user alone.
    ///   - limits: how much is kept.
    ///   - secrets: texts to mask wherever they occur, in addition to credentials recognized by their names.
    ///   - keepsSecrets: whether secrets are written unmasked.
    ///   - clock: returns the current time.
    ///   - notice: called on any thread with each ``Notice``.
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

    /// Opens a history read-only.
    ///
    /// Somebody else may have made it, so its schema cannot run functions, and all of its pages are checked on
    /// opening.
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
        var limits = limits
        limits.bodySize = min(limits.bodySize, BodyStore.sizeLimit)
        self.limits = limits
        self.mask = mask
        bodies = BodyStore(folder: "\(path)-bodies")
        self.isForeign = isForeign
        self.clock = clock
        told = notice
    }

    /// How many exchanges this object has recorded; they are on disk and synced.
    public var recordedCount: Int { state.withLock(\.recordedCount) }

    /// How many exchanges were lost, because recording had ended, or because another process held the file
    /// while too many were waiting.
    public var lostCount: Int { state.withLock(\.lostCount) }

    /// Why recording has ended; nil while it continues.
    public var failure: RecordingError? { state.withLock(\.failure) }

    var date: Date { clock() }

    /// The time in seconds, as rows store it.
    var now: Double { date.timeIntervalSinceReferenceDate }

    /// Calls a closure, on any thread, with each later notice.
    public func onNotice(_ told: @escaping @Sendable (Notice) -> Void) {
        state.withLock { $0.noticeListeners.append(told) }
    }

    func notice(_ notice: Notice) {
        let listeners = state.withLock(\.noticeListeners)
        told(notice)
        for listener in listeners { listener(notice) }
    }
}

// MARK: - Opening

extension History {
    /// The connections for writing; throws if the history was opened read-only.
    func database() throws(RecordingError) -> DatabasePool {
        guard let pool = try reader() as? DatabasePool else {
            let reason = protection.withLock(\.self) ?? "it was opened for reading"
            throw RecordingError(.write, path: path, detail: reason)
        }
        return pool
    }

    /// Opens the file in the background, so that recording need not wait for it.
    package func openAhead() {
        writer.async { [self] in
            // The first `record` gets the same error and reports it.
            _ = try? reader()
        }
    }

    /// The connection for reading; opens the file, and creates it if needed.
    func reader() throws(RecordingError) -> any DatabaseReader {
        var told: Notice?
        let result = opened.withLock { opened in
            if let opened { return opened }
            let result = open(&told)
            // Another process holds the file. The next call tries again.
            if case .failure(let error) = result, error.isBusy { return result }
            opened = result
            return result
        }
        // Outside the lock, because a listener may use the history.
        if let told { notice(told) }
        return try result.get()
    }

    private func open(_ told: inout Notice?) -> Result<any DatabaseReader, RecordingError> {
        do {
            guard !isForeign else {
                return .success(try HistoryFile.openForeign(path, bodies))
            }
            // Whoever removes the file wants to lose what it has.
            if access(path, F_OK) != 0 { HistoryMark.remove(of: path) }
            let mark = HistoryMark.read(of: path)
            do {
                return .success(try openForWriting(hasLock: false, mark, &told))
            } catch let error
                where Self.isDamage(error) || error as? HistoryFileError == .unsettled
                || (error as? HistoryFileError)?.isForeign == true
            {}
            // Another process may be creating it or setting it aside. Holding the lock rules that out.
            let lock = try FolderLock(waitingFor: "\(path)-lock")
            defer { withExtendedLifetime(lock) {} }
            do {
                return .success(try openForWriting(hasLock: true, mark, &told))
            } catch let error where Self.isDamage(error) {
                let damaged = DamagedFile(path: path, bodies: bodies.folder.path)
                let target = try damaged.setAside(at: date)
                let pool = try openForWriting(hasLock: true, nil, &told)
                let details = [Self.detail(of: error)] + [Self.content(of: mark)].compactMap(\.self)
                told = .setAside(path: path, to: target, detail: details.joined(separator: "; "))
                return .success(pool)
            }
        } catch {
            if !isForeign, Self.isWriteProtection(error),
                let copy = try? HistoryFile.openCopy(path, bodies)
            {
                protection.withLock { $0 = Self.detail(of: error) }
                return .success(copy)
            }
            return .failure(recordingError(.open, error))
        }
    }

    /// Opens the file for writing, and reports what is missing in it.
    private func openForWriting(
        hasLock: Bool,
        _ mark: HistoryMark?,
        _ told: inout Notice?
    ) throws -> DatabasePool {
        let pool = try HistoryFile.open(path, hasLock: hasLock)
        told = try loss(since: mark, in: pool) ?? told
        keepReserve()
        return pool
    }

    /// Whether an error means that the file is damaged; a file of another program or a newer version is not.
    private static func isDamage(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.isDamage == true
            || (error as? HistoryFileError)?.isDamagedFile == true
    }

    /// Converts an error to the one that callers get.
    func recordingError(_ stage: RecordingError.Stage, _ error: any Error) -> RecordingError {
        if let error = error as? RecordingError { return error }
        let known = error as? DatabaseError
        if !isForeign, known?.resultCode == .corrupt {
            // The next process that opens it checks all pages and sets it aside.
            DatabaseCheck.forget(path)
        }
        let detail = known?.words ?? String(describing: error)
        let isBusy = known?.isBusy ?? false
        // Another process has found the file damaged and is recreating it.
        let isEmpty = known?.resultCode == .error && detail.hasPrefix("no such table")
        return RecordingError(
            stage,
            path: path,
            detail: detail,
            isBusy: isBusy || isEmpty,
            isOfRow: (error as? HistoryFileError)?.isDamagedValue == true
                || known?.resultCode == .mismatch
        )
    }

    private static func detail(of error: any Error) -> String {
        (error as? DatabaseError)?.message ?? String(describing: error)
    }

    /// Releases the file and its index, which the next use opens again.
    ///
    /// The connections close with the last reader.
    func letGo() async {
        // Also without an index: one that is being filled for the first time uses the file.
        await indexer.run { [self] in index.withLock { $0 = nil } }
        await writer.run { [self] in
            opened.withLock { $0 = nil }
            copied.withLock { $0 = nil }
            HistoryMark.settle(of: path)
        }
    }

    /// Whether the file is this user's own, and may be set aside.
    var canReopen: Bool { !isForeign }

    /// Opens the file again with the next use, because it is damaged, and so checks all of it.
    func reopen() async { await writer.run { [self] in opened.withLock { $0 = nil } } }

    // MARK: Searching

    /// The index, with everything recorded before; nil if it cannot be opened, so that a search scans all rows.
    func filledIndex() async -> SearchIndex? {
        state.withLock { $0.isClosed = false }
        return await indexer.run { [self] in fillIndex() }
    }

    /// Schedules taking in and indexing for when recording pauses.
    func indexLater() {
        let (isDue, before) = state.withLock { state in
            defer { state.isIndexDue = true }
            return (state.isIndexDue, state.recordedCount)
        }
        guard !isDue else { return }
        indexer.asyncAfter(deadline: .now() + Self.indexPause) { [weak self] in
            guard let self else { return }
            let isIdle = state.withLock { state -> Bool? in
                state.isIndexDue = false
                let isBusy = state.recordedCount - before >= Self.busyCount
                return state.isClosed ? nil : state.pending.isEmpty && !isBusy
            }
            guard let isIdle else { return }
            if isIdle { _ = fillIndex() } else { indexLater() }
        }
    }

    /// Takes in and indexes all recorded exchanges, on `indexer`.
    private func fillIndex() -> SearchIndex? {
        // Without an index, a search just takes longer.
        guard let pool = try? database() else { return nil }
        _ = writer.sync { takeIn() }
        guard let index = openedIndex() else { return nil }
        do {
            // Closing waits for this thread, which has the lowest priority, so it stops early.
            let isOpen = { [self] in !state.withLock(\.isClosed) }
            while isOpen(), try index.advance(pool, bodies, while: isOpen) {}
            return index
        } catch {
            return nil
        }
    }

    /// Indexes bodies that exchanges got after they were recorded.
    func index(_ bodies: [LateBody]) async {
        await indexer.run { [self] in
            // If this fails, only a search by the index misses them.
            try? openedIndex()?.add(bodies)
        }
    }

    /// The index as it is now; nil if it cannot be opened.
    func openedIndex() -> SearchIndex? {
        index.withLock { index in
            guard index == nil, let pool = try? database() else { return index }
            let salt = try? pool.read { try [UInt8].fetchOne($0, sql: "SELECT salt FROM total") }
            // Only one process at a time opens it, since it may remove one that cannot be used.
            guard let lock = try? FolderLock(waitingFor: "\(path)-lock") else { return nil }
            defer { withExtendedLifetime(lock) {} }
            index = try? SearchIndex(path: "\(path)-search", salt: salt ?? [])
            return index
        }
    }
}

/// Reports writes to a history's file by any process.
package final class HistoryWatch {
    private let watch: FolderWatch

    /// Starts watching; nil if the file's folder cannot be watched.
    ///
    /// - Parameters:
    ///   - path: the history's file.
    ///   - changed: called after each write, on a thread of its own, and never concurrently.
    package init?(path: String, changed: @escaping @Sendable () -> Void) {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        // Writes go to the log first. Changes of the search index do not matter, so its files are not watched.
        let names: Set<String> = [name, "\(name)-wal"]
        let folder = HistoryFile.folder(of: path)
        guard
            let watch = FolderWatch(
                folder,
                .written,
                of: { names.contains($0) },
                changed: changed
            )
        else { return nil }
        self.watch = watch
    }
}
