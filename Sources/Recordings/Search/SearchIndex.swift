import Apus
import FoundationEssentials
import Glibc
import SQLite

/// A full-text index of a history, in a file beside it.
///
/// It is filled from the history in the background, and rebuilt if it is lost. SQLite's FTS5 stores, for each
/// trigram, the exchanges that contain it (`detail=none`: a sixth of the text's size). Exchanges with all
/// trigrams of a text are candidates, and are then searched themselves. Each table covers 16,384 exchange
/// numbers and a known time range, so that old exchanges are dropped as a table and few tables overlap in
/// time. Exchanges that are not indexed yet are scanned.
final class SearchIndex: Sendable {
    private static let version = 2
    private static let partSize: Int64 = 1 << 14
    /// About how many exchanges, and how many bytes of text, one transaction adds.
    private static let step = 256
    private static let stepBytes = 4 << 20

    let path: String
    private let queue: DatabaseQueue

    /// Opens the index of the history that `salt` identifies, or creates one if there is none that can be used.
    ///
    /// The caller must hold the history's lock. Throws while another process writes to the index.
    init(path: String, salt: [UInt8]) throws {
        self.path = path
        do {
            queue = try Self.open(path, salt)
        } catch let error as DatabaseError where error.isBusy {
            throw error
        } catch {
            DatabaseCheck.forget(path)
            DatabaseCheck.removeFiles(path)
            queue = try Self.open(path, salt)
        }
    }

    private static func open(_ path: String, _ salt: [UInt8]) throws -> DatabaseQueue {
        try PrivateFiles.touchFile(path)
        unlink(path + "-journal")
        var configuration = Configuration()
        configuration.label = "apus.search"
        configuration.busyTimeout = .seconds(5)
        configuration.hasLog = true
        // It can be rebuilt.
        configuration.prepare = { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { db in
            if try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0 {
                for statement in schema { try db.execute(sql: statement) }
                try db.execute(sql: "INSERT INTO state VALUES (?, 0)", arguments: [salt])
                try db.execute(sql: "PRAGMA user_version = \(version)")
            }
            guard try Int.fetchOne(db, sql: "PRAGMA user_version") == version, try hasOnlyParts(db)
            else { throw HistoryFileError.foreign("it is another index") }
            try DatabaseCheck.checkPagesOnce(of: path, db)
            guard try [UInt8].fetchOne(db, sql: "SELECT salt FROM state") == salt,
                try Bool.fetchOne(db, sql: numbersCheck) == true
            else { throw HistoryFileError.foreign("it is another index") }
        }
        return queue
    }

    private static let schema = [
        "CREATE TABLE state (salt BLOB NOT NULL, last INTEGER NOT NULL)",
        """
        CREATE TABLE part (
            number INTEGER PRIMARY KEY, earliest REAL NOT NULL, latest REAL NOT NULL)
        """,
    ]

    /// The statement that creates the table of a part.
    private static func schema(ofPart part: Int64) -> String {
        """
        CREATE VIRTUAL TABLE part_\(part)
        USING fts5(text, content='', columnsize=0, detail=none, tokenize='trigram')
        """
    }

    /// The query that checks whether all numbers are in range.
    private static let numbersCheck = """
        SELECT last BETWEEN 0 AND 1 << 62 AND NOT EXISTS (
            SELECT 1 FROM part WHERE number NOT BETWEEN 0 AND 1 << 48) FROM state
        """

    /// Whether the file has the expected tables and nothing else, such as an endless trigger.
    private static func hasOnlyParts(_ db: Database) throws -> Bool {
        let list = """
            SELECT coalesce(type, '') || ' ' || coalesce(name, '') || ' ' || coalesce(sql, '')
            FROM sqlite_schema
            """
        let found = try String.fetchAll(db, sql: list)
        // Find out which tables FTS5 makes by making one. Other parts differ only in their number.
        let (own, ofPart) = try DatabaseQueue().write { db in
            for statement in schema { try db.execute(sql: statement) }
            let own = try String.fetchAll(db, sql: list)
            try db.execute(sql: schema(ofPart: 0))
            return (own, try String.fetchAll(db, sql: list).filter { !own.contains($0) })
        }
        let parts = found.compactMap { line in
            let words = line.split(separator: " ", maxSplits: 2)
            return words.count > 1 && words[1].hasPrefix("part_")
                ? Int64(words[1].dropFirst(5)) : nil
        }
        let expected =
            own
            + parts.flatMap { part in
                ofPart.map { $0.replacing("part_0", with: "part_\(part)") }
            }
        return found.sorted() == expected.sorted()
    }

    // MARK: Filling

    /// The number of the last indexed exchange.
    func last() throws -> Int64 {
        try queue.read { try Int64.fetchOne($0, sql: "SELECT last FROM state") ?? 0 }
    }

    /// Indexes some new exchanges, as long as `isWanted` returns true.
    ///
    /// - Returns: false if there are none.
    func advance(
        _ history: DatabasePool,
        _ bodies: BodyStore,
        while isWanted: () -> Bool
    ) throws -> Bool {
        let last = try last()
        let texts = try history.read { db -> [(id: Int64, started: Double, text: String)] in
            let rows = try Row.fetchAll(
                db,
                // Exchanges after those in the inbox must wait, because numbers are indexed in order.
                sql: """
                    SELECT id, started FROM exchange
                    WHERE id > ? AND id < min(
                        coalesce((SELECT min(first) FROM inbox), 1 << 62), 1 << 62)
                    ORDER BY id LIMIT ?
                    """,
                arguments: [last, Self.step]
            )
            var texts: [(Int64, Double, String)] = []
            var size = 0
            for row in rows where size < Self.stepBytes {
                guard isWanted() else { break }
                let id = try row.decode(Int64.self, atIndex: 0)
                let text = try ExchangeText(id, bodies, db)?.whole ?? ""
                texts.append((id, try row.decode(atIndex: 1), text))
                size += text.utf8.count
            }
            return texts
        }
        guard !texts.isEmpty else { return false }
        try queue.write { db in
            // Another process may have indexed them meanwhile.
            let known = try Int64.fetchOne(db, sql: "SELECT last FROM state") ?? 0
            var end = known
            for (id, started, text) in texts where id > known {
                guard isWanted() else { break }
                try Self.insert(text, of: id, started, in: db)
                end = id
            }
            try db.execute(sql: "UPDATE state SET last = max(last, ?)", arguments: [end])
        }
        try dropOld(history)
        return true
    }

    /// Adds bodies to exchanges, whether these are indexed already or not.
    ///
    /// A table without content keeps for each trigram the exchanges that have it, so that a second text of the same
    /// exchange adds to the first.
    func add(_ bodies: [LateBody]) throws {
        try queue.write { db in
            for body in bodies {
                guard let bytes = ExchangeText.text(body.bytes) else { continue }
                let text = String(decoding: bytes, as: UTF8.self)
                try Self.insert(text, of: body.exchange, body.started, in: db)
            }
        }
    }

    private static func insert(
        _ text: String,
        of id: Int64,
        _ started: Double,
        in db: Database
    ) throws {
        let table = try table(of: id, started, in: db)
        try db.execute(
            sql: "INSERT INTO \(table) (rowid, text) VALUES (?, ?)",
            arguments: [id, text + Runs(text).marks { 4...$0 }.joined()]
        )
    }

    /// The table for an exchange that began at this time, which is created if needed.
    private static func table(of id: Int64, _ started: Double, in db: Database) throws -> String {
        let name = "part_\(id / partSize)"
        try db.execute(
            sql: """
                INSERT INTO part VALUES (?1, ?2, ?2) ON CONFLICT DO UPDATE
                SET earliest = min(earliest, ?2), latest = max(latest, ?2)
                """,
            arguments: [id / partSize, started]
        )
        let query = "SELECT 1 FROM sqlite_schema WHERE name = ?"
        guard try Int.fetchOne(db, sql: query, arguments: [name]) == nil else { return name }
        try db.execute(sql: schema(ofPart: id / partSize))
        return name
    }

    /// Drops the parts whose exchanges have all been deleted, except the newest.
    private func dropOld(_ history: DatabasePool) throws {
        for part in try parts().dropFirst() {
            let isUsed =
                try history.read { db in
                    try Bool.fetchOne(
                        db,
                        sql: "SELECT 1 FROM exchange WHERE id BETWEEN ? AND ? LIMIT 1",
                        arguments: [part * Self.partSize, (part + 1) * Self.partSize - 1]
                    )
                } ?? false
            guard !isUsed else { continue }
            try queue.write { db in
                try db.execute(sql: "DROP TABLE part_\(part)")
                try db.execute(sql: "DELETE FROM part WHERE number = ?", arguments: [part])
            }
        }
    }

    /// The parts that overlap a filter's time, newest first.
    private func parts(of filter: HistoryFilter = HistoryFilter()) throws -> [Int64] {
        try queue.read { db in
            try Int64.fetchAll(
                db,
                sql: """
                    SELECT number FROM part WHERE latest >= ? AND earliest < ? ORDER BY number DESC
                    """,
                arguments: [
                    filter.after?.timeIntervalSinceReferenceDate ?? -.infinity,
                    filter.before?.timeIntervalSinceReferenceDate ?? .infinity,
                ]
            )
        }
    }

    // MARK: Looking

    /// The exchanges that may contain all searched texts, newest first.
    struct Candidates {
        private let index: SearchIndex
        private let expression: String
        /// All exchanges before this number are indexed.
        let end: Int64
        private var parts: ArraySlice<Int64>
        private var before = Int64.max
        /// How many are looked up at once, which grows because each lookup starts again at the table's end.
        private var limit = 128

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

        /// The next candidates before a number; empty if none are left.
        mutating func next(before end: Int64) throws -> [Int64] {
            before = min(before, end)
            while let part = parts.first {
                defer { limit = min(4 * limit, Int(SearchIndex.partSize)) }
                let ids = try index.queue.read { [before, expression, limit] db in
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

    /// The ranges of numbers with all exchanges of a filter's time, newest first.
    func ranges(of filter: HistoryFilter) throws -> [Range<Int64>] {
        // Read `last` first, so that an exchange indexed meanwhile is beyond the end.
        let end = try last() + 1
        var ranges = [end..<Int64.max]
        for part in try parts(of: filter) where part * Self.partSize < end {
            let start = part * Self.partSize
            let range = start..<min(start + Self.partSize, end)
            if let next = ranges.last, next.lowerBound == range.upperBound {
                ranges[ranges.count - 1] = start..<next.upperBound
            } else {
                ranges.append(range)
            }
        }
        return ranges
    }

    /// The exchanges that may contain all texts of a filter; nil if all texts are too short for the index.
    func candidates(_ filter: HistoryFilter) throws -> Candidates? {
        let threes = Set(
            filter.indexedTexts.flatMap { Self.threes(of: $0) + Runs($0).marks { $0...$0 } }
        )
        guard !threes.isEmpty else { return nil }
        let expression = threes.sorted().map { three in
            "\"\(three.replacing("\"", with: "\"\""))\""
        }.joined(separator: " AND ")
        // Read `last` first, so that a part begun meanwhile is beyond the end.
        let end = try last() + 1
        return Candidates(self, expression, end: end, try parts(of: filter))
    }

    /// The first 24 trigrams of a text, which narrow a search down enough.
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

/// Runs of four or more equal characters.
///
/// "000" is in many exchanges and "0000000" in few, but their trigrams are equal.
private struct Runs {
    private static let longest = 8
    /// The length of the longest run of each visible ASCII character.
    private var lengths = [Int](repeating: 0, count: 128)

    init(_ text: String) {
        var (last, length) = (UInt8(0), 0)
        for byte in text.utf8 {
            // Case is ignored.
            let byte = (65...90).contains(byte) ? byte | 32 : byte
            length = byte == last ? min(length + 1, Self.longest) : 1
            last = byte
            // Spaces would mark every indented text.
            guard length > 3, (33...126).contains(byte) else { continue }
            lengths[Int(byte)] = max(lengths[Int(byte)], length)
        }
    }

    /// A trigram for each run and each of the given lengths: the run's character and two private-use ones.
    func marks(of lengths: (Int) -> ClosedRange<Int>) -> [String] {
        self.lengths.enumerated().filter { $1 > 0 }.flatMap { character, length in
            lengths(length).map { length in
                String(
                    String.UnicodeScalarView(
                        [character, 0xE000 + length, 0xE000].compactMap(Unicode.Scalar.init)
                    )
                )
            }
        }
    }
}
