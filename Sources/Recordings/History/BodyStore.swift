import Apus
import FoundationEssentials
import Glibc
import SQLite

/// The bodies of a history, each stored once, by its digest.
struct BodyStore: Sendable {
    enum Place: Int {
        case row, file, nowhere
    }

    enum Content: Sendable {
        case bytes([UInt8])
        /// Too large: only its size is kept, and its digest or another text that identifies it.
        /// Also used for a body that an imported exchange lacks.
        case unkept(digest: String, size: Int)
        /// Left where its session was pulled from.
        case remote(RemoteBody)
        /// Already in the table `body` under this number, with this use counted.
        case stored(Int64, size: Int)

        var size: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .unkept(_, let size), .stored(_, let size): size
            case .remote(let body): body.size
            }
        }

        /// A body that is too large to keep, with its SHA-256.
        static func unkept(sha256 digest: String, size: Int) -> Content {
            .unkept(digest: contentMark + digest, size: size)
        }

        /// A body that an imported exchange lacks.
        static func missing(size: Int, of request: Apus.PreparedRequest) -> Content {
            .unkept(digest: ContentDigest.hex(of: "\(request.url) \(size)"), size: size)
        }

        /// The number of its bytes that go through the inbox.
        var inboxSize: Int { size > BodyStore.inboxLimit ? 0 : size }
    }

    /// The known facts of a body that is not here.
    struct Unkept {
        let size: Int
        /// Its SHA-256; nil if unknown.
        let digest: String?
        /// Where it is; nil for one that was too large to keep.
        var remote: RemoteBody?
    }

    /// The prefix of a digest of the content itself; other unkept bodies have only a name.
    private static let contentMark = "sha256:"

    /// Larger bodies are files: SQLite is slow to skip a row of many pages.
    static let rowLimit = 256 << 10
    /// Larger bodies skip the inbox: through it, they would be written twice, and equal ones every time.
    static let inboxLimit = 8 << 10

    /// The largest body that is kept, because a body is read into memory as a whole.
    static let sizeLimit = 1 << 30

    /// The files; each must have the digest that it is named after.
    let folder: DigestFolder

    /// The bodies of a history, of which the large ones are files in a folder.
    init(folder: String) { self.folder = DigestFolder(path: folder, naming: .whole) }

    /// Counts a use of a body, inserting it if it is new.
    ///
    /// - Returns: its number.
    func add(_ content: Content, to db: Database) throws -> Int64 {
        switch content {
        case .bytes(let bytes):
            let digest = ContentDigest.hex(of: bytes)
            if let id = try use(digest, in: db) { return id }
            guard bytes.count > Self.rowLimit else {
                return try insert(digest, bytes.count, .row, bytes, db)
            }
            if let foreign = try folder.makeFolders(of: digest) {
                throw HistoryFileError.damagedValue(
                    "\(foreign) is a link or belongs to another user; remove or move it"
                )
            }
            try PrivateFiles.replace(try path(of: digest), with: bytes)
            return try insert(digest, bytes.count, .file, nil, db)
        case .unkept(let digest, let size):
            // Its own key: the same content may also be stored whole.
            let digest = "-" + digest
            return try use(digest, in: db) ?? insert(digest, size, .nowhere, nil, db)
        case .remote(let body):
            // The same content may be here already, from another session.
            if let id = try use(body.digest, in: db) { return id }
            let digest = "-" + Self.contentMark + body.digest
            let location = Array(body.location.utf8)
            guard let id = try use(digest, in: db) else {
                return try insert(digest, body.size, .nowhere, location, db)
            }
            try db.execute(
                sql: "UPDATE body SET bytes = ? WHERE id = ?",
                arguments: [location, id]
            )
            return id
        case .stored(let id, _): return id
        }
    }

    /// Stores a body that skips the inbox.
    ///
    /// - Returns: the content to put into the inbox: a reference to the stored body, or a small body itself.
    func addLarge(_ content: Content, to db: Database) throws -> Content {
        content.size > Self.inboxLimit
            ? .stored(try add(content, to: db), size: content.size) : content
    }

    /// Removes one use, and deletes a body that has no more uses.
    ///
    /// - Returns: the digest of a deleted body whose file must be removed after the commit; else nil.
    func remove(_ id: Int64, from db: Database) throws -> String? {
        try db.execute(sql: "UPDATE body SET uses = uses - 1 WHERE id = ?", arguments: [id])
        let unused = try Row.fetchOne(
            db,
            sql: "SELECT size, place, digest FROM body WHERE id = ? AND uses < 1",
            arguments: [id]
        )
        guard let unused else { return nil }
        try db.execute(sql: "DELETE FROM body WHERE id = ?", arguments: [id])
        let place = Place(rawValue: try unused.decode(forColumn: "place"))
        if place != .nowhere { try count(-ClampedColumn.size(unused), db) }
        return place == .file ? try unused.decode(forColumn: "digest") : nil
    }

    /// Removes the file of a body, unless the body has been stored again.
    func removeFile(of digest: String, unlessIn db: Database) throws {
        guard try id(of: digest, in: db) == nil else { return }
        let file = try path(of: digest)
        if folder.isOwn(digest) { unlink(file) }
    }

    /// The bytes of a body; nil if it was not kept, or is damaged.
    func readable(_ id: Int64, in db: Database) throws -> [UInt8]? {
        do {
            return try body(id, in: db).bytes
        } catch let error as ApusError {
            // Having too many open files does not mean that the body is damaged.
            if case .file(_, EMFILE) = error.reason { throw error }
            return nil
        } catch HistoryFileError.damagedValue {
            return nil
        }
    }

    /// Reads a body as `body` does; of a damaged one, returns the size and what is wrong with it.
    func bodySparingDamage(
        _ id: Int64,
        in db: Database
    ) throws -> (bytes: [UInt8]?, unkept: Unkept?, fault: String?) {
        let fault: String
        do {
            let (bytes, unkept) = try body(id, in: db)
            return (bytes, unkept, nil)
        } catch let error as ApusError {
            // Having too many open files does not mean that the body is damaged.
            if case .file(_, let number) = error.reason, number == EMFILE || number == ENFILE {
                throw error
            }
            fault = error.message.description
        } catch HistoryFileError.damagedValue(let detail) {
            fault = detail
        }
        let row = try Row.fetchOne(
            db,
            sql: "SELECT size FROM body WHERE id = ?",
            arguments: [id]
        )
        return (nil, Unkept(size: try row.map(ClampedColumn.size) ?? 0, digest: nil), fault)
    }

    /// The bytes of a body, or the known facts if it was not kept.
    ///
    /// - Throws: `Damage` for a missing or changed body, `ApusError` if its file cannot be read now.
    func body(_ id: Int64, in db: Database) throws -> (bytes: [UInt8]?, unkept: Unkept?) {
        let rows = try Row.fetchCursor(
            db,
            sql: "SELECT size, place, digest, bytes FROM body WHERE id = ?",
            arguments: [id]
        )
        guard let row = try rows.next() else {
            throw HistoryFileError.damagedValue("a body is missing")
        }
        let size = try ClampedColumn.size(row)
        let bytes: [UInt8]
        switch Place(rawValue: try row.decode(atIndex: 1)) {
        case .row:
            bytes = try row.decode([UInt8]?.self, atIndex: 3) ?? []
            // SQLite does not notice a changed byte in a text.
            guard ContentDigest.hex(of: bytes) == (try row.decode(String.self, atIndex: 2)) else {
                throw HistoryFileError.damagedValue("it has changed since it was recorded")
            }
        case .file:
            let digest = try row.decode(String.self, atIndex: 2)
            let path = try path(of: digest)
            do throws(ApusError) {
                bytes = try PrivateFiles.readFile(path, upTo: min(size, Self.sizeLimit))
            } catch {
                switch error.reason {
                // Another process may have deleted it while this one reads.
                case .file(_, ENOENT): return (nil, Unkept(size: size, digest: nil))
                case .file(_, EMFILE), .file(_, ENFILE), .file(_, EACCES): throw error
                default:
                    throw HistoryFileError.damagedValue("\(path) has changed since it was recorded")
                }
            }
            guard ContentDigest.hex(of: bytes) == digest else {
                throw HistoryFileError.damagedValue("\(path) has changed since it was recorded")
            }
        case .nowhere:
            let name = try row.decode(String.self, atIndex: 2).dropFirst()
            let digest =
                name.hasPrefix(Self.contentMark) ? name.dropFirst(Self.contentMark.count) : nil
            var unkept = Unkept(size: size, digest: digest.map { String($0) })
            if let digest, let location = try row.decode([UInt8]?.self, atIndex: 3) {
                unkept.remote = RemoteBody(
                    digest: String(digest),
                    size: size,
                    location: String(decoding: location, as: UTF8.self)
                )
            }
            return (nil, unkept)
        case nil: throw HistoryFileError.damagedValue("the place of a body is invalid")
        }
        guard bytes.count == size else {
            throw HistoryFileError.damagedValue("a body is incomplete")
        }
        return (bytes, nil)
    }

    /// The files without a row, left behind by a process that ended before its commit.
    func orphans(in db: Database) throws -> [String] {
        let known = Set(
            try String.fetchAll(
                db,
                sql: "SELECT digest FROM body WHERE place = \(Place.file.rawValue)"
            ).map(path)
        )
        return files.filter { !known.contains($0) }
    }

    /// All files of bodies, including unfinished ones.
    var files: [String] { folder.files.map(\.path) }

    private func id(of digest: String, in db: Database) throws -> Int64? {
        try Int64.fetchOne(
            db,
            sql: "SELECT id FROM body WHERE digest = ?",
            arguments: [digest]
        )
    }

    private func use(_ digest: String, in db: Database) throws -> Int64? {
        guard let id = try id(of: digest, in: db) else { return nil }
        try db.execute(sql: "UPDATE body SET uses = uses + 1 WHERE id = ?", arguments: [id])
        return id
    }

    private func insert(
        _ digest: String,
        _ size: Int,
        _ place: Place,
        _ bytes: [UInt8]?,
        _ db: Database
    ) throws -> Int64 {
        try db.execute(
            sql: "INSERT INTO body (digest, size, uses, place, bytes) VALUES (?, ?, 1, ?, ?)",
            arguments: [digest, size, place.rawValue, bytes]
        )
        let id = db.lastInsertedRowID
        if place != .nowhere { try count(size, db) }
        return id
    }

    private func count(_ bytes: Int, _ db: Database) throws {
        try db.execute(
            sql: "UPDATE total SET \(ClampedColumn.adding(to: "size"))",
            arguments: [bytes]
        )
    }

    private func path(of digest: String) throws -> String {
        // The history may come from somebody else: its digests must not lead out of the folder.
        guard DigestFolder.isDigest(digest) else {
            throw HistoryFileError.damagedValue("a body has no digest")
        }
        return folder.file(digest)
    }
}
