import Apus
import Documents
import FoundationEssentials
import SQLite

/// Reads exchanges from their rows.
enum ExchangeReader {
    /// The columns that a list shows.
    static let columns = """
        id, session, run, place, step, started, duration, attempts, method, url, target, workspace,
        environment, status, error, source, size, phases, marked, note
        """

    /// A larger response body is read into a file.
    private static let memoryLimit = 8 << 20

    static func exchange(_ row: Row) throws -> RecordedExchange {
        let phases = try row.decode([UInt8]?.self, forColumn: "phases")
        return RecordedExchange(
            id: try row.decode(forColumn: "id"),
            session: try row.decode(Int64?.self, forColumn: "session").map { .init($0) },
            started: try TimeColumn.date(row, "started"),
            duration: .seconds(max(0, try TimeColumn.seconds(row, "duration"))),
            attempts: try ClampedColumn.amount(row, "attempts", atMost: 1_000_000),
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
            size: try ClampedColumn.size(row),
            phases: phases.flatMap(PhaseBytes.phases),
            isMarked: try row.decode(forColumn: "marked"),
            note: try row.decode(forColumn: "note"),
            isUnverified: phases.map(PhaseBytes.isUnverified) ?? false
        )
    }

    /// Everything about an exchange; nil if there is none with this number.
    ///
    /// With `sparesDamage`, a damaged body is only left out, and reported in `damage`.
    static func fetch(
        _ id: Int64,
        _ bodies: BodyStore,
        _ db: Database,
        sparesDamage: Bool = false
    ) throws -> ExchangeDetails? {
        var damage: [String] = []
        func body(_ id: Int64, _ name: String) throws -> ([UInt8]?, BodyStore.Unkept?) {
            guard sparesDamage else { return try bodies.body(id, in: db) }
            let (bytes, unkept, fault) = try bodies.bodySparingDamage(id, in: db)
            if let fault { damage.append("\(name) is damaged and left out: \(fault)") }
            return (bytes, unkept)
        }
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
        guard
            let head = RequestHeadCoding.head(try detail.decode([UInt8].self, forColumn: "request"))
        else {
            throw HistoryFileError.damagedValue("the request of exchange \(id) cannot be read")
        }
        var request = Apus.PreparedRequest(head: head)
        var unkeptRequest: BodyStore.Unkept?
        if let id = try detail.decode(Int64?.self, forColumn: "request_body") {
            let (bytes, unkept) = try body(id, "the request's body")
            request.body = .bytes(bytes ?? [])
            unkeptRequest = unkept
        }
        let known = damage.count
        let (response, unkept) = try response(detail, request) { id in
            try body(id, "the response's body")
        }
        let facts = try DocumentDecoder().decode(
            ExchangeFacts.self,
            from: try detail.decode(Data.self, forColumn: "facts")
        )
        return ExchangeDetails(
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
            events: facts.events.map(\.bounded),
            damage: damage,
            remoteBody: unkept?.remote,
            absence: damage.count > known
                ? "damaged" : unkept?.remote.map { "still in \($0.place)" },
            refusedConnection: facts.refused
        )
    }

    private static func response(
        _ detail: Row,
        _ request: Apus.PreparedRequest,
        _ read: (Int64) throws -> ([UInt8]?, BodyStore.Unkept?)
    ) throws -> (Response?, BodyStore.Unkept?) {
        guard let data = try detail.decode([UInt8]?.self, forColumn: "response"),
            let record = data.withUnsafeBytes({ ResponseRecord($0) })
        else { return (nil, nil) }
        var body = ResponseBody.bytes([])
        var unkept: BodyStore.Unkept?
        if let id = try detail.decode(Int64?.self, forColumn: "response_body") {
            let bytes: [UInt8]?
            (bytes, unkept) = try read(id)
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
        try SpoolFile.file { write in try bytes.withUnsafeBytes { try write($0) } }
    }
}

extension RecordedEvent {
    /// A copy of the event with its offset clamped, so that sums of offsets cannot overflow.
    fileprivate var bounded: RecordedEvent {
        RecordedEvent(name, at: min(max(.zero, offset), .seconds(1_000_000_000)), detail: detail)
    }
}

/// Clamps counts and sizes read from rows, so that their sums cannot overflow.
enum ClampedColumn {
    /// A column's number, clamped to 0 and the limit; it is a real number if it overflowed in SQLite.
    static func amount(_ row: Row, _ column: String, atMost limit: Int = sumLimit) throws -> Int {
        switch try row.decode(DatabaseValue.self, forColumn: column) {
        case .integer(let number): return Int(max(0, min(number, Int64(limit))))
        case .real(let number): return number < Double(limit) ? Int(max(0, number)) : limit
        default: throw HistoryFileError.damagedValue("\(column) is not a number")
        }
    }

    /// The largest sum that is stored.
    static let sumLimit = 1 << 61
    /// The size of a body in bytes, clamped so that sums of sizes cannot overflow.
    static func size(_ row: Row) throws -> Int {
        try amount(row, "size", atMost: ExportedFacts.sizeLimit)
    }

    /// The SQL that adds `?` to a column and clamps the sum.
    static func adding(to column: String) -> String {
        "\(column) = max(0, min(\(column) + ?, \(sumLimit)))"
    }
}

/// Reads times from rows, and throws for those that no clock can have measured.
enum TimeColumn {
    /// The dates that are valid, also in imported files.
    static let range = Date.distantPast...Date.distantFuture

    static func seconds(_ row: Row, _ column: String) throws -> Double {
        let seconds = try row.decode(Double.self, forColumn: column)
        guard abs(seconds) <= Date.distantFuture.timeIntervalSinceReferenceDate else {
            throw HistoryFileError.damagedValue("\(column) is not a valid time")
        }
        return seconds
    }

    static func date(_ row: Row, _ column: String) throws -> Date {
        let date = Date(
            timeIntervalSinceReferenceDate: try row.decode(Double.self, forColumn: column)
        )
        guard range.contains(date) else {
            throw HistoryFileError.damagedValue("\(column) is not a valid time")
        }
        return date
    }

    static func optionalDate(_ row: Row, _ column: String) throws -> Date? {
        try row.decode(Double?.self, forColumn: column) == nil ? nil : date(row, column)
    }
}
