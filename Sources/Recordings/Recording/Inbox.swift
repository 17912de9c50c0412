import Apus
import FoundationEssentials
import SQLite

/// Recorded exchanges that have not been inserted into the history's tables yet.
///
/// The tables' indices and the bodies' digests take three times as long as everything else for an exchange.
/// So a commit first writes its exchanges into one row of a table without an index, which is just as safe.
/// They are taken in, that is, moved to the tables, when recording pauses, when many are waiting, and
/// before a read.
enum Inbox {
    /// A row holds consecutive exchanges, starting with the number `first`.
    static let schema = """
        CREATE TABLE inbox (
            first INTEGER PRIMARY KEY, count INTEGER NOT NULL, rows BLOB NOT NULL)
        """

    /// The approximate size limit of a row in bytes.
    private static let rowSize = 1 << 20

    /// Adds encoded exchanges, numbered from the one after the last.
    ///
    /// - Returns: the number of the last of them; nil if there are none.
    @discardableResult static func add(_ rows: [[UInt8]], to db: Database) throws -> Int64? {
        guard !rows.isEmpty else { return nil }
        let last = try takeNumbers(rows.count, in: db)
        var number = last &- Int64(rows.count) &+ 1
        let size = rows.reduce(0) { $0 + $1.count + 4 }
        var (writer, count) = (RecordWriter(capacity: min(size, 2 * rowSize)), 0)
        func addRow() throws {
            try db.execute(
                sql: "INSERT INTO inbox VALUES (?, ?, ?)",
                arguments: [number, count, writer.bytes]
            )
            number &+= Int64(count)
            (writer, count) = (RecordWriter(), 0)
        }
        for row in rows {
            row.withUnsafeBufferPointer { writer.add($0) }
            count += 1
            if writer.bytes.count >= rowSize { try addRow() }
        }
        if count > 0 { try addRow() }
        return last
    }

    /// Takes the next unused numbers for exchanges.
    ///
    /// - Returns: the last of them.
    static func takeNumbers(_ count: Int, in db: Database) throws -> Int64 {
        let last = try Int64.fetchOne(
            db,
            sql: "UPDATE total SET last = last + ? RETURNING last",
            arguments: [count]
        )
        guard let last else { throw HistoryFileError.damagedValue("the history has no total") }
        return last
    }

    /// The number that the last row starts with; nil if the inbox is empty.
    static func last(in db: Database) throws -> Int64? {
        try Int64.fetchOne(db, sql: "SELECT max(first) FROM inbox")
    }

    /// When the last exchange that waits began, in seconds; nil if none waits, or it is damaged.
    static func newestStart(in db: Database) throws -> Double? {
        let rows = try [UInt8].fetchOne(
            db,
            sql: "SELECT rows FROM inbox ORDER BY first DESC LIMIT 1"
        )
        return rows?.withUnsafeBytes { bytes in
            var reader = RecordReader(bytes)
            var last: Double?
            while !reader.isAtEnd, let raw = try? reader.raw(),
                let row = try? WaitingRow(reading: raw)
            { last = row.started ?? last }
            return last
        }
    }

    /// Removes the exchanges of a session; those of others keep their numbers.
    ///
    /// - Returns: how many were removed.
    static func remove(_ session: Int64, _ bodies: BodyStore, from db: Database) throws -> Int {
        let places = try Int64.fetchAll(db, sql: "SELECT first FROM inbox ORDER BY first")
        return try places.reduce(0) { count, first in
            try count + remove(session, fromRow: first, bodies, db)
        }
    }

    private static func remove(
        _ session: Int64,
        fromRow first: Int64,
        _ bodies: BodyStore,
        _ db: Database
    ) throws -> Int {
        let data = try [UInt8].fetchOne(
            db,
            sql: "SELECT rows FROM inbox WHERE first = ?",
            arguments: [first]
        )
        guard let data else { return 0 }
        var kept: [(number: Int64, row: [UInt8])] = []
        var removed = 0
        try data.withUnsafeBytes { bytes in
            var reader = RecordReader(bytes)
            var number = first
            while !reader.isAtEnd {
                let raw = try reader.raw()
                let row = try WaitingRow(reading: raw)
                if row.session == session {
                    removed += 1
                    for body in row.storedBodies { _ = try bodies.remove(body, from: db) }
                } else {
                    kept.append((number, Array(raw)))
                }
                number &+= 1
            }
        }
        guard removed > 0 else { return 0 }
        try db.execute(sql: "DELETE FROM inbox WHERE first = ?", arguments: [first])
        var place = 0
        while place < kept.count {
            // A row holds consecutive exchanges.
            var (end, writer) = (place, RecordWriter())
            while end < kept.count, kept[end].number == kept[place].number + Int64(end - place) {
                kept[end].row.withUnsafeBufferPointer { writer.add($0) }
                end += 1
            }
            try db.execute(
                sql: "INSERT INTO inbox VALUES (?, ?, ?)",
                arguments: [kept[place].number, end - place, writer.bytes]
            )
            place = end
        }
        return removed
    }

    /// A damaged row, which blocks the rows after it until it is removed.
    struct DamagedRowError: Error, CustomStringConvertible {
        let first: Int64
        let count: Int64
        let rows: [UInt8]

        var description: String { "the waiting exchanges from number \(first) on are damaged" }

        /// Removes it, so that the rows after it can be taken in.
        func remove(from db: Database) throws {
            try db.execute(sql: "DELETE FROM inbox WHERE first = ?", arguments: [first])
        }
    }

    /// Moves rows up to the number `end`, with about `limit` exchanges, to the tables.
    ///
    /// - Returns: how many exchanges were moved; 0 if there is no such row.
    /// - Throws: `DamagedRowError` for a damaged row. The transaction must not be committed then.
    static func takeIn(
        upTo end: Int64,
        atOnce limit: Int,
        _ bodies: BodyStore,
        _ db: Database
    ) throws -> Int {
        var count = 0
        while count < limit, case let taken = try takeInRow(upTo: end, bodies, db), taken > 0 {
            count += taken
        }
        return count
    }

    private static func takeInRow(
        upTo end: Int64,
        _ bodies: BodyStore,
        _ db: Database
    ) throws -> Int {
        let row = try Row.fetchOne(
            db,
            sql: "SELECT first, count, rows FROM inbox WHERE first <= ? ORDER BY first LIMIT 1",
            arguments: [end]
        )
        guard let row else { return 0 }
        let first = try row.decode(Int64.self, forColumn: "first")
        let count = Int64(try row.decode(UInt32.self, forColumn: "count"))
        let rows = try row.decode([UInt8].self, forColumn: "rows")
        do {
            try rows.withUnsafeBytes { bytes in
                var reader = RecordReader(bytes)
                for number in 0..<count {
                    var row = try WaitingRow(reading: reader.raw())
                    try row.insert(as: first &+ number, bodies, into: db)
                }
            }
        } catch is RecordReader.Damage {
            throw DamagedRowError(first: first, count: count, rows: rows)
        } catch let error as DatabaseError where error.resultCode == .constraint {
            throw DamagedRowError(first: first, count: count, rows: rows)
        }
        try db.execute(sql: "DELETE FROM inbox WHERE first = ?", arguments: [first])
        return Int(count)
    }
}
