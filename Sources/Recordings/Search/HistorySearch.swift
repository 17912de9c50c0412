import Apus
import Documents
import FoundationEssentials
import SQLite

extension HistoryFilter {
    /// Whether it searches for texts that are in no column.
    var hasTexts: Bool { !words.isEmpty || !bodies.isEmpty }

    /// The texts that the index can look for; an exchange must have all of them.
    var indexedTexts: [String] { words + bodies + urls + workspaces }

    /// The sources by their recorded names, where "cache" is memory and disk.
    var sourceNames: [String] {
        sources.flatMap { $0 == "cache" ? ["memory", "disk", "shared"] : [$0] }
    }

    /// Whether it limits the time.
    var hasTime: Bool { after != nil || before != nil }
}

/// One search, in one transaction.
struct HistorySearch {
    private let filter: HistoryFilter
    private let bodies: BodyStore
    private let db: Database
    private let needles: Needles

    init(filter: HistoryFilter, bodies: BodyStore, db: Database) {
        self.filter = filter
        self.bodies = bodies
        self.db = db
        needles = Needles(filter)
    }

    /// A page of matches before a number, newest first.
    ///
    /// Exchanges that are not in the index are scanned. Without an index, all are scanned.
    func page(before end: Int64?, limit: Int, index: SearchIndex?) throws -> [RecordedExchange] {
        var found: [RecordedExchange] = []
        var end = max(0, end ?? .max)
        if var candidates = try index?.candidates(filter) {
            try scan(min(candidates.end, end)..<end, into: &found, limit)
            end = min(candidates.end, end)
            while found.count < limit {
                let ids = try candidates.next(before: end)
                let start = ids.last ?? 0
                // Notes are not in the index, because they can change.
                let all = Set(ids + (try noted(in: start..<end))).sorted(by: >)
                var rest = all.makeIterator()
                try look(at: { rest.next() }, into: &found, limit)
                guard !ids.isEmpty else { break }
                end = start
            }
            return found
        }
        // Use an indexed column if there is one: a scan would read all rows even if few match.
        let column = IndexedColumn(filter)
        let values = try column?.values(in: db)
        for range in try index?.ranges(of: filter) ?? [0..<end] where found.count < limit {
            let range = range.clamped(to: 0..<end)
            if let column, let values {
                guard !values.isEmpty else { break }
                let ids = try column.ids(of: values, in: range, db)
                try look(at: { try ids.next()?.decode(atIndex: 0) }, into: &found, limit)
            } else {
                try scan(range, into: &found, limit)
            }
        }
        return found
    }

    private func noted(in range: Range<Int64>) throws -> [Int64] {
        guard !filter.words.isEmpty else { return [] }
        return try Int64.fetchAll(
            db,
            sql: "SELECT id FROM exchange WHERE note IS NOT NULL AND id >= ? AND id < ?",
            arguments: [range.lowerBound, range.upperBound]
        )
    }

    /// Adds the matches among the exchanges with these numbers.
    private func look(
        at nextID: () throws -> Int64?,
        into found: inout [RecordedExchange],
        _ limit: Int
    ) throws {
        while found.count < limit {
            var some: [Int64] = []
            while some.count < 128, let id = try nextID() { some.append(id) }
            guard !some.isEmpty else { return }
            try Task.checkCancellation()
            for row in try rows(some) where found.count < limit {
                if try needles.areIn(row, bodies, db) {
                    found.append(try ExchangeReader.exchange(row))
                }
            }
        }
    }

    /// Scans the exchanges in a range of numbers, newest first.
    private func scan(
        _ range: Range<Int64>,
        into found: inout [RecordedExchange],
        _ limit: Int
    ) throws {
        guard !range.isEmpty else { return }
        var (conditions, arguments) = Self.conditions(of: filter)
        conditions.append("id >= ? AND id < ?")
        arguments += [range.lowerBound, range.upperBound]
        var sql = "SELECT \(ExchangeReader.columns) FROM exchange WHERE "
        sql += conditions.joined(separator: " AND ") + " ORDER BY id DESC"
        if !filter.hasTexts {
            sql += " LIMIT ?"
            arguments += [limit]
        }
        let rows = try Row.fetchCursor(db, sql: sql, arguments: arguments)
        while found.count < limit, let row = try rows.next() {
            try Task.checkCancellation()
            guard try needles.areIn(row, bodies, db) else { continue }
            found.append(try ExchangeReader.exchange(row))
        }
    }

    /// The rows with these numbers that meet the conditions on columns, newest first.
    private func rows(_ ids: [Int64]) throws -> [Row] {
        var (conditions, arguments) = Self.conditions(of: filter)
        conditions.append("id IN (\(ids.map(String.init).joined(separator: ",")))")
        return try Row.fetchAll(
            db,
            sql: """
                SELECT \(ExchangeReader.columns) FROM exchange
                WHERE \(conditions.joined(separator: " AND ")) ORDER BY id DESC
                """,
            arguments: arguments
        )
    }

    // MARK: conditions

    private static func conditions(
        of filter: HistoryFilter
    ) -> (conditions: [String], arguments: StatementArguments) {
        var conditions: [String] = []
        var arguments: StatementArguments = []
        func any(of values: [String], _ condition: String) {
            guard !values.isEmpty else { return }
            conditions.append(
                "(" + values.map { _ in condition }.joined(separator: " OR ") + ")"
            )
            arguments += StatementArguments(values)
        }
        func all(of texts: [String], in column: String) {
            conditions += texts.map { _ in "\(column) LIKE ? ESCAPE '\\'" }
            arguments += StatementArguments(texts.map(pattern))
        }
        if !filter.statuses.isEmpty || filter.passesErrors {
            var choices = filter.statuses.map { _ in "status BETWEEN ? AND ?" }
            for range in filter.statuses { arguments += [range.lowerBound, range.upperBound] }
            if filter.passesErrors { choices.append("error IS NOT NULL") }
            conditions.append("(" + choices.joined(separator: " OR ") + ")")
        }
        any(of: filter.methods, "method = ?")
        any(of: filter.sourceNames, "source = ?")
        any(of: filter.sessions, "session IN (SELECT id FROM session WHERE name = ?)")
        all(of: filter.hosts, in: "host")
        all(of: filter.urls, in: "url")
        all(of: filter.targets, in: "target")
        all(of: filter.environments, in: "environment")
        all(of: filter.workspaces, in: "workspace")
        all(of: filter.notes, in: "note")
        if let after = filter.after {
            conditions.append("started >= ?")
            arguments += [after.timeIntervalSinceReferenceDate]
        }
        if let before = filter.before {
            conditions.append("started < ?")
            arguments += [before.timeIntervalSinceReferenceDate]
        }
        if let session = filter.session {
            conditions.append("session = ?")
            arguments += [session.number]
        }
        if let run = filter.run {
            conditions.append("run = ?")
            arguments += [run.number]
        }
        if filter.isMarked { conditions.append("marked") }
        // For SQLite, LIKE does not imply this, but the index of notes needs it.
        if filter.isNoted || !filter.notes.isEmpty { conditions.append("note IS NOT NULL") }
        return (conditions, arguments)
    }

    /// The LIKE pattern that matches a text anywhere.
    private static func pattern(_ text: String) -> String {
        var pattern = "%"
        for scalar in text.unicodeScalars {
            if "%_\\".unicodeScalars.contains(scalar) { pattern.unicodeScalars.append("\\") }
            pattern.unicodeScalars.append(scalar)
        }
        return pattern + "%"
    }
}

/// An indexed column with few distinct values that a filter limits.
private struct IndexedColumn {
    private let name: String
    private let isWanted: (DatabaseValue) -> Bool

    /// Chooses the column that probably leaves the fewest rows; nil if the filter limits none.
    init?(_ filter: HistoryFilter) {
        func all(of parts: [String]) -> (DatabaseValue) -> Bool {
            { value in
                guard let text = String.fromDatabaseValue(value)?.lowercased() else { return false }
                return parts.allSatisfy { text.contains($0.lowercased()) }
            }
        }
        func any(of values: [String]) -> (DatabaseValue) -> Bool {
            { value in String.fromDatabaseValue(value).map { values.contains($0) } ?? false }
        }
        if filter.passesErrors, filter.statuses.isEmpty {
            (name, isWanted) = ("error", { !$0.isNull })
        } else if !filter.statuses.isEmpty, !filter.passesErrors {
            name = "status"
            isWanted = { value in
                guard let status = Int.fromDatabaseValue(value) else { return false }
                return filter.statuses.contains { $0.contains(status) }
            }
        } else if !filter.targets.isEmpty {
            (name, isWanted) = ("target", all(of: filter.targets))
        } else if !filter.hosts.isEmpty {
            (name, isWanted) = ("host", all(of: filter.hosts))
        } else if !filter.environments.isEmpty {
            (name, isWanted) = ("environment", all(of: filter.environments))
        } else if !filter.sources.isEmpty {
            (name, isWanted) = ("source", any(of: filter.sourceNames))
        } else if !filter.methods.isEmpty {
            (name, isWanted) = ("method", any(of: filter.methods))
        } else {
            return nil
        }
    }

    /// The matching values, found with one index lookup for each distinct value.
    func values(in db: Database) throws -> [DatabaseValue] {
        let condition = name == "error" ? "error IS NOT NULL AND" : ""
        let first = "SELECT min(\(name)) FROM exchange WHERE \(condition) \(name) IS NOT NULL"
        let next = "SELECT min(\(name)) FROM exchange WHERE \(condition) \(name) > ?"
        var values: [DatabaseValue] = []
        var value = try DatabaseValue.fetchOne(db, sql: first)
        while let found = value {
            try Task.checkCancellation()
            if isWanted(found) { values.append(found) }
            value = try DatabaseValue.fetchOne(db, sql: next, arguments: [found])
        }
        return values
    }

    /// The numbers of the exchanges with one of these values, newest first.
    func ids(
        of values: [DatabaseValue],
        in range: Range<Int64>,
        _ db: Database
    ) throws -> RowCursor {
        let marks = values.map { _ in "?" }.joined(separator: ", ")
        let condition = name == "error" ? "error IS NOT NULL AND" : ""
        return try Row.fetchCursor(
            db,
            sql: """
                SELECT id FROM exchange INDEXED BY exchange_by_\(name)
                WHERE \(condition) \(name) IN (\(marks)) AND id >= ? AND id < ? ORDER BY id DESC
                """,
            arguments: StatementArguments(values) + [range.lowerBound, range.upperBound]
        )
    }
}

/// The texts to search for in the content of an exchange.
private struct Needles {
    private let words: [SearchPattern]
    private let bodies: [SearchPattern]

    init(_ filter: HistoryFilter) {
        words = filter.words.map { SearchPattern(text: $0, case: .insensitive) }
        bodies = filter.bodies.map { SearchPattern(text: $0, case: .insensitive) }
    }

    /// Whether the exchange of a row has all of them.
    func areIn(_ row: Row, _ store: BodyStore, _ db: Database) throws -> Bool {
        guard !words.isEmpty || !bodies.isEmpty else { return true }
        let id = try row.decode(Int64.self, atIndex: 0)
        guard let text = try ExchangeText(id, store, db) else { return false }
        let head = Array((text.head + "\n" + (text.note ?? "")).utf8)
        return bodies.allSatisfy { body in text.bodies.contains { body.isFound(in: $0) } }
            && words.allSatisfy { word in
                word.isFound(in: head) || text.bodies.contains { word.isFound(in: $0) }
            }
    }
}
