import Apus
import FoundationEssentials
import GRDB
import Glibc
import HTTPTypes

/// A session's file: where it is, and its schema.
public enum SessionFile {
    /// The version of the schema, in `user_version`.
    static let version = 1

    /// The end of a session file's name.
    public static let suffix = ".apus-session"

    /// `$XDG_DATA_HOME/apus/sessions`, else `~/.local/share/apus/sessions`.
    public static var standardDirectory: String { "\(StandardFolders.data)/sessions" }

    /// The names of sessions in a folder, the newest first; none if there is no folder.
    public static func names(in directory: String = standardDirectory) -> [String] {
        PrivateFiles.names(in: directory).filter { $0.hasSuffix(suffix) }.sorted(by: >)
    }

    /// The policy whose keys replay finds exchanges by.
    ///
    /// No credential counts, for a replay has none.
    static let keyPolicy = CachePolicy.keep(
        key: .full(fields: [.accept, .acceptLanguage]),
        separatesAccounts: false
    )

    /// A name for a session that begins now.
    static func name(at now: Date, number: Int) -> String {
        let stamp = now.formatted(
            Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        )
        return number == 1 ? "\(stamp)\(suffix)" : "\(stamp)-\(number)\(suffix)"
    }

    // Bodies are kept once, by their digest, in pieces, so that neither writing
    // nor reading one has it in memory whole.
    static let schema = [
        """
        CREATE TABLE exchange (
            id INTEGER PRIMARY KEY, key TEXT NOT NULL, started REAL NOT NULL,
            duration REAL NOT NULL, attempts INTEGER NOT NULL,
            method TEXT NOT NULL, url TEXT NOT NULL,
            request BLOB NOT NULL, request_body TEXT,
            status INTEGER, response BLOB, response_body TEXT,
            size INTEGER NOT NULL, is_complete INTEGER NOT NULL, source TEXT,
            error_code INTEGER, error_text TEXT, events BLOB NOT NULL,
            target TEXT, workspace TEXT, environment TEXT)
        """,
        "CREATE INDEX exchange_by_key ON exchange (key, id)",
        """
        CREATE TABLE piece (
            digest TEXT NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL,
            PRIMARY KEY (digest, number)) WITHOUT ROWID
        """,
    ]
}

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

/// What went wrong with a session's file.
public struct RecordingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was being done.
    public enum Stage: String, Sendable, Hashable {
        /// Making or opening the file.
        case open
        /// Reading from it.
        case read
        /// Writing to it.
        case write
    }

    /// What was being done.
    public let stage: Stage
    /// The file.
    public let path: String
    /// Why it failed.
    public let detail: String

    package init(_ stage: Stage, path: String, detail: String) {
        self.stage = stage
        self.path = path
        self.detail = detail
    }

    /// What could not be done, where and why, in one line.
    public var description: String { "cannot \(stage.rawValue) the session \(path): \(detail)" }
}
