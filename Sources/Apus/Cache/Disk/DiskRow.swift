import FoundationEssentials
import GRDBSQLite
import Glibc

/// A body in the folder of bodies.
struct BodyReference: Sendable, Hashable {
    let digest: String
    /// Bytes of the body.
    let count: Int
    /// Whether the file has it in the form of a serializer.
    let isSealed: Bool
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

        /// The primary key of an entry of HTTP caching.
        var primary: KeyName? {
            switch self {
            case .entry(let entry, _): entry.http?.primary
            case .sealed(let entry): entry.http?.primary
            case .otherForm, .corrupt, .nothing: nil
            }
        }
    }

    /// The columns, in the order in which they stand in the table.
    static let selection = """
        SELECT digest, recipe, method, url, stored, lifetime, expires, last_access, hits, size, \
        file, http, form, record, body FROM entry
        """

    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) { self.statement = statement }

    /// Whether the row is that of a key and not of another with the same number.
    func isOf(_ key: CacheKey) -> Bool { key.name.isStored(as: bytes(0), isText: isText(0)) }

    /// The name of the row's key.
    var name: KeyName? { KeyName(bytes(0), isText: isText(0)) }

    /// Reads the row; its key is known to be `name` and to have the `recipe`, if one is given.
    func read(_ name: KeyName, recipe: String? = nil) -> Found {
        let size = Int(sqlite3_column_int64(statement, 9))
        let isSealed = !isNull(12)
        let file =
            isNull(10) ? nil : BodyReference(digest: text(10), count: size, isSealed: isSealed)
        var http: HTTPEntry?
        if !isNull(11) {
            http = HTTPEntry(bytes(11))
            guard http != nil else { return .corrupt(detail: "its request cannot be read") }
        }
        if isSealed { return .sealed(sealed(name, recipe, size, file, http)) }
        guard let record = ResponseRecord(bytes(13)) else {
            return .corrupt(detail: "its record cannot be read")
        }
        let body = bytes(14)
        guard file != nil || body.count == size else {
            return .corrupt(detail: "its body has \(body.count) bytes and not \(size)")
        }
        let entry = StoredResponse(
            key: CacheKey(name, recipe: recipe ?? text(1)),
            request: ApusError.RequestLine(method: text(2), maskedURL: text(3)),
            answer: Box(record.answer),
            body: .bytes(Self.copy(body)),
            life: life,
            lastAccess: date(7),
            hits: hits,
            http: http
        )
        return .entry(entry, file: file)
    }

    /// What a serializer has to read; not here, where others wait for the connection.
    private func sealed(
        _ name: KeyName,
        _ recipe: String?,
        _ size: Int,
        _ file: BodyReference?,
        _ http: HTTPEntry?
    ) -> SealedEntry {
        SealedEntry(
            form: text(12),
            key: CacheKey(name, recipe: recipe ?? text(1)),
            request: ApusError.RequestLine(method: text(2), maskedURL: text(3)),
            head: Self.copy(bytes(13)),
            body: Self.copy(bytes(14)),
            file: file,
            size: size,
            life: life,
            use: EntryUse(hits: hits, lastAccess: date(7)),
            http: http
        )
    }

    private var life: EntryLife {
        EntryLife(stored: date(4), lifetime: number(5), expires: number(6).map(Self.date))
    }

    private var hits: Int { Int(sqlite3_column_int64(statement, 8)) }

    private func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    private func isText(_ column: Int32) -> Bool {
        sqlite3_column_type(statement, column) == SQLITE_TEXT
    }

    private func number(_ column: Int32) -> Double? {
        isNull(column) ? nil : sqlite3_column_double(statement, column)
    }

    private func date(_ column: Int32) -> Date {
        Self.date(sqlite3_column_double(statement, column))
    }

    private static func date(_ number: Double) -> Date {
        Date(timeIntervalSinceReferenceDate: number)
    }

    private func text(_ column: Int32) -> String {
        String(decoding: bytes(column), as: UTF8.self)
    }

    /// A column's bytes, also those of text: to ask for it as text makes a copy with a zero
    /// behind it.
    private func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(statement, column)
        let count = Int(sqlite3_column_bytes(statement, column))
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    }

    private static func copy(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        // Without room the initialiser would write its count into the empty array that all share.
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return [] }
        return [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
            if let target = buffer.baseAddress { memcpy(target, source, bytes.count) }
            count = bytes.count
        }
    }
}
