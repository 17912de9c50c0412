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
}

/// An exchange as it is written, its secrets masked.
struct ExchangeRow {
    private let record: ExchangeRecord
    private let key: Data
    private let request: Apus.PreparedRequest
    private let requestBody: BodyStore.Content?
    private let response: Response?
    private let responseBody: BodyStore.Content?
    private let error: ApusError?
    private let errorText: String?
    private let facts: ExchangeFacts

    /// - Throws: `ApusError` for a body's file that cannot be read.
    init(_ record: ExchangeRecord, mask: CredentialMask, bodyLimit: Int) throws {
        self.record = record
        key = Data(ReplayKey.digest(of: record.request).utf8)
        let mask = mask.adding(record.request)
        let request = mask.masking(record.request)
        self.request = request
        let bodies = BodyMask(mask: mask, limit: bodyLimit)
        let imported = record.imported
        requestBody =
            try imported.unkeptRequestSize.map { .missing(size: $0, of: request) }
            ?? bodies.content(of: request.body)
        error = if case .failure(let error) = record.result { error } else { nil }
        let answer = (try? record.result.get()) ?? error?.response
        response = answer.map { Self.masked($0, mask) }
        responseBody = try answer.map { answer in
            try imported.unkeptSize.map { .missing(size: $0, of: request) }
                ?? bodies.content(of: answer)
        }
        errorText = (imported.errorText ?? error?.errorDescription).map { mask.masking(line: $0) }
        facts = ExchangeFacts(
            decision: (imported.decision ?? answer?.decision?.description)
                .map { mask.masking(line: $0) },
            variables: record.origin.variables.mapValues { mask.masking(text: $0) },
            events: record.events
        )
    }

    private static func masked(_ response: Response, _ mask: CredentialMask) -> Response {
        var response = response
        response.head.headerFields = mask.masking(response.head.headerFields)
        response.metrics = response.metrics.map { mask.masking($0) }
        return response
    }

    /// Whether it counts as failed for its batch or chain.
    private var hasFailed: Bool { error != nil || response.map { $0.status >= 400 } ?? true }

    /// Inserts it with its bodies.
    func insert(
        in session: RecordedSession.ID?,
        _ bodies: BodyStore,
        into db: Database
    ) throws {
        let requestBody = try requestBody.map { try bodies.add($0, to: db) }
        let responseBody = try responseBody.map { try bodies.add($0, to: db) }
        let origin = record.origin
        let id =
            try Int64.fetchOne(
                db.cachedStatement(
                    sql: "UPDATE total SET last = last + 1, count = count + ? RETURNING last"
                ),
                arguments: [session == nil]
            ) ?? 0
        try db.cachedStatement(
            sql: """
                INSERT INTO exchange (id, session, run, place, step, started, duration, attempts, method,
                    url, host, target, workspace, environment, status, error, source, size, phases,
                    key, marked)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
                """
        ).execute(arguments: [
            id, session?.number, origin.run?.number, origin.place, origin.step,
            record.started.timeIntervalSinceReferenceDate, record.duration / .seconds(1),
            record.attempts, request.head.method.rawValue, request.url, request.head.authority,
            origin.target, origin.workspace, origin.environment, response?.status,
            record.imported.errorCode ?? error?.code,
            response.map { record.imported.source ?? Self.name($0.source) },
            self.responseBody?.size ?? 0,
            response?.metrics.map { PhaseBytes.data($0.phases) }, key,
        ])
        let head = response.map {
            Data(ResponseRecord(head: $0.head, received: $0.received, metrics: $0.metrics).encoded)
        }
        try db.cachedStatement(sql: "INSERT INTO detail VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
            .execute(arguments: [
                id, Data(RequestHead.bytes(request.head)), requestBody, head, responseBody,
                response?.isComplete ?? false, errorText, try JSONEncoder().encode(facts),
            ])
        if let run = origin.run {
            try db.cachedStatement(
                sql: """
                    UPDATE run SET count = count + 1, failed = failed + ?, size = size + ? WHERE id = ?
                    """
            ).execute(arguments: [hasFailed, self.responseBody?.size ?? 0, run.number])
        }
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
}

/// Bodies without their secrets, as they are kept.
private struct BodyMask {
    let mask: CredentialMask
    let limit: Int

    /// Of a request that is masked already.
    func content(of body: Apus.PreparedRequest.Body) throws -> BodyStore.Content? {
        switch body {
        case .none: nil
        case .bytes(let bytes): content(of: bytes)
        case .file(let path): try content(ofFile: path)
        case .multipart(let form): content(of: mask.masking(form.outline))
        case .stream(let stream): content(of: Array(stream.remark.utf8))
        }
    }

    func content(of response: Response) throws -> BodyStore.Content {
        switch response.body {
        case .bytes(let bytes): content(of: bytes) { mask.masking($0) }
        case .file(let file): try content(ofFile: file.path)
        }
    }

    private func content(
        of bytes: [UInt8],
        _ masking: ([UInt8]) -> [UInt8] = { $0 }
    ) -> BodyStore.Content {
        bytes.count <= limit
            ? .bytes(masking(json(bytes)))
            : .unkept(digest: ContentDigest.hex(of: bytes), size: bytes.count)
    }

    private func content(ofFile path: String) throws -> BodyStore.Content {
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
    private func json(_ bytes: [UInt8]) -> [UInt8] {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard mask.isOn, let first = bytes[start...].first(where: { $0 > 0x20 }),
            "{[".utf8.contains(first)
        else { return bytes }
        if let masked = Self.whole(bytes) { return masked }
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
        let masked = lines.map { $0.allSatisfy { $0 <= 0x20 } ? $0 : Self.whole($0) }
        if !masked.contains(nil) {
            return Array(masked.compactMap(\.self).joined(separator: [0x0A]))
        }
        // Cut off, or no JSON: what is behind the fault goes if there may be a credential in it.
        let hasName = bytes.split(separator: UInt8(ascii: "\"")).contains { part in
            part.count <= 64
                && CredentialMask.isSecret(parameter: String(decoding: part, as: UTF8.self))
        }
        guard hasName else { return bytes }
        let document = Document.parse(DocumentBytes(bytes))
        return CredentialMask.maskingMembers(of: bytes, as: document, sparesOrdinary: true)
    }

    /// Nil if it is no whole JSON.
    private static func whole(_ bytes: [UInt8]) -> [UInt8]? {
        let document = Document.parse(DocumentBytes(bytes))
        guard document.fault == nil else { return nil }
        return CredentialMask.maskingMembers(of: bytes, as: document, sparesOrdinary: true)
    }
}

/// The key that replay finds a request's exchanges by.
enum ReplayKey {
    /// No credential counts, for a replay has none.
    private static let policy = CachePolicy.keep(
        key: .full(fields: [.accept, .acceptLanguage]),
        separatesAccounts: false
    )

    /// The digest of a request's key.
    ///
    /// The `standard` header fields do not count: a recording answers on a machine of another
    /// language, too.
    static func digest(
        of request: Apus.PreparedRequest,
        standard: HTTPFields = .standard
    ) -> String {
        // A replay connects to nothing: whom the request trusts, and by which way it goes, does not
        // count.
        let options = request.options
        var request = request
        for field in standard where request.head.headerFields[field.name] == field.value {
            request.head.headerFields[field.name] = nil
        }
        request.options = TransportOptions(decodesContent: options.decodesContent).with {
            $0.secretParameters = options.secretParameters
            $0.secretTexts = options.secretTexts
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
        return CacheKey(for: request, policy: policy).digest
    }

    private static func isLarge(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > 32 << 20
    }
}

/// A request's head as lines: method, scheme, authority, path, then "Name: value" for each field.
enum RequestHead {
    static func bytes(_ head: HTTPRequest) -> [UInt8] {
        var text =
            "\(head.method.rawValue)\n\(head.scheme ?? "")\n\(head.authority ?? "")\n\(head.path ?? "")"
        for field in head.headerFields { text += "\n\(field.name.rawName): \(field.value)" }
        return Array(text.utf8)
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
    static func data(_ phases: TransferMetrics.Phases) -> Data {
        var data = Data(capacity: 28)
        for phase in [
            phases.nameLookup, phases.connect, phases.secureConnect, phases.preTransfer,
            phases.firstByte, phases.total, phases.redirects,
        ] {
            let microseconds = phase / .microseconds(1)
            let number = UInt32(min(max(0, microseconds), 4_294_967_295))
            for shift in [0, 8, 16, 24] as [UInt32] {
                data.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
        return data
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
