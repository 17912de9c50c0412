package import Apus
public import FoundationEssentials
import GRDB
import HTTPTypes

/// Appends exchanges to a session's file.
///
/// When `record` returns, the exchange is on disk and synced: nothing that
/// happens to the process or the machine afterwards loses it.
public actor SessionRecorder {
    private let directory: String
    private let mask: CredentialMask
    private let clock: @Sendable () -> Date
    private var queue: DatabaseQueue?

    /// The file; nil before the first exchange.
    public private(set) var path: String?

    /// Makes a recorder; the file is made with the first exchange.
    ///
    /// - Parameters:
    ///   - directory: The folder of sessions; made if it is not there, for its user alone.
    ///   - secrets: What is masked wherever it stands, beside the credentials that are known by
    ///     their names.
    ///   - clock: Tells the time that names the session.
    public init(
        directory: String = SessionFile.standardDirectory,
        secrets: [String] = [],
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(directory: directory, mask: CredentialMask(secrets: secrets), clock: clock)
    }

    /// Makes a recorder with a mask of its own.
    package init(
        directory: String,
        mask: CredentialMask,
        clock: @escaping @Sendable () -> Date
    ) {
        self.directory = directory
        self.mask = mask
        self.clock = clock
    }

    /// Records an exchange; returns when it cannot be lost any more.
    ///
    /// - Returns: Its number in the session, from 1.
    /// - Throws: ``RecordingError`` if the file cannot be made or written.
    @discardableResult
    public func record(_ exchange: ExchangeRecord) async throws(RecordingError) -> Int64 {
        let queue = try opened()
        let row = ExchangeRow(exchange, mask: mask)
        do {
            return try await queue.write { db in try row.insert(into: db) }
        } catch {
            throw RecordingError(.write, path: path ?? directory, detail: String(describing: error))
        }
    }

    /// Closes the file; another exchange begins a new session.
    public func close() {
        // What was recorded is committed; a fault in closing loses nothing.
        try? queue?.close()
        queue = nil
        path = nil
    }

    private func opened() throws(RecordingError) -> DatabaseQueue {
        if let queue { return queue }
        do {
            try PrivateFiles.makeFolder(directory)
            let path = try newFile()
            var configuration = Configuration()
            configuration.label = "apus.session"
            configuration.busyMode = .timeout(5)
            configuration.journalMode = .wal
            configuration.prepareDatabase { db in
                // A recorded exchange was promised to survive, so every commit is synced.
                try db.execute(sql: "PRAGMA synchronous = FULL")
            }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.write { db in
                for statement in SessionFile.schema { try db.execute(sql: statement) }
                try db.execute(sql: "PRAGMA user_version = \(SessionFile.version)")
            }
            self.queue = queue
            self.path = path
            return queue
        } catch {
            throw RecordingError(.open, path: directory, detail: String(describing: error))
        }
    }

    private func newFile() throws -> String {
        let now = clock()
        for number in 1...1000 {
            let path = "\(directory)/\(SessionFile.name(at: now, number: number))"
            if try PrivateFiles.makeFile(path) { return path }
        }
        throw RecordingError(.open, path: directory, detail: "1000 sessions began in this second")
    }
}

/// An exchange as a row, its secrets masked.
struct ExchangeRow: Sendable {
    private let exchange: ExchangeRecord
    private let key: String
    private let request: Apus.PreparedRequest
    private let response: Response?
    private let error: ApusError?
    private let errorText: String?

    init(_ exchange: ExchangeRecord, mask: CredentialMask) {
        self.exchange = exchange
        key = SessionReader.key(for: exchange.request).digest
        let mask = mask.adding(exchange.request)
        request = mask.masking(exchange.request)
        switch exchange.result {
        case .success(let response):
            self.response = Self.masked(response, mask)
            error = nil
        case .failure(let error):
            response = error.response.map { Self.masked($0, mask) }
            self.error = error
        }
        errorText = error.map { mask.masking(line: String(describing: $0.reason)) }
    }

    private static func masked(_ response: Response, _ mask: CredentialMask) -> Response {
        var response = response
        response.head.headerFields = mask.masking(response.head.headerFields)
        if case .bytes(let bytes) = response.body { response.body = .bytes(mask.masking(bytes)) }
        response.metrics = response.metrics.map { mask.masking($0) }
        return response
    }

    /// Inserts the row and its bodies.
    func insert(into db: Database) throws -> Int64 {
        let line = request.recordedLine
        let requestBody = try BodyPieces.insert(request.body, into: db)
        let responseBody = try response.map { try BodyPieces.insert($0.body, into: db) }
        let record = response.map {
            Data(ResponseRecord(head: $0.head, received: $0.received, metrics: $0.metrics).encoded)
        }
        try db.execute(
            literal: """
                INSERT INTO exchange (key, started, duration, attempts, method, url, request,
                    request_body, status, response, response_body, size, is_complete, source,
                    error_code, error_text, events, target, workspace, environment)
                VALUES (\(key), \(exchange.started.timeIntervalSinceReferenceDate),
                    \(Self.seconds(exchange.duration)), \(exchange.attempts), \(line.method),
                    \(line.url), \(try JSONEncoder().encode(request.head)), \(requestBody),
                    \(response?.status), \(record), \(responseBody), \(response?.body.count ?? 0),
                    \(response?.isComplete ?? false), \(response.map { Self.name($0.source) }),
                    \(error?.code), \(errorText), \(try JSONEncoder().encode(exchange.events)),
                    \(exchange.target), \(exchange.workspace), \(exchange.environment))
                """
        )
        return db.lastInsertedRowID
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

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
    }
}
