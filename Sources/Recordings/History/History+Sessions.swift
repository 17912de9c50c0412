import Apus
import SQLite
import Synchronization

extension History {
    /// Begins a session; its exchanges are kept until the session is deleted.
    public func beginSession(named name: String) async throws(RecordingError) -> RecordedSession.ID
    {
        let now = now
        return try await write(takingIn: false) { db in
            try Self.insertSession(named: name, at: now, db)
        }
    }

    static func insertSession(
        named name: String,
        at now: Double,
        _ db: Database
    ) throws -> RecordedSession.ID {
        try db.execute(
            sql: "INSERT INTO session (id, name, started) VALUES (\(newNumber("session")), ?, ?)",
            arguments: [name, now]
        )
        return .init(db.lastInsertedRowID)
    }

    // SQL for a number that was never used before, since masks and waiting exchanges refer to it. It is above
    // all existing numbers and above `total.last`, which `retire` raises to deleted numbers. Numbers at the limit
    // or above, which only a crafted file has, are ignored: nothing could follow them.
    private static func newNumber(_ table: String) -> String {
        """
        (SELECT max(last, (
            SELECT coalesce(max(id), 0) FROM \(table) WHERE id < \(HistoryFile.numberLimit))) + 1
        FROM total)
        """
    }

    /// Keeps the number of a deleted session or run from being used again.
    static func retire(_ number: Int64, _ db: Database) throws {
        guard number < HistoryFile.numberLimit else { return }
        try db.execute(sql: "UPDATE total SET last = max(last, ?)", arguments: [number])
    }

    /// The newest session with a name, or a new one if there is none.
    public func session(named name: String) async throws(RecordingError) -> RecordedSession.ID {
        let now = now
        return try await write(takingIn: false) { db in
            let known = try Int64.fetchOne(
                db,
                sql: "SELECT id FROM session WHERE name = ? ORDER BY id DESC LIMIT 1",
                arguments: [name]
            )
            return try known.map { .init($0) } ?? Self.insertSession(named: name, at: now, db)
        }
    }

    /// Ends a session; exchanges can still be recorded in it afterwards.
    public func end(_ session: RecordedSession.ID) async throws(RecordingError) {
        let now = now
        try await write(takingIn: false) { db in
            try db.execute(
                sql: "UPDATE session SET ended = ? WHERE id = ?",
                arguments: [now, session.number]
            )
        }
    }

    /// Deletes a session and its exchanges.
    public func delete(_ session: RecordedSession.ID) async throws(RecordingError) {
        // Exchanges left in the inbox would not be deleted, and would end up in no session.
        let delay = try reader() is DatabasePool ? await writer.run { [self] in takeIn() } : nil
        if let delay, delay.isBusy { throw delay }
        try await writing(takingIn: false) { [self] pool in
            if delay == nil {
                _ = try delete(session, in: pool)
            } else {
                try deleteInPlace(session, in: pool)
            }
        }
    }

    /// Deletes a session, on `writer`, and returns the number of its exchanges.
    func delete(
        _ session: RecordedSession.ID,
        in pool: DatabasePool
    ) throws -> Int {
        state.withLock { $0.numbers[session] = nil }
        return try delete(in: pool) { db in
            try db.execute(sql: "DELETE FROM session WHERE id = ?", arguments: [session.number])
            if db.changesCount > 0 { try Self.retire(session.number, db) }
            // Runs are deleted with their exchanges. One that is still running no longer belongs to a session.
            try db.execute(
                sql: "UPDATE run SET ended = ? WHERE session = ? AND ended IS NULL",
                arguments: [now, session.number]
            )
            try db.execute(sql: "DELETE FROM mask WHERE session = ?", arguments: [session.number])
            return try Int64.fetchAll(
                db,
                sql: "SELECT id FROM exchange WHERE session = ?",
                arguments: [session.number]
            )
        }
    }

    /// Deletes exchanges, and ignores numbers that do not exist.
    ///
    /// - Returns: how many exchanges were deleted.
    @discardableResult public func delete(
        _ exchanges: [RecordedExchange.ID]
    ) async throws(RecordingError) -> Int {
        try await writing { [self] pool in
            try delete(in: pool) { db in
                try Set(exchanges).sorted().filter { id in
                    try Bool.fetchOne(
                        db,
                        sql: "SELECT 1 FROM exchange WHERE id = ?",
                        arguments: [id]
                    ) ?? false
                }
            }
        }
    }

    /// Begins a batch, chain or watch, which its exchanges name in their ``ExchangeOrigin/run``.
    public func beginRun(
        _ kind: RecordedRun.Kind,
        named name: String,
        environment: String? = nil,
        total: Int? = nil,
        in session: RecordedSession.ID? = nil
    ) async throws(RecordingError) -> RecordedRun.ID {
        let now = now
        return try await write(takingIn: false) { db in
            try Self.insertRun(kind, named: name, environment, total, in: session, at: now, db)
        }
    }

    static func insertRun(
        _ kind: RecordedRun.Kind,
        named name: String,
        _ environment: String?,
        _ total: Int?,
        in session: RecordedSession.ID?,
        at now: Double,
        _ db: Database
    ) throws -> RecordedRun.ID {
        try db.execute(
            sql: """
                INSERT INTO run (id, session, kind, name, environment, started, total, count,
                    failed, size)
                VALUES (\(newNumber("run")), ?, ?, ?, ?, ?, ?, 0, 0, 0)
                """,
            arguments: [session?.number, kind.rawValue, name, environment, now, total]
        )
        return .init(db.lastInsertedRowID)
    }

    /// Ends a batch, chain or watch.
    ///
    /// - Parameters:
    ///   - run: The run.
    ///   - failedCount: How many of its requests are not as expected, if that is known; nil for what their statuses say.
    /// - Throws: `RecordingError` if the history cannot be written.
    public func end(
        _ run: RecordedRun.ID,
        failedCount: Int? = nil
    ) async throws(RecordingError) {
        let now = now
        // Taken in first, because each exchange that is taken in adds what its status says.
        try await write(takingIn: failedCount != nil) { db in
            try db.execute(
                sql: "UPDATE run SET ended = ?, failed = ifnull(?, failed) WHERE id = ?",
                arguments: [now, failedCount, run.number]
            )
        }
    }

    /// Marks an exchange, or removes its mark.
    public func mark(
        _ exchange: RecordedExchange.ID,
        _ isMarked: Bool
    ) async throws(RecordingError) {
        try await write { db in
            try db.execute(
                sql: "UPDATE exchange SET marked = ? WHERE id = ?",
                arguments: [isMarked, exchange]
            )
        }
    }

    /// Sets the note on an exchange; nil removes it.
    ///
    /// - Returns: whether there is such an exchange.
    @discardableResult public func note(
        _ note: String?,
        on exchange: RecordedExchange.ID
    ) async throws(RecordingError) -> Bool {
        try await write { db in
            try db.execute(
                sql: "UPDATE exchange SET note = ? WHERE id = ?",
                arguments: [note, exchange]
            )
            return db.changesCount > 0
        }
    }
}
