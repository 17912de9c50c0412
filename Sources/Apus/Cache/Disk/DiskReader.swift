import FoundationEssentials
import GRDB
import GRDBSQLite
import Synchronization

/// Reads rows of the table `entry` by key, on a separate connection.
///
/// Reading a row from the page cache takes microseconds; GRDB takes several times as long. So the statements
/// are prepared once and stepped directly, one reader at a time, on the calling thread.
final class DiskReader: Sendable {
    private let statements: Mutex<ReadStatements?>

    /// Opens the existing file for reading.
    init(_ path: String) throws {
        statements = try Mutex(ReadStatements(path))
    }

    /// Closes the file; later reads find nothing.
    ///
    /// Call it before closing the writer: the log is moved into the file only when the last connection
    /// closes, and only if that one may write.
    func close() { statements.withLock { $0 = nil } }

    /// Finds the entry of a key; its body is empty if it is in a file.
    func find(_ key: CacheKey) throws -> DiskRow.Found {
        try statements.withLock { statements in
            guard let statements else { return .nothing }
            let statement = statements.find
            defer { sqlite3_reset(statement) }
            sqlite3_bind_int64(statement, 1, key.row)
            do {
                guard try statements.connection.step(statement) else { return .nothing }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_TOOBIG {
                return .corrupt(detail: RowCheck.tooLarge)
            }
            return DiskRow(statement).read(as: key, known: &statements.known)
        }
    }

    /// All entries under a primary key, with the bodies that are in rows, and damaged rows.
    func variants(of primary: CacheKey) throws -> [(row: Int64, found: DiskRow.Found)] {
        try statements.withLock { statements in
            guard let statements else { return [] }
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

/// A read-only connection with its prepared statements.
///
/// The owner must ensure that only one thread uses it at a time.
final class ReaderConnection {
    private let handle: OpaquePointer
    private var statements: [OpaquePointer] = []

    /// Opens the existing file.
    init(_ path: String) throws {
        var handle: OpaquePointer?
        // One thread at a time, so SQLite's own mutex is not needed.
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            let error = Self.error(code, handle)
            sqlite3_close_v2(handle)
            throw error
        }
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, 5000)
        DiskDatabase.limitRows(handle)
        // The schema of a file must not call functions.
        sqlite3_exec(handle, "PRAGMA trusted_schema = OFF", nil, nil, nil)
        self.handle = handle
    }

    deinit {
        for statement in statements { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// Prepares a statement that lives as long as the connection.
    func prepared(_ sql: String) throws -> OpaquePointer {
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw Self.error(code, handle) }
        statements.append(statement)
        return statement
    }

    /// Steps a statement; returns whether there is a row.
    func step(_ statement: OpaquePointer) throws -> Bool {
        let code = sqlite3_step(statement)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw Self.error(code, handle)
        }
    }

    private static func error(_ code: Int32, _ handle: OpaquePointer?) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: handle.flatMap(sqlite3_errmsg).map { String(cString: $0) }
        )
    }
}

final class ReadStatements {
    let connection: ReaderConnection
    let find: OpaquePointer
    let variants: OpaquePointer
    var known = KnownHead()

    init(_ path: String) throws {
        connection = try ReaderConnection(path)
        find = try connection.prepared("\(DiskRow.selection) WHERE id = ?")
        // The number of variants is limited as well, but another process may be about to exceed it.
        let most = 2 * HTTPCacheRules.variantLimit
        variants = try connection.prepared(
            "\(DiskRow.selection) WHERE primary_row = ? AND \(DiskTable.isOfSize) LIMIT \(most)"
        )
    }
}

/// A reference to a body in a file.
struct BodyReference: Sendable, Hashable {
    let digest: String
    /// The size of the decoded body.
    let count: Int
    /// Whether a serializer has encoded the file.
    let isSealed: Bool
    /// The checksum of the file's bytes.
    let checksum: UInt64
}

/// The current row of a statement.
struct DiskRow {
    /// The result of reading a row.
    enum Found: Sendable {
        /// An entry; its body is empty if it is in `file`.
        case entry(StoredResponse, file: BodyReference?)
        /// An entry encoded by a serializer.
        case sealed(SealedEntry)
        /// An entry encoded by the serializer with this name, or not encoded (nil).
        case otherForm(String?)
        case corrupt(detail: String)
        case nothing

        var isDamaged: Bool { if case .corrupt = self { true } else { false } }

        /// The primary key; nil if there is none or it could not be read.
        var primary: KeyName? {
            switch self {
            case .entry(let entry, _): entry.http?.primary
            case .sealed(let entry): entry.facts.origin.value.http?.primary
            case .otherForm, .corrupt, .nothing: nil
            }
        }
    }

    /// The start of a query; the columns are read by their index here.
    static let selection = "SELECT facts, expires, last_access, hits, body, id FROM entry"

    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) { self.statement = statement }

    var id: Int64 { sqlite3_column_int64(statement, 5) }

    /// Reads the row; `.nothing` if it belongs to another key than `key`.
    ///
    /// Fastest if the status and fields are those of `known`.
    func read(as key: CacheKey? = nil, known: inout KnownHead) -> Found {
        guard let (facts, head) = EntryRecord.read(bytes(0), known: key) else {
            return .corrupt(detail: RowCheck.unreadable)
        }
        if let key, facts.key != key { return .nothing }
        let body = bytes(4)
        guard facts.file != nil || Checksum.of(body) == facts.bodyChecksum else {
            return .corrupt(detail: RowCheck.changedBody)
        }
        if facts.form != nil {
            return .sealed(
                SealedEntry(
                    facts: facts,
                    head: [UInt8](head),
                    body: [UInt8](body),
                    life: life(facts),
                    use: PendingUses(hits: hits, lastAccess: lastAccess)
                )
            )
        }
        guard facts.file != nil || body.count == facts.size else {
            return .corrupt(detail: "its body has \(body.count) bytes instead of \(facts.size)")
        }
        guard let record = ResponseRecord(head, body: [UInt8](body), known: &known) else {
            return .corrupt(detail: "its header cannot be read")
        }
        let entry = StoredResponse(
            origin: facts.origin,
            answer: CopyOnWriteBox(record.answer),
            life: life(facts),
            lastAccess: lastAccess,
            hits: hits
        )
        return .entry(entry, file: facts.reference)
    }

    private func life(_ facts: EntryRecord) -> EntryLifetime {
        let expires = isNull(1) ? nil : date(1)
        return EntryLifetime(stored: facts.stored, lifetime: facts.lifetime, expires: expires)
    }

    private var lastAccess: Date { date(2) }

    private var hits: Int { PendingUses.hits(sqlite3_column_int64(statement, 3)) }

    private func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    private func date(_ column: Int32) -> Date {
        PendingUses.date(sqlite3_column_double(statement, column))
    }

    private func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(statement, column)
        let count = Int(sqlite3_column_bytes(statement, column))
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    }
}
