import Apus
import Documents
import FoundationEssentials
import GRDB
import Glibc
import HTTPTypes

/// What `detail` keeps as one JSON text, for it is read as a whole.
struct ExchangeFacts: Codable {
    var decision: String?
    var variables: [String: String] = [:]
    var events: [RecordedEvent] = []

    /// As JSON; an encoder would take as long as all else of an exchange, and events are few.
    fileprivate var bytes: [UInt8] {
        get throws {
            guard events.isEmpty else { return [UInt8](try JSONEncoder().encode(self)) }
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

/// An exchange as it is written, its secrets masked.
///
///     ExchangeRecord ─mask─▶ ExchangeRow ─encoded─▶ inbox … inbox ─▶ WaitingRow ─▶ exchange, detail, body, run
struct ExchangeRow {
    /// The columns of `exchange` that are known when it is recorded, in the order of its values.
    fileprivate static let listColumns = [
        "session", "run", "place", "step", "started", "duration", "attempts", "method", "url",
        "host", "target", "workspace", "environment", "status", "error", "source", "size", "phases",
        "key",
    ]
    /// Those of `detail`.
    fileprivate static let detailColumns = ["request", "response", "is_complete", "error", "facts"]

    private let hasFailed: Bool
    private var values: RecordWriter
    private var requestBody: BodyStore.Content?
    private var responseBody: BodyStore.Content?

    /// - Throws: `ApusError` for a body's file that cannot be read.
    init(
        _ record: ExchangeRecord,
        in session: RecordedSession.ID?,
        mask: CredentialMask,
        bodyLimit: Int
    ) throws {
        let error: ApusError? = if case .failure(let error) = record.result { error } else { nil }
        let answer = (try? record.result.get()) ?? error?.response
        var mask = mask.adding(record.request)
        var (request, bodies) = try Self.masked(record.request, answer, mask, bodyLimit)
        if !bodies.found.isSubset(of: mask.secrets) {
            // A credential by its place is one elsewhere in the exchange, too.
            mask = mask.adding(bodies.found)
            (request, bodies) = try Self.masked(record.request, answer, mask, bodyLimit)
        }
        let imported = record.imported
        requestBody =
            imported.unkeptRequestSize.map { .missing(size: $0, of: request) } ?? bodies.request
        responseBody =
            answer == nil
            ? nil : imported.unkeptSize.map { .missing(size: $0, of: request) } ?? bodies.response
        hasFailed = error != nil || answer.map { $0.status >= 400 } ?? true
        let metrics = answer?.metrics
        let origin = record.origin

        let bodySize = (requestBody?.inboxSize ?? 0) + (responseBody?.inboxSize ?? 0)
        var list = RecordWriter(capacity: 1024 + bodySize)
        list.add(column: session.map { Int($0.number) })
        list.add(column: origin.run.map { Int($0.number) })
        list.add(column: origin.place)
        list.add(column: origin.step)
        list.add(column: record.started.timeIntervalSinceReferenceDate)
        list.add(column: record.duration / .seconds(1))
        list.add(column: record.attempts)
        list.add(column: request.head.method.rawValue)
        list.add(column: request.url)
        list.add(column: request.head.authority)
        list.add(column: origin.target)
        list.add(column: origin.workspace)
        list.add(column: origin.environment)
        list.add(column: answer?.status)
        list.add(column: imported.errorCode ?? error?.code)
        list.add(column: answer.map { imported.source ?? Self.name($0.source) })
        list.add(column: responseBody?.size ?? 0)
        list.add(column: metrics.map { PhaseBytes.bytes($0.phases) })
        list.add(column: Array(ReplayKey.digest(of: record.request).utf8))

        list.add(column: RequestHead.bytes(request.head))
        list.add(
            column: answer.map { answer in
                var head = answer.head
                head.headerFields = mask.masking(head.headerFields)
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
            events: record.events
        )
        list.add(column: try facts.bytes)
        values = list
    }

    private static func masked(
        _ request: Apus.PreparedRequest,
        _ answer: Response?,
        _ mask: CredentialMask,
        _ limit: Int
    ) throws -> (Apus.PreparedRequest, BodyMask) {
        let masked = mask.maskingParts(of: request)
        var bodies = BodyMask(mask: mask, limit: limit)
        bodies.request = try bodies.content(of: masked.body)
        if let answer { bodies.response = try bodies.content(of: answer) }
        if masked.head != request.head {
            bodies.found.formUnion(CredentialMask.credentials(in: request))
        }
        return (masked, bodies)
    }

    /// Of a variable that is a body the beginning is kept.
    private static func cut(_ value: String) -> String {
        value.utf8.count <= 4096 ? value : String(value.unicodeScalars.prefix(4096)) + "…"
    }

    private static func name(_ source: ResponseSource) -> String {
        switch source {
        case .server: "server"
        case .memory: "memory"
        case .disk: "disk"
        case .gateway: "gateway"
        case .stub: "stub"
        case .replay: "replay"
        case .synthetic: "synthetic"
        }
    }

    /// Puts large bodies where they stay: they pass no inbox.
    mutating func addLargeBodies(to bodies: BodyStore, _ db: Database) throws {
        requestBody = try requestBody.map { try bodies.addLarge($0, to: db) }
        responseBody = try responseBody.map { try bodies.addLarge($0, to: db) }
    }

    /// The row as bytes, which `WaitingRow` reads; to be called once.
    mutating func encode() -> [UInt8] {
        requestBody.add(to: &values)
        responseBody.add(to: &values)
        values.add(hasFailed ? 1 : 0)
        return values.bytes
    }
}

/// An exchange that was recorded, as it waits in the inbox to get into the tables.
struct WaitingRow {
    private let list: [DatabaseValue]
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

    private static let insertion = """
        INSERT INTO exchange (id, \(ExchangeRow.listColumns.joined(separator: ", ")), marked)
        VALUES (?, \(ExchangeRow.listColumns.map { _ in "?" }.joined(separator: ", ")), 0)
        """
    private static let detailInsertion = """
        INSERT INTO detail
            (id, request_body, response_body, \(ExchangeRow.detailColumns.joined(separator: ", ")))
        VALUES (?, ?, ?, \(ExchangeRow.detailColumns.map { _ in "?" }.joined(separator: ", ")))
        """

    /// Inserts it with its bodies.
    func insert(as id: Int64, _ bodies: BodyStore, into db: Database) throws {
        let requestBody = try requestBody.map { try bodies.add($0, to: db) }
        let responseBody = try responseBody.map { try bodies.add($0, to: db) }
        try db.cachedStatement(sql: Self.insertion)
            .execute(arguments: [id] + StatementArguments(list))
        try db.cachedStatement(sql: Self.detailInsertion)
            .execute(arguments: [id, requestBody, responseBody] + StatementArguments(detail))
        let (session, run) = (list[0], list[1])
        if session.isNull {
            try db.cachedStatement(sql: "UPDATE total SET count = count + 1").execute()
        }
        guard !run.isNull else { return }
        try db.cachedStatement(
            sql:
                "UPDATE run SET count = count + 1, failed = failed + ?, size = size + ? WHERE id = ?"
        ).execute(arguments: [hasFailed, self.responseBody?.size ?? 0, run])
    }
}

/// Values of columns: what they are, and then they themselves.
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
        case .integer: try number().databaseValue
        case .real: try double().databaseValue
        case .text: try text().databaseValue
        case .blob: Data(try raw()).databaseValue
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
        }
    }

    fileprivate init(reading reader: inout RecordReader) throws(RecordReader.Damage) {
        switch try reader.number() {
        case 0: self = nil
        case 1: self = .bytes([UInt8](try reader.raw()))
        case 2: self = .unkept(digest: try reader.text(), size: try reader.number())
        case 3: self = .stored(Int64(try reader.number()), size: try reader.number())
        default: throw RecordReader.Damage()
        }
    }
}

/// Bodies without their secrets, as they are kept.
private struct BodyMask {
    let mask: CredentialMask
    let limit: Int
    var request: BodyStore.Content?
    var response: BodyStore.Content?
    /// The credentials that stood in them.
    var found: Set<String> = []

    /// Of a request that is masked already.
    mutating func content(of body: Apus.PreparedRequest.Body) throws -> BodyStore.Content? {
        switch body {
        case .none: nil
        case .bytes(let bytes): content(of: bytes)
        case .file(let path): try content(ofFile: path)
        case .multipart(let form): content(of: mask.masking(form.outline))
        case .stream(let stream):
            .unkept(digest: ContentDigest.hex(of: stream.remark), size: max(0, stream.count))
        }
    }

    mutating func content(of response: Response) throws -> BodyStore.Content {
        switch response.body {
        case .bytes(let bytes): content(of: bytes, isMasked: false)
        case .file(let file): try content(ofFile: file.path)
        }
    }

    private mutating func content(
        of bytes: [UInt8],
        isMasked: Bool = true
    ) -> BodyStore.Content {
        guard bytes.count <= limit else {
            return .unkept(digest: ContentDigest.hex(of: bytes), size: bytes.count)
        }
        let json = json(bytes)
        return .bytes(isMasked ? json : mask.masking(json))
    }

    private mutating func content(ofFile path: String) throws -> BodyStore.Content {
        var status = stat()
        guard stat(path, &status) == 0 else { throw ApusError(.file(path: path, errno: errno)) }
        let size = Int(status.st_size)
        guard size <= limit else {
            // To read it all would keep the program from its end: the name of the content is that of
            // the file.
            let name = "\(path) \(size) \(status.st_mtim.tv_sec) \(status.st_ino)"
            return .unkept(digest: ContentDigest.hex(of: name), size: size)
        }
        return .bytes(mask.masking(json(try FileBytes.read(path))))
    }

    /// JSON, or lines of JSON, without the values of members with a credential's name; anything else as
    /// it is.
    private mutating func json(_ bytes: [UInt8]) -> [UInt8] {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard mask.isOn, let first = bytes[start...].first(where: { $0 > 0x20 }),
            "{[".utf8.contains(first)
        else { return bytes }
        if let masked = whole(bytes) { return masked }
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
        let masked = lines.map { $0.allSatisfy { $0 <= 0x20 } ? $0 : whole($0) }
        if !masked.contains(nil) {
            return Array(masked.compactMap(\.self).joined(separator: [0x0A]))
        }
        // Cut off, or no JSON: what is behind the fault goes if there may be a credential in it.
        let hasName = bytes.split(separator: UInt8(ascii: "\"")).contains { part in
            part.count <= 64
                && CredentialMask.isSecret(parameter: String(decoding: part, as: UTF8.self))
        }
        guard hasName else { return bytes }
        return masking(bytes, as: Document.parse(DocumentBytes(bytes)))
    }

    /// Nil if it is no whole JSON.
    private mutating func whole(_ bytes: [UInt8]) -> [UInt8]? {
        let document = Document.parse(DocumentBytes(bytes))
        return document.fault == nil ? masking(bytes, as: document) : nil
    }

    private mutating func masking(_ bytes: [UInt8], as document: Document) -> [UInt8] {
        let masked = CredentialMask.maskingMembers(
            of: bytes,
            as: document,
            sparesOrdinary: true,
            with: mask
        )
        if masked != bytes { found.formUnion(CredentialMask.credentials(in: document)) }
        return masked
    }
}

/// The key that replay finds a request's exchanges by.
enum ReplayKey {
    /// The digest of a request's key.
    ///
    /// The `standard` header fields do not count: a recording answers on a machine of another
    /// language, too.
    static func digest(
        of request: Apus.PreparedRequest,
        standard: HTTPFields = .standard
    ) -> String {
        var request = request
        for field in standard where request.head.headerFields[field.name] == field.value {
            request.head.headerFields[field.name] = nil
        }
        // Large files are not read for it: that would keep a program from its end.
        switch request.body {
        case .file(let path) where isLarge(path): request.body = .bytes(Array(path.utf8))
        case .multipart(let form):
            let hasLarge = form.parts.contains { part in
                if case .file(let path) = part.content { isLarge(path) } else { false }
            }
            if hasLarge { request.body = .bytes(form.outline) }
        case .none, .bytes, .file, .stream: break
        }
        return CacheKey.replayDigest(of: request)
    }

    private static func isLarge(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > 32 << 20
    }
}

/// A request's head as lines: method, scheme, authority, path, then "Name: value" for each field.
enum RequestHead {
    static func bytes(_ head: HTTPRequest) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        bytes.append(contentsOf: head.method.rawValue.utf8)
        for part in [head.scheme, head.authority, head.path] {
            bytes.append(UInt8(ascii: "\n"))
            bytes.append(contentsOf: (part ?? "").utf8)
        }
        for field in head.headerFields {
            bytes.append(UInt8(ascii: "\n"))
            bytes.append(contentsOf: field.name.rawName.utf8)
            bytes.append(contentsOf: ": ".utf8)
            bytes.append(contentsOf: field.value.utf8)
        }
        return bytes
    }

    /// The head; nil if the text is none.
    static func head(_ bytes: Data) -> HTTPRequest? {
        let lines = String(decoding: bytes, as: UTF8.self).unicodeScalars
            .split(separator: "\n", omittingEmptySubsequences: false).map { Substring($0) }
        guard lines.count >= 4, let method = HTTPRequest.Method(String(lines[0])) else {
            return nil
        }
        func part(_ line: Substring) -> String? { line.isEmpty ? nil : String(line) }
        var fields = HTTPFields()
        for line in lines.dropFirst(4) {
            guard let end = line.firstIndex(of: ":"),
                let name = HTTPField.Name(String(line[..<end]))
            else { return nil }
            let value = line[end...].dropFirst(2)
            fields.append(HTTPField(name: name, value: String(value)))
        }
        return HTTPRequest(
            method: method,
            scheme: part(lines[1]),
            authority: part(lines[2]),
            path: part(lines[3]),
            headerFields: fields
        )
    }
}

/// A transfer's phases as microseconds of 32 bits each, least byte first.
enum PhaseBytes {
    static func bytes(_ phases: TransferMetrics.Phases) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(28)
        for phase in [
            phases.nameLookup, phases.connect, phases.secureConnect, phases.preTransfer,
            phases.firstByte, phases.total, phases.redirects,
        ] {
            let microseconds = phase / .microseconds(1)
            let number = UInt32(min(max(0, microseconds), 4_294_967_295))
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    /// The phases; nil if the bytes are none.
    static func phases(_ data: Data) -> TransferMetrics.Phases? {
        guard data.count == 28 else { return nil }
        let bytes = [UInt8](data)
        let times = stride(from: 0, to: 28, by: 4).map { start -> Duration in
            .microseconds(
                (0..<4).reduce(Int64(0)) { $0 | Int64(bytes[start + $1]) << (8 * Int64($1)) }
            )
        }
        return TransferMetrics.Phases(
            nameLookup: times[0],
            connect: times[1],
            secureConnect: times[2],
            preTransfer: times[3],
            firstByte: times[4],
            total: times[5],
            redirects: times[6]
        )
    }
}
