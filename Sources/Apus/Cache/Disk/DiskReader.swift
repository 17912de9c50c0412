import Dispatch
import GRDBSQLite
import Synchronization

/// Point reads of the table `entry`, on a connection of their own.
///
/// A row comes from the system's page cache in a few microseconds; GRDB's way to
/// it, with an access, a cursor and a row, takes several times that. So these
/// statements are prepared once and stepped by hand, one reader at a time, on
/// the calling thread. Many in a row share a transaction (`ReadHold`).
final class DiskReader: Sendable {
    private let statements: Mutex<ReadStatements?>

    /// Opens the file for reading; it must be there.
    init(_ path: String) throws {
        statements = try Mutex(ReadStatements(path))
    }

    /// Closes the file; whoever still reads finds nothing.
    ///
    /// It comes before the writer's end: only the last to leave, if it may write, folds the
    /// log back into the file.
    func close() { statements.withLock { $0 = nil } }

    /// Ends the read that is open for those to come, so that the log of writes can begin anew.
    ///
    /// A fault leaves it open, and shows when the next read ends it.
    func letGo() { statements.withLock { try? $0?.hold.letGo() } }

    private static let idleTime = DispatchTimeInterval.milliseconds(20)

    private func letGoSoon() {
        // Not weak: an object that ever had a weak reference counts its others more slowly.
        DispatchQueue.global(qos: .utility)
            .asyncAfter(deadline: .now() + Self.idleTime) { [self] in letGo() }
    }

    /// The entry of a key; its body is empty if it is in a file.
    func find(_ key: CacheKey) throws -> DiskRow.Found {
        try statements.withLock { statements in
            guard let statements else { return .nothing }
            if try statements.hold.willRead() { letGoSoon() }
            let statement = statements.find
            defer { sqlite3_reset(statement) }
            sqlite3_bind_int64(statement, 1, key.row)
            guard try statements.connection.step(statement) else { return .nothing }
            return DiskRow(statement).read(as: key, known: &statements.known)
        }
    }

    /// All that is kept under a primary key, bodies included but those in files, and damaged rows.
    func variants(of primary: CacheKey) throws -> [(row: Int64, found: DiskRow.Found)] {
        try statements.withLock { statements in
            guard let statements else { return [] }
            if try statements.hold.willRead() { letGoSoon() }
            let statement = statements.variants
            defer { sqlite3_reset(statement) }
            sqlite3_bind_int64(statement, 1, primary.row)
            var variants: [(row: Int64, found: DiskRow.Found)] = []
            while try statements.connection.step(statement) {
                let row = DiskRow(statement)
                let found = row.read(known: &statements.known)
                if found.isDamaged || found.primary == primary.name {
                    variants.append((row.id, found))
                }
            }
            return variants
        }
    }
}
