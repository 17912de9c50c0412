import Apus
import FoundationEssentials
import GRDB
import Glibc

/// Bodies in the table `piece`.
enum BodyPieces {
    /// 1 MiB: large enough for speed, small enough for memory.
    private static let size = 1 << 20

    /// Puts a request's body in; its digest, or nil if it has none.
    static func insert(_ body: Apus.PreparedRequest.Body, into db: Database) throws -> String? {
        switch body {
        case .none: nil
        case .bytes(let bytes): try insert(bytes, into: db)
        case .file(let path): try insertFile(path, into: db)
        case .multipart(let form): try insert(form.outline, into: db)
        }
    }

    /// Puts an answer's body in; its digest.
    static func insert(_ body: ResponseBody, into db: Database) throws -> String {
        switch body {
        case .bytes(let bytes): try insert(bytes, into: db)
        case .file(let file): try insertFile(file.path, into: db)
        }
    }

    /// How many bytes the pieces of a body have.
    static func size(of digest: String, in db: Database) throws -> Int {
        try Int.fetchOne(
            db,
            sql: "SELECT coalesce(sum(length(bytes)), 0) FROM piece WHERE digest = ?",
            arguments: [digest]
        ) ?? 0
    }

    /// Gives the pieces of a body in order to `each`.
    static func forEach(
        of digest: String,
        in db: Database,
        _ each: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: "SELECT bytes FROM piece WHERE digest = ? ORDER BY number",
            arguments: [digest]
        )
        while let row = try rows.next() {
            try row.withUnsafeData(atIndex: 0) { data in
                if let data { try data.withUnsafeBytes(each) }
            }
        }
    }

    private static func insert(_ bytes: [UInt8], into db: Database) throws -> String {
        let digest = ContentDigest.hex(of: bytes)
        guard try !isKnown(digest, in: db) else { return digest }
        var number = 0
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = Data(bytes[start..<min(bytes.count, start + size)])
            try insert(piece, number, of: digest, into: db)
            number += 1
        }
        return digest
    }

    private static func insertFile(_ path: String, into db: Database) throws -> String {
        guard let (digest, _) = ContentDigest.hex(ofFile: path) else {
            throw PrivateFiles.Fault(path: path, errno: errno)
        }
        guard try !isKnown(digest, in: db) else { return digest }
        var number = 0
        try FilePieces.forEach(ofFile: path) { piece in
            try insert(Data(piece), number, of: digest, into: db)
            number += 1
        }
        return digest
    }

    private static func insert(
        _ piece: Data,
        _ number: Int,
        of digest: String,
        into db: Database
    ) throws {
        let statement = try db.cachedStatement(sql: "INSERT INTO piece VALUES (?, ?, ?)")
        try statement.execute(arguments: [digest, number, piece])
    }

    private static func isKnown(_ digest: String, in db: Database) throws -> Bool {
        try Int.fetchOne(
            db,
            sql: "SELECT 1 FROM piece WHERE digest = ? LIMIT 1",
            arguments: [digest]
        ) != nil
    }
}
