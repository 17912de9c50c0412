import Apus
import FoundationEssentials
import GRDB
import Glibc

/// An index of what texts a history has, in a file of its own beside it.
///
/// It is made of the history behind its back, and may be lost: then it is made anew. SQLite's FTS5 keeps,
/// for each three characters, the exchanges that have them (`detail=none`: a sixth of the text); what has
/// all threes of a word is looked into. Exchanges stand in tables of 16,384, so that those that grew old
/// go as a table. The index is behind the history while that is written: what it does not know yet is
/// looked through.
final class SearchIndex: Sendable {
    private static let version = 1
    private static let partSize: Int64 = 1 << 14
    /// How many exchanges are added at once, and after how many bytes of text no more.
    private static let step = 256
    private static let stepBytes = 4 << 20

    let path: String
    private let queue: DatabaseQueue

    /// Opens the index of a history, which tells itself by `salt`; makes one where there is none that can
    /// be used.
    init(path: String, salt: Data) throws {
        self.path = path
        do {
            queue = try Self.open(path, salt)
        } catch {
            for suffix in ["-journal", "-wal", "-shm", ""] { unlink(path + suffix) }
            queue = try Self.open(path, salt)
        }
    }

    private struct Other: Error {}

    private static func open(_ path: String, _ salt: Data) throws -> DatabaseQueue {
        try PrivateFiles.touchFile(path)
        unlink(path + "-journal")
        var configuration = Configuration()
        configuration.label = "apus.search"
        configuration.busyMode = .timeout(5)
        configuration.journalMode = .wal
        configuration.prepareDatabase { db in
            // It can be made again.
            try db.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF")
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { db in
            if try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0 {
                try db.execute(
                    sql: "CREATE TABLE state (salt BLOB NOT NULL, last INTEGER NOT NULL)"
                )
                try db.execute(sql: "INSERT INTO state VALUES (?, 0)", arguments: [salt])
                try db.execute(sql: "PRAGMA user_version = \(version)")
            }
            guard try Int.fetchOne(db, sql: "PRAGMA user_version") == version,
                try Data.fetchOne(db, sql: "SELECT salt FROM state") == salt
            else { throw Other() }
        }
        return queue
    }

    // MARK: Filling

    /// The number of the last exchange that it knows.
    func last() throws -> Int64 {
        try queue.read { try Int64.fetchOne($0, sql: "SELECT last FROM state") ?? 0 }
    }

    /// Adds some of the exchanges that it does not know yet; false if there are none.
    func advance(_ history: DatabasePool, _ bodies: BodyStore) throws -> Bool {
        let last = try last()
        let texts = try history.read { db -> [(id: Int64, text: String)] in
            let ids = try Int64.fetchAll(
                db,
                // What waits in the inbox comes in front of what was recorded later.
                sql: """
                    SELECT id FROM exchange
                    WHERE id > ? AND id < coalesce((SELECT min(first) FROM inbox), 1 << 62)
                    ORDER BY id LIMIT ?
                    """,
                arguments: [last, Self.step]
            )
            var texts: [(Int64, String)] = []
            var size = 0
            for id in ids where size < Self.stepBytes {
                guard let text = try ExchangeText(id, bodies, db)?.whole else { continue }
                texts.append((id, text))
                size += text.utf8.count
            }
            return texts
        }
        guard let end = texts.last?.id else { return false }
        try queue.write { db in
            // Another process may have been quicker.
            let known = try Int64.fetchOne(db, sql: "SELECT last FROM state") ?? 0
            for (id, text) in texts where id > known {
                let table = try Self.table(of: id, in: db)
                try db.cachedStatement(sql: "INSERT INTO \(table) (rowid, text) VALUES (?, ?)")
                    .execute(arguments: [id, text])
            }
            try db.execute(sql: "UPDATE state SET last = max(last, ?)", arguments: [end])
        }
        try dropOld(history)
        return true
    }

    private static func table(of id: Int64, in db: Database) throws -> String {
        let name = "part_\(id / partSize)"
        guard try !db.tableExists(name) else { return name }
        try db.execute(
            sql: """
                CREATE VIRTUAL TABLE \(name)
                USING fts5(text, content='', columnsize=0, detail=none, tokenize='trigram')
                """
        )
        return name
    }

    /// Drops the parts whose exchanges are all gone.
    private func dropOld(_ history: DatabasePool) throws {
        let parts = try parts().dropFirst()
        for part in parts {
            let isUsed =
                try history.read { db in
                    try Bool.fetchOne(
                        db,
                        sql: "SELECT 1 FROM exchange WHERE id BETWEEN ? AND ? LIMIT 1",
                        arguments: [part * Self.partSize, (part + 1) * Self.partSize - 1]
                    )
                } ?? false
            if !isUsed { try queue.write { try $0.execute(sql: "DROP TABLE part_\(part)") } }
        }
    }

    /// The parts, the newest first.
    private func parts() throws -> [Int64] {
        try queue.read { db in
            try String.fetchAll(
                db,
                sql: "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%'"
            )
        }.compactMap { Int64($0.dropFirst(5)) }.sorted(by: >)
    }

    // MARK: Looking

    /// The exchanges that may have all of some texts, the newest first.
    struct Candidates {
        private let index: SearchIndex
        private let expression: String
        /// The index knows all before it.
        let end: Int64
        private var parts: ArraySlice<Int64>
        private var before = Int64.max

        fileprivate init(
            _ index: SearchIndex,
            _ expression: String,
            end: Int64,
            _ parts: [Int64]
        ) {
            self.index = index
            self.expression = expression
            self.end = end
            self.parts = parts[...]
        }

        /// The next ones before a number; none are left if it is empty.
        mutating func next(_ limit: Int, before end: Int64) throws -> [Int64] {
            before = min(before, end)
            while let part = parts.first {
                let ids = try index.queue.read { [before, expression] db in
                    try Int64.fetchAll(
                        db,
                        sql: """
                            SELECT rowid FROM part_\(part) WHERE part_\(part) MATCH ? AND rowid < ?
                            ORDER BY rowid DESC LIMIT ?
                            """,
                        arguments: [expression, before, limit]
                    )
                }
                if ids.count < limit { parts = parts.dropFirst() }
                if let last = ids.last {
                    before = last
                    return ids
                }
            }
            return []
        }
    }

    /// What may have all of some texts; nil if each is too short to be looked for.
    func candidates(_ texts: [String]) throws -> Candidates? {
        let threes = Set(texts.flatMap(Self.threes))
        guard !threes.isEmpty else { return nil }
        let expression = threes.sorted().map { three in
            "\"\(three.replacing("\"", with: "\"\""))\""
        }.joined(separator: " AND ")
        // In this order: a part that is begun meanwhile is beyond the end.
        let end = try last() + 1
        return Candidates(self, expression, end: end, try parts())
    }

    /// All three characters that follow one another, but no more than make it certain.
    private static func threes(of text: String) -> [String] {
        let scalars = Array(text.unicodeScalars)
        guard scalars.count >= 3 else { return [] }
        return (0...scalars.count - 3).prefix(24).map { start in
            var three = String.UnicodeScalarView()
            three.append(contentsOf: scalars[start..<start + 3])
            return String(three)
        }
    }
}
