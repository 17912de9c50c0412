import FoundationEssentials
import SQLite
import Synchronization

/// Reads rows of the table `entry` by key, on a separate connection.
///
/// Reading a row from the page cache takes microseconds, less than a switch to another thread. So the
/// statements are stepped directly, one reader at a time, on the calling thread.
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
            defer { statement.reset() }
            statement.bind(key.row, at: 1)
            do {
                guard try statement.step() else { return .nothing }
            } catch let error as DatabaseError where error.resultCode == .tooBig {
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
            defer { statement.reset() }
            statement.bind(primary.row, at: 1)
            var variants: [(row: Int64, found: DiskRow.Found)] = []
            while try statement.step() {
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

/// A read-only connection with its prepared statements, for one thread at a time.
final class ReadStatements {
    let find: Statement
    let variants: Statement
    var known = KnownHead()

    init(_ path: String) throws {
        var configuration = Configuration()
        configuration.isReadOnly = true
        configuration.busyTimeout = .seconds(5)
        let db = try Database(path: path, configuration: configuration)
        DiskDatabase.limitRows(db)
        find = try db.makeStatement(sql: "\(DiskRow.selection) WHERE id = ?")
        // The number of variants is limited as well, but another process may be about to exceed it.
        let most = 2 * HTTPCacheRules.variantLimit
        variants = try db.makeStatement(
            sql:
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

    private let statement: Statement

    init(_ statement: Statement) { self.statement = statement }

    var id: Int64 { statement.int64(at: 5) }

    /// Reads the row; `.nothing` if it belongs to another key than `key`.
    ///
    /// Fastest if the status and fields are those of `known`.
    func read(as key: CacheKey? = nil, known: inout KnownHead) -> Found {
        statement.withBytes(at: 0) { facts in
            guard let (facts, head) = EntryRecord.read(facts, known: key) else {
                return .corrupt(detail: RowCheck.unreadable)
            }
            if let key, facts.key != key { return .nothing }
            return statement.withBytes(at: 4) { read(facts, head, body: $0, &known) }
        }
    }

    private func read(
        _ facts: EntryRecord,
        _ head: UnsafeRawBufferPointer,
        body: UnsafeRawBufferPointer,
        _ known: inout KnownHead
    ) -> Found {
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
            content: CopyOnWriteBox(record.response),
            life: life(facts),
            lastAccess: lastAccess,
            hits: hits
        )
        return .entry(entry, file: facts.reference)
    }

    private func life(_ facts: EntryRecord) -> EntryLifetime {
        let expires = statement.isNull(at: 1) ? nil : date(1)
        return EntryLifetime(stored: facts.stored, lifetime: facts.lifetime, expires: expires)
    }

    private var lastAccess: Date { date(2) }

    private var hits: Int { PendingUses.hits(statement.int64(at: 3)) }

    private func date(_ column: Int) -> Date { PendingUses.date(statement.double(at: column)) }
}
