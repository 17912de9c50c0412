import Apus
import FoundationEssentials
import Glibc
import SQLite
import Synchronization

/// What is lost in a damaged file, and reading where nothing can be written.
extension History {
    /// Compares what an opened file has with what it had.
    ///
    /// - Returns: the notice that something is missing; nil if all is there.
    func loss(since mark: HistoryMark?, in pool: DatabasePool) throws -> Notice? {
        let last = try pool.read { try Int64.fetchOne($0, sql: "SELECT last FROM total") } ?? 0
        if let mark, mark.last <= last { return nil }
        let newest = try pool.read(Self.newestStart)
        let count = try pool.read { db in
            try Int.fetchOne(
                db,
                sql: """
                    SELECT (SELECT count(*) FROM exchange) + (SELECT coalesce(sum(count), 0) FROM inbox)
                    """
            )
        }
        let changes = HistoryHead(of: path)?.changes ?? 0
        HistoryMark.update(of: path) { known in
            // Another process may have noted more meanwhile.
            guard mark != nil || known == nil else { return nil }
            let since = mark?.since ?? now
            return HistoryMark(last: last, count: count ?? 0, since: since, changes: changes)
        }
        guard let mark else { return nil }
        let lost = min(Int(clamping: mark.last - last), max(1, mark.count))
        let since = newest ?? Date(timeIntervalSinceReferenceDate: mark.since)
        return .lost(path: path, count: lost, since: since, isAll: newest == nil)
    }

    /// When the newest exchange began; nil if there is none.
    private static func newestStart(_ db: Database) throws -> Date? {
        let waiting = try Inbox.newestStart(in: db)
        let listed = try Double.fetchOne(
            db,
            sql: "SELECT started FROM exchange ORDER BY id DESC LIMIT 1"
        )
        return (waiting ?? listed).map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    /// What a file had that is set aside, in words; nil if that is unknown.
    static func content(of mark: HistoryMark?) -> String? {
        guard let mark, mark.count > 0 else { return nil }
        let since = ExportedFacts.time(Date(timeIntervalSinceReferenceDate: mark.since))
        return mark.count == 1
            ? "it had 1 exchange, recorded since \(since)"
            : "it had \(mark.count) exchanges, recorded since \(since)"
    }

    /// Whether an error means that nothing can be written in the history's folder.
    static func isWriteProtection(_ error: any Error) -> Bool {
        if let fault = error as? PrivateFileError {
            return [EACCES, EPERM, EROFS, ENOSPC, EDQUOT].contains(fault.errno)
        }
        let code = (error as? DatabaseError)?.resultCode
        return [.readOnly, .cannotOpen, .full, .noPermission, .ioError]
            .contains(code)
    }

    /// A temporary copy with everything taken in, to read a history whose inbox cannot be taken in.
    ///
    /// It is made again when more was recorded.
    func copy(of pool: DatabasePool, upTo end: Int64) throws -> DatabaseQueue {
        try copied.withLock { copied in
            if let copied, copied.end == end { return copied.queue }
            var configuration = Configuration()
            configuration.label = "apus.history.copy"
            // In memory, because the disk that is full is often the one for temporary files, too.
            let queue = try DatabaseQueue(configuration: configuration)
            try pool.backup(to: queue)
            try queue.write { _ = try Inbox.takeIn(upTo: end, atOnce: .max, bodies, $0) }
            copied = (end, queue)
            return queue
        }
    }
}

extension HistoryFile {
    /// Opens a temporary copy of a history in a folder where nothing can be written.
    ///
    /// SQLite needs to write beside a database that has a log, even to read it.
    static func openCopy(_ path: String, _ bodies: BodyStore) throws -> DatabaseQueue {
        let folder = FileManager.default.temporaryDirectory.path
        var name = Array("\(folder)/apus-history-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { throw PrivateFileError(path: folder, errno: errno) }
        let own = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let copy = "\(own)/history.sqlite"
        defer {
            // The open connection still reads them.
            DatabaseCheck.removeFiles(copy)
            rmdir(own)
        }
        try DatabaseCheck.copyFiles(path, to: copy)
        return try openForeign(copy, bodies)
    }
}
