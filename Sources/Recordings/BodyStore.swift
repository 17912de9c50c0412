import Apus
import FoundationEssentials
import GRDB
import Glibc

/// The bodies of a history: each once, by its digest.
struct BodyStore: Sendable {
    /// Where the bytes of a body are.
    enum Place: Int {
        case row, file, nowhere
    }

    /// A body as it is kept.
    enum Content: Sendable {
        case bytes([UInt8])
        /// Too large: its digest and size are all that is kept.
        case unkept(digest: String, size: Int)
        /// It is in `body` already, with this number, and a use of it is counted.
        case stored(Int64, size: Int)

        var size: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .unkept(_, let size), .stored(_, let size): size
            }
        }

        /// Of a request that is imported without it.
        static func missing(size: Int, of request: Apus.PreparedRequest) -> Content {
            .unkept(digest: ContentDigest.hex(of: "\(request.url) \(size)"), size: size)
        }

        /// How many bytes of it pass the inbox.
        var inboxSize: Int { size > BodyStore.inboxLimit ? 0 : size }
    }

    /// A value that no history has.
    struct Damage: Error, CustomStringConvertible {
        let description: String
    }

    /// Larger ones are files: a row of many pages is slow to pass by.
    static let rowLimit = 256 << 10
    /// Larger ones do not pass the inbox: there all would be written twice, and equal ones each time.
    static let inboxLimit = 8 << 10

    /// The folder of the files.
    let folder: String

    /// Adds a use of a body, which is put in if it is not there; its number.
    func add(_ content: Content, to db: Database) throws -> Int64 {
        switch content {
        case .bytes(let bytes):
            let digest = ContentDigest.hex(of: bytes)
            if let id = try use(digest, in: db) { return id }
            guard bytes.count > Self.rowLimit else {
                return try insert(digest, bytes.count, .row, Data(bytes), db)
            }
            try PrivateFiles.replace(try path(of: digest), with: bytes)
            return try insert(digest, bytes.count, .file, nil, db)
        case .unkept(let digest, let size):
            // One of the same content that was kept is not the one that was not.
            let digest = "-" + digest
            return try use(digest, in: db) ?? insert(digest, size, .nowhere, nil, db)
        case .stored(let id, _): return id
        }
    }

    /// Adds a body that does not go through the inbox; what stands for it there.
    func addLarge(_ content: Content, to db: Database) throws -> Content {
        content.size > Self.inboxLimit
            ? .stored(try add(content, to: db), size: content.size) : content
    }

    /// Takes back a use; a body without one goes.
    ///
    /// - Returns: its digest, if its file is to be removed once that is committed.
    func remove(_ id: Int64, from db: Database) throws -> String? {
        try db.cachedStatement(sql: "UPDATE body SET uses = uses - 1 WHERE id = ?")
            .execute(arguments: [id])
        let unused = try Row.fetchOne(
            db.cachedStatement(
                sql: "SELECT size, place, digest FROM body WHERE id = ? AND uses < 1"
            ),
            arguments: [id]
        )
        guard let unused else { return nil }
        try db.cachedStatement(sql: "DELETE FROM body WHERE id = ?").execute(arguments: [id])
        let place = Place(rawValue: try unused.decode(forColumn: "place"))
        if place != .nowhere { try count(-(try unused.decode(Int.self, forColumn: "size")), db) }
        return place == .file ? try unused.decode(forColumn: "digest") : nil
    }

    /// Removes the file of a body, unless there is a row of it again.
    func removeFile(of digest: String, unlessIn db: Database) throws {
        if try id(of: digest, in: db) == nil { unlink(try path(of: digest)) }
    }

    /// A body, and how many bytes it had; what was not kept is empty.
    func body(_ id: Int64, in db: Database) throws -> (bytes: [UInt8]?, size: Int) {
        let row = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT size, place, digest, bytes FROM body WHERE id = ?"),
            arguments: [id]
        )
        guard let row else { throw Damage(description: "a body is missing") }
        let size = try row.decode(Int.self, forColumn: "size")
        let bytes: [UInt8]
        switch Place(rawValue: try row.decode(forColumn: "place")) {
        case .row: bytes = [UInt8](try row.decode(Data?.self, forColumn: "bytes") ?? Data())
        case .file: bytes = try FileBytes.read(try path(of: try row.decode(forColumn: "digest")))
        case .nowhere: return (nil, size)
        case nil: throw Damage(description: "a body is nowhere")
        }
        guard bytes.count == size else { throw Damage(description: "a body is not whole") }
        return (bytes, size)
    }

    /// The files of no body, which a process left that ended before its commit.
    func orphans(in db: Database) throws -> [String] {
        let known = Set(
            try String.fetchAll(
                db,
                sql: "SELECT digest FROM body WHERE place = \(Place.file.rawValue)"
            ).map(path)
        )
        return PrivateFiles.names(in: folder).flatMap { part in
            PrivateFiles.names(in: "\(folder)/\(part)").map { "\(folder)/\(part)/\($0)" }
        }.filter { !known.contains($0) }
    }

    private func id(of digest: String, in db: Database) throws -> Int64? {
        try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT id FROM body WHERE digest = ?"),
            arguments: [digest]
        )
    }

    private func use(_ digest: String, in db: Database) throws -> Int64? {
        guard let id = try id(of: digest, in: db) else { return nil }
        try db.cachedStatement(sql: "UPDATE body SET uses = uses + 1 WHERE id = ?")
            .execute(arguments: [id])
        return id
    }

    private func insert(
        _ digest: String,
        _ size: Int,
        _ place: Place,
        _ bytes: Data?,
        _ db: Database
    ) throws -> Int64 {
        try db.cachedStatement(
            sql: "INSERT INTO body (digest, size, uses, place, bytes) VALUES (?, ?, 1, ?, ?)"
        ).execute(arguments: [digest, size, place.rawValue, bytes])
        let id = db.lastInsertedRowID
        if place != .nowhere { try count(size, db) }
        return id
    }

    private func count(_ bytes: Int, _ db: Database) throws {
        try db.cachedStatement(sql: "UPDATE total SET size = size + ?").execute(arguments: [bytes])
    }

    private func path(of digest: String) throws -> String {
        // It may be somebody else's file, and leads nowhere but into the folder.
        guard digest.utf8.count == 64, digest.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            throw Damage(description: "a body has no digest")
        }
        return "\(folder)/\(digest.prefix(2))/\(digest)"
    }
}
