import Apus
import Documents
import FoundationEssentials
import GRDB
import Glibc
import HTTPTypes

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
    ) async throws(RecordingError) -> RecordedWhole? {
        try await read { [bodies] db in try WholeRow.fetch(id, bodies, db) }
    }

    /// The error texts of those of the given exchanges that failed.
    public func errorTexts(
        of exchanges: [RecordedExchange]
    ) async throws(RecordingError) -> [RecordedExchange.ID: String] {
        let ids = exchanges.filter { $0.errorCode != nil }.map(\.id)
        return try await read { db in
            try ids.reduce(into: [:]) { texts, id in
                texts[id] = try String.fetchOne(
                    db.cachedStatement(sql: "SELECT error FROM detail WHERE id = ?"),
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
                arguments: [Data(key.utf8), session?.number, session?.number]
            )
        }
    }

    func read<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(RecordingError) -> T {
        let reader = try reader()
        do {
            if reader is DatabasePool, try await reader.read(Inbox.last) != nil {
                _ = await on(writer) { [self] in takeIn() }
            }
            return try await reader.read(body)
        } catch {
            throw recordingError(.read, error)
        }
    }

    // A file may have any value anywhere. `decode` throws for it, where the subscripts of a row would trap.
    private static func session(_ row: Row) throws -> RecordedSession {
        RecordedSession(
            id: .init(try row.decode(forColumn: "id")),
            name: try row.decode(forColumn: "name"),
            started: try RowTime.date(row, "started"),
            ended: try RowTime.optionalDate(row, "ended"),
            note: try row.decode(forColumn: "note"),
            count: try RowAmount.amount(row, "count")
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
            started: try RowTime.date(row, "started"),
            ended: try RowTime.optionalDate(row, "ended"),
            total: try row.decode(Double?.self, forColumn: "total") == nil
                ? nil : RowAmount.amount(row, "total"),
            count: try RowAmount.amount(row, "count"),
            failedCount: try RowAmount.amount(row, "failed"),
            size: try RowAmount.amount(row, "size")
        )
    }
}

/// Clamps counts and sizes read from rows, so that their sums cannot overflow.
enum RowAmount {
    /// A column's number, clamped to 0 and the limit; it is a real number if it overflowed in SQLite.
    static func amount(_ row: Row, _ column: String, atMost limit: Int = sumLimit) throws -> Int {
        switch try row.decode(DatabaseValue.self, forColumn: column).storage {
        case .int64(let number): return Int(max(0, min(number, Int64(limit))))
        case .double(let number): return number < Double(limit) ? Int(max(0, number)) : limit
        default: throw BodyStore.Damage(description: "\(column) is no number")
        }
    }

    /// The largest sum that is stored.
    static let sumLimit = 1 << 61
    /// The size of a body, clamped in the same way.
    static func size(_ row: Row) throws -> Int {
        try amount(row, "size", atMost: ExchangeFactsText.sizeLimit)
    }

    /// The SQL that adds `?` to a column and clamps the sum.
    static func adding(to column: String) -> String {
        "\(column) = max(0, min(\(column) + ?, \(sumLimit)))"
    }
}

/// Reads times from rows, and throws for those that no clock can have measured.
enum RowTime {
    /// The dates that are valid, also in imported files.
    static let range = Date.distantPast...Date.distantFuture

    static func seconds(_ row: Row, _ column: String) throws -> Double {
        let seconds = try row.decode(Double.self, forColumn: column)
        guard abs(seconds) <= Date.distantFuture.timeIntervalSinceReferenceDate else {
            throw BodyStore.Damage(description: "\(column) is no time")
        }
        return seconds
    }

    static func date(_ row: Row, _ column: String) throws -> Date {
        let date = Date(
            timeIntervalSinceReferenceDate: try row.decode(Double.self, forColumn: column)
        )
        guard range.contains(date) else {
            throw BodyStore.Damage(description: "\(column) is no time")
        }
        return date
    }

    static func optionalDate(_ row: Row, _ column: String) throws -> Date? {
        try row.decode(Double?.self, forColumn: column) == nil ? nil : date(row, column)
    }
}

extension RecordedEvent {
    /// The same event with its offset clamped, so that sums of offsets cannot overflow.
    fileprivate var bounded: RecordedEvent {
        RecordedEvent(name, at: min(max(.zero, offset), .seconds(1_000_000_000)), detail: detail)
    }
}

/// Reads exchanges from their rows.
enum WholeRow {
    /// The columns that a list shows.
    static let columns = """
        id, session, run, place, step, started, duration, attempts, method, url, target, workspace,
        environment, status, error, source, size, phases, marked, note
        """

    /// A larger response body is read into a file.
    private static let memoryLimit = 8 << 20

    static func exchange(_ row: Row) throws -> RecordedExchange {
        RecordedExchange(
            id: try row.decode(forColumn: "id"),
            session: try row.decode(Int64?.self, forColumn: "session").map { .init($0) },
            started: try RowTime.date(row, "started"),
            duration: .seconds(max(0, try RowTime.seconds(row, "duration"))),
            attempts: try RowAmount.amount(row, "attempts", atMost: 1_000_000),
            request: ApusError.RequestLine(
                method: try row.decode(forColumn: "method"),
                url: try row.decode(forColumn: "url")
            ),
            origin: ExchangeOrigin(
                target: try row.decode(forColumn: "target"),
                workspace: try row.decode(forColumn: "workspace"),
                environment: try row.decode(forColumn: "environment"),
                run: try row.decode(Int64?.self, forColumn: "run").map { .init($0) },
                place: try row.decode(forColumn: "place"),
                step: try row.decode(forColumn: "step")
            ),
            status: try row.decode(forColumn: "status"),
            errorCode: try row.decode(forColumn: "error"),
            source: try row.decode(forColumn: "source"),
            size: try RowAmount.size(row),
            phases: try row.decode(Data?.self, forColumn: "phases").flatMap(PhaseBytes.phases),
            isMarked: try row.decode(forColumn: "marked"),
            note: try row.decode(forColumn: "note")
        )
    }

    static func fetch(_ id: Int64, _ bodies: BodyStore, _ db: Database) throws -> RecordedWhole? {
        let found = try Row.fetchOne(
            db,
            sql: "SELECT \(columns) FROM exchange WHERE id = ?",
            arguments: [id]
        )
        let detail = try Row.fetchOne(
            db,
            sql: "SELECT * FROM detail WHERE id = ?",
            arguments: [id]
        )
        guard let found, let detail else { return nil }
        guard let head = RequestHead.head(try detail.decode(forColumn: "request")) else {
            throw BodyStore.Damage(description: "the request of exchange \(id) cannot be read")
        }
        var request = Apus.PreparedRequest(head: head)
        var unkeptRequest: BodyStore.Unkept?
        if let id = try detail.decode(Int64?.self, forColumn: "request_body") {
            let (bytes, unkept) = try bodies.body(id, in: db)
            request.body = .bytes(bytes ?? [])
            unkeptRequest = unkept
        }
        let (response, unkept) = try response(detail, request, bodies, db)
        let facts = try DocumentDecoder().decode(
            ExchangeFacts.self,
            from: try detail.decode(Data.self, forColumn: "facts")
        )
        return RecordedWhole(
            exchange: try exchange(found),
            request: request,
            response: response,
            unkeptSize: unkept?.size,
            unkeptRequestSize: unkeptRequest?.size,
            unkeptDigest: unkept?.digest,
            unkeptRequestDigest: unkeptRequest?.digest,
            errorText: try detail.decode(forColumn: "error"),
            decision: facts.decision,
            variables: facts.variables,
            events: facts.events.map(\.bounded)
        )
    }

    private static func response(
        _ detail: Row,
        _ request: Apus.PreparedRequest,
        _ bodies: BodyStore,
        _ db: Database
    ) throws -> (Response?, BodyStore.Unkept?) {
        guard let data = try detail.decode(Data?.self, forColumn: "response"),
            let record = data.withUnsafeBytes({ ResponseRecord($0) })
        else { return (nil, nil) }
        var body = ResponseBody.bytes([])
        var unkept: BodyStore.Unkept?
        if let id = try detail.decode(Int64?.self, forColumn: "response_body") {
            let bytes: [UInt8]?
            (bytes, unkept) = try bodies.body(id, in: db)
            if let bytes {
                body = bytes.count <= memoryLimit ? .bytes(bytes) : .file(try file(of: bytes))
            }
        }
        let response = Response(
            request: request,
            head: record.head,
            body: body,
            source: .replay,
            isComplete: try detail.decode(Bool.self, forColumn: "is_complete") && unkept == nil,
            received: record.received,
            metrics: record.metrics
        )
        return (response, unkept)
    }

    private static func file(of bytes: [UInt8]) throws -> BodyFile {
        try SpooledBody.file { write in try bytes.withUnsafeBytes { try write($0) } }
    }
}
