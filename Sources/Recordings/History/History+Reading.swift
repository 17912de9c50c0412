import Apus
import FoundationEssentials
import SQLite

extension History {
    /// The newest exchanges that match a filter, newest first.
    ///
    /// - Parameters:
    ///   - filter: the filter; by default all exchanges match.
    ///   - end: the last exchange of the previous page; nil for the first page.
    ///   - limit: the largest number of exchanges to return.
    /// - Returns: one page. If it has fewer exchanges than the limit, it is the last page.
    /// - Throws: ``RecordingError`` if the file cannot be read, or the task is cancelled.
    public func exchanges(
        matching filter: HistoryFilter = HistoryFilter(),
        before end: RecordedExchange.ID? = nil,
        limit: Int = 100
    ) async throws(RecordingError) -> [RecordedExchange] {
        // For times the index is useful even if incomplete. For texts it is completed first, since indexing is
        // faster than scanning.
        let index =
            !filter.indexedTexts.isEmpty
            ? await filledIndex() : filter.hasTime ? openedIndex() : nil
        return try await read { [bodies] db in
            let search = HistorySearch(filter: filter, bodies: bodies, db: db)
            return try search.page(before: end, limit: limit, index: index)
        }
    }

    /// Everything that was kept of an exchange; nil if there is no exchange with this number.
    ///
    /// A response body of more than 8 MiB is in a file.
    public func exchange(
        _ id: RecordedExchange.ID
    ) async throws(RecordingError) -> ExchangeDetails? {
        try await read { [bodies] db in try ExchangeReader.fetch(id, bodies, db) }
    }

    /// Everything that was kept of an exchange; a damaged body is left out and reported in
    /// ``ExchangeDetails/damage``.
    package func readableExchange(
        _ id: RecordedExchange.ID
    ) async throws(RecordingError) -> ExchangeDetails? {
        try await read { [bodies] db in
            try ExchangeReader.fetch(id, bodies, db, sparesDamage: true)
        }
    }

    /// The error texts of those of the given exchanges that failed.
    public func errorTexts(
        of exchanges: [RecordedExchange]
    ) async throws(RecordingError) -> [RecordedExchange.ID: String] {
        let ids = exchanges.filter { $0.errorCode != nil }.map(\.id)
        return try await read { db in
            try ids.reduce(into: [:]) { texts, id in
                texts[id] = try String.fetchOne(
                    db,
                    sql: "SELECT error FROM detail WHERE id = ?",
                    arguments: [id]
                )
            }
        }
    }

    /// All sessions, newest first.
    public func sessions() async throws(RecordingError) -> [RecordedSession] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT id, name, started, ended, note,
                        (SELECT count(*) FROM exchange WHERE session = session.id) AS count
                    FROM session ORDER BY id DESC
                    """
            ).map(Self.session)
        }
    }

    /// Batches, chains and watches, newest first.
    ///
    /// - Parameters:
    ///   - end: the last run of the previous page; nil for the first page.
    ///   - limit: the largest number of runs to return.
    /// - Returns: one page. If it has fewer runs than the limit, it is the last page.
    /// - Throws: ``RecordingError`` if the file cannot be read.
    public func runs(
        before end: RecordedRun.ID? = nil,
        limit: Int = 100
    ) async throws(RecordingError) -> [RecordedRun] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT * FROM run WHERE id < ? ORDER BY id DESC LIMIT ?",
                arguments: [end?.number ?? .max, limit]
            ).compactMap(Self.run)
        }
    }

    /// A run; nil if there is no run with this number.
    package func run(_ id: RecordedRun.ID) async throws(RecordingError) -> RecordedRun? {
        try await read { db in
            try Row.fetchOne(db, sql: "SELECT * FROM run WHERE id = ?", arguments: [id.number])
                .flatMap(Self.run)
        }
    }

    /// The numbers of the exchanges with a replay key, in order, in a session or (if nil) in all of them.
    func exchanges(
        withKey key: String,
        in session: RecordedSession.ID?
    ) async throws(RecordingError) -> [Int64] {
        try await read { db in
            try Int64.fetchAll(
                db,
                sql: """
                    SELECT id FROM exchange WHERE key = ? AND (? IS NULL OR session = ?) ORDER BY id
                    """,
                arguments: [Array(key.utf8), session?.number, session?.number]
            )
        }
    }

    func read<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(RecordingError) -> T {
        do {
            return try await reading(body)
        } catch let error as DatabaseError where error.resultCode == .corrupt {
            // This forgets that the file was checked.
            let fault = recordingError(.read, error)
            guard canReopen else { throw fault }
            // Opening it again sets it aside and reports that, instead of failing from now on.
            await reopen()
            do {
                return try await reading(body)
            } catch {
                throw recordingError(.read, error)
            }
        } catch {
            throw recordingError(.read, error)
        }
    }

    private func reading<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        let reader = try reader()
        if let pool = reader as? DatabasePool, let end = try await reader.read(Inbox.last) {
            let delay = await writer.run { [self] in takeIn() }
            // On a full disk, what waits can still be read.
            if let delay, !delay.isBusy {
                let copied = await writer.run { [self] () -> DatabaseQueue? in
                    // Without a copy, only what waits is missing.
                    try? self.copy(of: pool, upTo: end)
                }
                if let copied { return try await copied.read(body) }
            }
        }
        return try await reader.read(body)
    }

    /// Whether a copy has what waits in the inbox and cannot be taken in.
    func canReadInbox() async -> Bool {
        guard let pool = try? reader() as? DatabasePool,
            let end = try? await pool.read(Inbox.last)
        else { return false }
        return await writer.run { [self] in (try? copy(of: pool, upTo: end)) != nil }
    }

    private static func session(_ row: Row) throws -> RecordedSession {
        RecordedSession(
            id: .init(try row.decode(forColumn: "id")),
            name: try row.decode(forColumn: "name"),
            started: try TimeColumn.date(row, "started"),
            ended: try TimeColumn.optionalDate(row, "ended"),
            note: try row.decode(forColumn: "note"),
            count: try ClampedColumn.amount(row, "count")
        )
    }

    static func run(_ row: Row) throws -> RecordedRun? {
        guard let kind = RecordedRun.Kind(rawValue: try row.decode(forColumn: "kind")) else {
            return nil
        }
        return RecordedRun(
            id: .init(try row.decode(forColumn: "id")),
            kind: kind,
            name: try row.decode(forColumn: "name"),
            environment: try row.decode(forColumn: "environment"),
            started: try TimeColumn.date(row, "started"),
            ended: try TimeColumn.optionalDate(row, "ended"),
            total: try row.decode(Double?.self, forColumn: "total") == nil
                ? nil : ClampedColumn.amount(row, "total"),
            count: try ClampedColumn.amount(row, "count"),
            failedCount: try ClampedColumn.amount(row, "failed"),
            size: try ClampedColumn.amount(row, "size")
        )
    }
}
