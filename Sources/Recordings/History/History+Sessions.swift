import GRDB
import Synchronization

extension History {
    /// Begins a session; what is recorded in it is kept until it is deleted.
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

    // None is given twice, for masks and what still waits name it: it is above what there is and above
    // `total.last`, which `retire` raises to what is deleted. A stranger's may be so high that none follows.
    private static func newNumber(_ table: String) -> String {
        """
        (SELECT max(last, (
            SELECT coalesce(max(id), 0) FROM \(table) WHERE id < \(HistoryFile.numberLimit))) + 1
        FROM total)
        """
    }

    /// Sees to it that the number of a session or a run that is deleted is not given again.
    static func retire(_ number: Int64, _ db: Database) throws {
        guard number < HistoryFile.numberLimit else { return }
        try db.cachedStatement(sql: "UPDATE total SET last = max(last, ?)")
            .execute(arguments: [number])
    }

    /// The newest session of a name, or a new one.
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

    /// Ends a session; it may be gone on with.
    public func end(_ session: RecordedSession.ID) async throws(RecordingError) {
        let now = now
        try await write(takingIn: false) { db in
            try db.execute(
                sql: "UPDATE session SET ended = ? WHERE id = ?",
                arguments: [now, session.number]
            )
        }
    }

    /// Deletes a session with its exchanges.
    public func delete(_ session: RecordedSession.ID) async throws(RecordingError) {
        // What waits would stay, in no session.
        try await takeInAll()
        _ = try await writing { [self] pool in try delete(session, in: pool) }
    }

    /// The same; runs on `writer`.
    func delete(
        _ session: RecordedSession.ID,
        in pool: DatabasePool
    ) throws -> Int {
        state.withLock { $0.numbers[session] = nil }
        return try delete(in: pool) { db in
            try db.execute(sql: "DELETE FROM session WHERE id = ?", arguments: [session.number])
            if db.changesCount > 0 { try Self.retire(session.number, db) }
            // They go with their exchanges; one that goes on is no session's any more.
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

    /// Deletes exchanges.
    ///
    /// - Returns: how many there were.
    @discardableResult public func delete(
        _ exchanges: [RecordedExchange.ID]
    ) async throws(RecordingError) -> Int {
        try await writing { [self] pool in
            try delete(in: pool) { db in
                try Set(exchanges).sorted().filter { id in
                    try Bool.fetchOne(
                        db.cachedStatement(sql: "SELECT 1 FROM exchange WHERE id = ?"),
                        arguments: [id]
                    ) ?? false
                }
            }
        }
    }

    /// Begins a batch or a chain, whose exchanges name it in their origin.
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

    /// Ends a batch or a chain.
    public func end(_ run: RecordedRun.ID) async throws(RecordingError) {
        let now = now
        try await write(takingIn: false) { db in
            try db.execute(
                sql: "UPDATE run SET ended = ? WHERE id = ?",
                arguments: [now, run.number]
            )
        }
    }

    /// Marks an exchange, or takes the mark back.
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

    /// Notes something about an exchange; nil takes the note back.
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
