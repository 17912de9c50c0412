import FoundationEssentials
import GRDBSQLite

/// A body in the folder of bodies.
struct BodyReference: Sendable, Hashable {
    let digest: String
    /// Bytes of the body.
    let count: Int
    /// Whether the file has it in the form of a serializer.
    let isSealed: Bool
    /// The checksum of the file's bytes.
    let checksum: UInt64
}

/// The row that a statement stands on.
struct DiskRow {
    /// What a row was.
    enum Found: Sendable {
        /// An entry; its body is empty if it is in the file.
        case entry(StoredResponse, file: BodyReference?)
        /// An entry in the form of a serializer.
        case sealed(SealedEntry)
        /// An entry that the serializer of this name would read, or none.
        case otherForm(String?)
        case corrupt(detail: String)
        case nothing

        var isDamaged: Bool { if case .corrupt = self { true } else { false } }

        /// The primary key of an entry of HTTP caching.
        var primary: KeyName? {
            switch self {
            case .entry(let entry, _): entry.http?.primary
            case .sealed(let entry): entry.facts.origin.value.http?.primary
            case .otherForm, .corrupt, .nothing: nil
            }
        }
    }

    /// The columns that a row has here, in order.
    static let selection = "SELECT facts, expires, last_access, hits, body, id FROM entry"

    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) { self.statement = statement }

    /// The number of the row.
    var id: Int64 { sqlite3_column_int64(statement, 5) }

    /// Reads the row; of another key than `key`, which may have the same row, there is nothing.
    ///
    /// It is quickest if the answer's status and fields are `known`.
    func read(as key: CacheKey? = nil, known: inout KnownHead) -> Found {
        guard let (facts, head) = EntryFacts.read(bytes(0), known: key) else {
            return .corrupt(detail: "its facts cannot be read")
        }
        if let key, facts.key != key { return .nothing }
        let body = bytes(4)
        guard facts.file != nil || Checksum.of(body) == facts.bodyChecksum else {
            return .corrupt(detail: "its body is not what was written")
        }
        if facts.form != nil {
            return .sealed(
                SealedEntry(
                    facts: facts,
                    head: [UInt8](head),
                    body: [UInt8](body),
                    life: life(facts),
                    use: EntryUse(hits: hits, lastAccess: lastAccess)
                )
            )
        }
        guard facts.file != nil || body.count == facts.size else {
            return .corrupt(detail: "its body has \(body.count) bytes and not \(facts.size)")
        }
        guard let record = ResponseRecord(head, body: [UInt8](body), known: &known) else {
            return .corrupt(detail: "its record cannot be read")
        }
        let entry = StoredResponse(
            origin: facts.origin,
            answer: Box(record.answer),
            life: life(facts),
            lastAccess: lastAccess,
            hits: hits
        )
        return .entry(entry, file: facts.reference)
    }

    private func life(_ facts: EntryFacts) -> EntryLife {
        let expires = isNull(1) ? nil : date(1)
        return EntryLife(stored: facts.stored, lifetime: facts.lifetime, expires: expires)
    }

    private var lastAccess: Date { date(2) }

    private var hits: Int { EntryUse.hits(sqlite3_column_int64(statement, 3)) }

    private func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    private func date(_ column: Int32) -> Date {
        EntryUse.date(sqlite3_column_double(statement, column))
    }

    private func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(statement, column)
        let count = Int(sqlite3_column_bytes(statement, column))
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    }
}
