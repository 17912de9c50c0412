import Apus
import FoundationEssentials
import Glibc
import SQLite

/// Deleting on a full disk, where what waits in the inbox cannot be taken in.
extension History {
    /// Some space in a file beside the history, which is given up for the deletion that frees more.
    private var reserve: String { "\(path)-reserve" }
    /// What a deletion writes before it has freed anything: some pages of the log, and those of the empty tables.
    private static let reserveSize = 512 << 10

    /// Sets space aside, if there is enough.
    func keepReserve() {
        guard Self.size(of: reserve) < Self.reserveSize else { return }
        let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(reserve, flags, 0o600)
        guard descriptor >= 0 else { return }
        defer { Glibc.close(descriptor) }
        if posix_fallocate(descriptor, 0, off_t(Self.reserveSize)) != 0 { unlink(reserve) }
    }

    /// - Throws: `DatabaseError` if there is not enough space to take in the inbox.
    ///
    /// Half of it would take the last space, which a deletion needs.
    func requireRoom(for pool: DatabasePool) throws {
        var disk = statvfs()
        guard statvfs(HistoryFile.folder(of: path), &disk) == 0 else { return }
        let free = UInt64(disk.f_bavail) * UInt64(disk.f_frsize)
        // Reading the sizes of all rows takes longer than this, and most disks have much room.
        guard free < UInt64(Self.roomLimit) else { return }
        let size = try pool.read { db in
            try Int.fetchOne(db, sql: "SELECT coalesce(sum(length(rows)), 0) FROM inbox") ?? 0
        }
        // The rows and their indices are written to the log, and then to the file.
        guard free < UInt64(Self.spareRoom + 4 * size) else { return }
        throw DatabaseError(resultCode: .full, message: "database or disk is full")
    }

    /// More than any inbox takes.
    private static let roomLimit = 1 << 30
    private static let spareRoom = 256 << 10

    /// Deletes a session, with the exchanges that wait in the inbox, and shrinks the files, on `writer`.
    func deleteInPlace(_ session: RecordedSession.ID, in pool: DatabasePool) throws {
        unlink(reserve)
        // What can be made again; while another process opens it, it stays.
        if let lock = try? FolderLock(waitingFor: "\(path)-lock") {
            withExtendedLifetime(lock) { DatabaseCheck.removeFiles("\(path)-search") }
        }
        try pool.writeWithoutTransaction { db in
            // Overwriting what is freed would need as much space as it has. The file is cut off below instead.
            try db.execute(sql: "PRAGMA secure_delete = OFF")
        }
        defer {
            try? pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA secure_delete = ON") }
        }
        let count = try pool.write { try Inbox.remove(session.number, bodies, from: $0) }
        if count > 0 { HistoryMark.change(of: path, by: -count, at: now) }
        _ = try delete(session, in: pool)
        try pool.write { try $0.execute(sql: "PRAGMA incremental_vacuum") }
        // If a reader holds the log, a later checkpoint empties it.
        try? pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        keepReserve()
    }
}
