import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import SQLite
import Secrets

/// The facts that the table `detail` keeps as one JSON text, because they are always read together.
struct ExchangeFacts: Codable {
    var decision: String?
    var variables: [String: String] = [:]
    var events: [RecordedEvent] = []
    /// The connection whose TLS handshake failed.
    var refused: ApusError.RefusedConnection?

    /// The facts as JSON.
    ///
    /// `JSONEncoder` takes as long as everything else for an exchange, so it is used only if there are events
    /// or certificates.
    fileprivate var bytes: [UInt8] {
        get throws {
            guard events.isEmpty, refused == nil else {
                return [UInt8](try JSONEncoder().encode(self))
            }
            guard decision != nil || !variables.isEmpty else {
                return Array(#"{"variables":{},"events":[]}"#.utf8)
            }
            var members: [(String, JSON)] = [
                ("variables", JSON(members: variables.map { ($0, JSON($1)) })), ("events", []),
            ]
            if let decision { members.append(("decision", JSON(decision))) }
            return try JSON(members: members).bytes()
        }
    }
}

/// An exchange ready to be written, with its secrets masked.
///
///     ExchangeRecord ─mask─▶ ExchangeRow ─encoded─▶ inbox … inbox ─▶ WaitingRow ─▶ exchange, detail, body, run
struct ExchangeRow {
    /// The columns of `exchange` that are set on recording, in the order of the encoded values.
    fileprivate static let listColumns = [
        "session", "run", "place", "step", "started", "duration", "attempts", "method", "url",
        "host", "target", "workspace", "environment", "status", "error", "source", "size", "phases",
        "key",
    ]
    /// The index of the body's size among them.
    fileprivate static let sizePlace = listColumns.firstIndex(of: "size") ?? 0
    /// The columns of `detail` that are set on recording, in the order of the encoded values.
    fileprivate static let detailColumns = ["request", "response", "is_complete", "error", "facts"]

    /// The request's path without secrets.
    let path: String?
    private let hasFailed: Bool
    private var values: RecordWriter
    private var requestBody: BodyStore.Content?
    private var responseBody: BodyStore.Content?

    /// - Throws: `ApusError` if a body's file cannot be read.
    init(
        _ record: ExchangeRecord,
        in session: RecordedSession.ID?,
        mask: CredentialMask,
        bodyLimit: Int
    ) throws {
        let error: ApusError? = if case .failure(let error) = record.result { error } else { nil }
        let answer = (try? record.result.get()) ?? error?.response
        var mask = mask
        let (request, bodies) = try Self.masked(
            record.request,
            answer,
            &mask,
            bodyLimit,
            record.digests
        )
        let key =
            mask.isOn
            ? try ReplayKey.digest(ofMasked: request, bodies.request, mask)
            : try Self.key(of: record.request, mask: mask, bodyLimit: bodyLimit)
        path = request.head.path
        let imported = record.imported
        requestBody =
            imported.unkeptRequestSize.map { .missing(size: $0, of: request) } ?? bodies.request
        responseBody =
            answer == nil
            ? nil
            : imported.remoteBody.map { .remote($0, atMost: bodyLimit) }
                ?? imported.unkeptSize.map { .missing(size: $0, of: request) } ?? bodies.response
        hasFailed = error != nil || answer.map { $0.status >= 400 } ?? true
        let metrics = answer?.metrics
        let origin = record.origin

        let bodySize = (requestBody?.inboxSize ?? 0) + (responseBody?.inboxSize ?? 0)
        var list = RecordWriter(capacity: 1024 + bodySize)
        list.add(column: session.map { Int($0.number) })
        list.add(column: origin.run.map { Int($0.number) })
        list.add(column: origin.place)
        list.add(column: origin.step.map { mask.masking(line: $0) })
        list.add(column: record.started.timeIntervalSinceReferenceDate)
        list.add(column: record.duration / .seconds(1))
        list.add(column: record.attempts)
        list.add(column: request.head.method.rawValue)
        list.add(column: request.url)
        list.add(column: request.head.authority)
        list.add(column: origin.target.map { mask.masking(line: $0) })
        list.add(column: origin.workspace)
        list.add(column: origin.environment)
        list.add(column: answer?.status)
        list.add(column: imported.errorCode ?? error?.code)
        list.add(column: answer.map { imported.source ?? $0.source.name })
        // As received: masked secrets make the stored body longer or shorter.
        list.add(
            column: answer.map {
                imported.remoteBody?.size ?? imported.unkeptSize ?? $0.body.count
            } ?? 0
        )
        list.add(column: metrics.map { PhaseBytes.bytes($0) })
        list.add(column: Array(key.utf8))

        list.add(column: RequestHeadCoding.bytes(request.head))
        list.add(
            column: answer.map { answer in
                var head = answer.head
                head.headerFields = mask.masking(head.headerFields)
                let phrase = mask.masking(line: head.status.reasonPhrase)
                if phrase != head.status.reasonPhrase {
                    head.status = .init(code: head.status.code, reasonPhrase: phrase)
                }
                let metrics = metrics.map { mask.masking($0) }
                return ResponseRecord(head: head, received: answer.received, metrics: metrics)
                    .encoded
            }
        )
        list.add(column: answer?.isComplete == true ? 1 : 0)
        list.add(
            column: (imported.errorText ?? error.map { $0.errorDescription ?? "" })
                .map { mask.masking(line: $0) }
        )
        let facts = ExchangeFacts(
            decision: (imported.decision ?? answer?.decision?.description)
                .map { mask.masking(line: $0) },
            variables: origin.variables.reduce(into: [:]) {
                $0[$1.key] = Self.cut(mask.masking(value: $1.value, named: $1.key))
            },
            events: record.events.map { event in
                var event = event
                event.detail = mask.masking(line: event.detail)
                return event
            },
            refused: error?.refusedConnection
        )
        list.add(column: try facts.bytes)
        values = list
    }

    /// The key by which replay finds a request's exchanges, always computed with the secrets masked.
    static func key(
        of request: Apus.PreparedRequest,
        mask: CredentialMask,
        bodyLimit: Int
    ) throws -> String {
        var mask = mask.isOn ? mask : CredentialMask()
        let (masked, bodies) = try masked(request, nil, &mask, bodyLimit, [:])
        return try ReplayKey.digest(ofMasked: masked, bodies.request, mask)
    }

    /// The path of an exchange's request without secrets, as its row has it.
    static func maskedPath(
        of record: ExchangeRecord,
        _ mask: CredentialMask,
        limit: Int
    ) throws -> String? {
        guard mask.isOn else { return nil }
        let error: ApusError? = if case .failure(let error) = record.result { error } else { nil }
        let answer = (try? record.result.get()) ?? error?.response
        var mask = mask
        return try masked(record.request, answer, &mask, limit, record.digests).0.head.path
    }

    private static func masked(
        _ request: Apus.PreparedRequest,
        _ answer: Response?,
        _ mask: inout CredentialMask,
        _ limit: Int,
        _ digests: [String: String]
    ) throws -> (
        Apus.PreparedRequest, bodies: (request: BodyStore.Content?, response: BodyStore.Content?)
    ) {
        mask = mask.adding(request)
        var head = mask.masked(request.head)
        let bodies = try BodyMask(request, answer, mask: mask, limit: limit, digests: digests)
        var found = bodies.found
        if head != nil {
            found.formUnion(mask.credentials(in: request.url, request.head.headerFields))
        }
        // A credential found by its name is also masked wherever else it occurs in the exchange.
        if !found.isSubset(of: mask.secrets) {
            mask = mask.adding(found)
            head = mask.masked(request.head)
        }
        guard let head else { return (request, bodies.contents(by: mask)) }
        var masked = request
        masked.head = head
        return (masked, bodies.contents(by: mask))
    }

    /// What is kept of a response's body that came after the rest of its exchange.
    static func responseBody(
        _ bytes: [UInt8],
        of whole: ExchangeDetails,
        mask: CredentialMask,
        bodyLimit: Int
    ) throws -> BodyStore.Content? {
        guard var response = whole.response else { return nil }
        response.body = .bytes(bytes)
        var mask = mask
        return try masked(whole.request, response, &mask, bodyLimit, [:]).bodies.response
    }

    /// Shortens a long value: a variable may hold a whole body.
    private static func cut(_ value: String) -> String {
        value.utf8.count <= 4096 ? value : String(value.unicodeScalars.prefix(4096)) + "…"
    }

    /// Stores large bodies in their table right away, because they skip the inbox.
    mutating func addLargeBodies(to bodies: BodyStore, _ db: Database) throws {
        requestBody = try requestBody.map { try bodies.addLarge($0, to: db) }
        responseBody = try responseBody.map { try bodies.addLarge($0, to: db) }
    }

    /// The highest number among the numbered masks in it.
    var highestMask: Int {
        [requestBody, responseBody].reduce(NumberedMask.highest(in: values.bytes)) {
            if case .bytes(let bytes) = $1 { max($0, NumberedMask.highest(in: bytes)) } else { $0 }
        }
    }

    /// Encodes the row as bytes for `WaitingRow`; call it only once.
    mutating func encode() -> [UInt8] {
        requestBody.add(to: &values)
        responseBody.add(to: &values)
        values.add(hasFailed ? 1 : 0)
        return values.bytes
    }
}

/// A recorded exchange, read from the inbox to be inserted into the tables.
struct WaitingRow {
    private var list: [DatabaseValue]
    private let detail: [DatabaseValue]
    private let requestBody: BodyStore.Content?
    private let responseBody: BodyStore.Content?
    private let hasFailed: Bool

    init(reading bytes: UnsafeRawBufferPointer) throws(RecordReader.Damage) {
        var reader = RecordReader(bytes)
        var values: [DatabaseValue] = []
        for _ in ExchangeRow.listColumns { values.append(try reader.column()) }
        list = values
        values = []
        for _ in ExchangeRow.detailColumns { values.append(try reader.column()) }
        detail = values
        requestBody = try .init(reading: &reader)
        responseBody = try .init(reading: &reader)
        hasFailed = try reader.number() == 1
        guard reader.isAtEnd else { throw RecordReader.Damage() }
    }

    /// The session that it belongs to; nil for none.
    var session: Int64? { list[0].isNull ? nil : Int64.fromDatabaseValue(list[0]) }

    /// When it began, in seconds.
    var started: Double? {
        ExchangeRow.listColumns.firstIndex(of: "started")
            .flatMap { Double.fromDatabaseValue(list[$0]) }
    }

    /// The numbers of the bodies that are stored already.
    var storedBodies: [Int64] {
        [requestBody, responseBody].compactMap { body in
            if case .stored(let id, _) = body { id } else { nil }
        }
    }

    private static let insertion = """
        INSERT INTO exchange (id, \(ExchangeRow.listColumns.joined(separator: ", ")), marked)
        VALUES (?, \(ExchangeRow.listColumns.map { _ in "?" }.joined(separator: ", ")), 0)
        """
    private static let detailInsertion = """
        INSERT INTO detail
            (id, request_body, response_body, \(ExchangeRow.detailColumns.joined(separator: ", ")))
        VALUES (?, ?, ?, \(ExchangeRow.detailColumns.map { _ in "?" }.joined(separator: ", ")))
        """

    mutating func insert(as id: Int64, _ bodies: BodyStore, into db: Database) throws {
        // If the session or run has been deleted, the exchange belongs to none: otherwise nothing would list it.
        for (place, table) in ["session", "run"].enumerated() where !list[place].isNull {
            let number = try Int64.fetchOne(
                db,
                sql: "SELECT id FROM \(table) WHERE id = ?",
                arguments: [list[place]]
            )
            list[place] = number.databaseValue
        }
        let requestBody = try requestBody.map { try bodies.add($0, to: db) }
        let responseBody = try responseBody.map { try bodies.add($0, to: db) }
        try db.execute(sql: Self.insertion, arguments: [id] + StatementArguments(list))
        try db.execute(
            sql: Self.detailInsertion,
            arguments: [id, requestBody, responseBody] + StatementArguments(detail)
        )
        let (session, run) = (list[0], list[1])
        if session.isNull {
            try db.execute(sql: "UPDATE total SET count = count + 1")
        }
        guard !run.isNull else { return }
        try db.execute(
            sql: """
                UPDATE run SET count = count + 1, failed = failed + ?,
                    \(ClampedColumn.adding(to: "size")) WHERE id = ?
                """,
            arguments: [hasFailed, list[ExchangeRow.sizePlace], run]
        )
    }
}

/// Column values, each encoded as its kind followed by the value.
extension RecordWriter {
    fileprivate enum Kind: Int {
        case null, integer, real, text, blob
    }

    private mutating func add<T>(_ value: T?, _ kind: Kind, _ add: (inout RecordWriter, T) -> Void)
    {
        guard let value else { return self.add(Kind.null.rawValue) }
        self.add(kind.rawValue)
        add(&self, value)
    }

    fileprivate mutating func add(column number: Int?) { add(number, .integer) { $0.add($1) } }
    fileprivate mutating func add(column number: Double?) { add(number, .real) { $0.add($1) } }
    fileprivate mutating func add(column text: String?) { add(text, .text) { $0.add($1) } }
    fileprivate mutating func add(column bytes: [UInt8]?) {
        add(bytes, .blob) { writer, bytes in bytes.withUnsafeBufferPointer { writer.add($0) } }
    }
}

extension RecordReader {
    fileprivate mutating func column() throws(Damage) -> DatabaseValue {
        switch RecordWriter.Kind(rawValue: try number()) {
        case .null: .null
        case .integer: .integer(Int64(try number()))
        case .real: .real(try double())
        case .text: .text(try text())
        case .blob: .blob([UInt8](try raw()))
        case nil: throw Damage()
        }
    }
}

extension BodyStore.Content? {
    fileprivate func add(to writer: inout RecordWriter) {
        switch self {
        case nil: writer.add(0)
        case .bytes(let bytes):
            writer.add(1)
            bytes.withUnsafeBufferPointer { writer.add($0) }
        case .unkept(let digest, let size):
            writer.add(2)
            writer.add(digest)
            writer.add(size)
        case .stored(let id, let size):
            writer.add(3)
            writer.add(Int(id))
            writer.add(size)
        case .remote(let body):
            writer.add(4)
            writer.add(body.digest)
            writer.add(body.size)
            writer.add(body.location)
        }
    }

    fileprivate init(reading reader: inout RecordReader) throws(RecordReader.Damage) {
        switch try reader.number() {
        case 0: self = nil
        case 1: self = .bytes([UInt8](try reader.raw()))
        case 2: self = .unkept(digest: try reader.text(), size: try reader.number())
        case 3: self = .stored(Int64(try reader.number()), size: try reader.number())
        case 4:
            self = .remote(
                RemoteBody(
                    digest: try reader.text(),
                    size: try reader.number(),
                    location: try reader.text()
                )
            )
        default: throw RecordReader.Damage()
        }
    }
}
