public import Apus
import Documents
import FoundationEssentials
import GRDB
import Glibc
package import HTTPTypes

/// Reads a session, also one that is still being recorded.
public final class SessionReader: Sendable {
    /// The file.
    public let path: String
    private let queue: DatabaseQueue

    /// Opens a session for reading; it may be somebody else's.
    ///
    /// - Throws: ``RecordingError`` if it is no session, or of another version.
    public init(path: String) throws(RecordingError) {
        self.path = path
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(5)
            // A session may be somebody else's: what it says of itself calls no function.
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA trusted_schema = OFF") }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let version = try queue.read { try Int.fetchOne($0, sql: "PRAGMA user_version") } ?? 0
            guard version == SessionFile.version else {
                throw RecordingError(
                    .open,
                    path: path,
                    detail: "its version is \(version), this program reads \(SessionFile.version)"
                )
            }
            guard try queue.read({ try DatabaseCheck.hasOnly(SessionFile.schema, $0) }) else {
                throw RecordingError(.open, path: path, detail: "it is not a session")
            }
            try queue.read { try DatabaseCheck.checkPages($0) }
            self.queue = queue
        } catch let error as RecordingError {
            throw error
        } catch {
            throw RecordingError(.open, path: path, detail: String(describing: error))
        }
    }

    /// The exchanges in recorded order.
    public func exchanges() async throws(RecordingError) -> [RecordedExchange] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT id, key, started, duration, attempts, method, url, status, size, source,
                        error_code, error_text, events, target, workspace, environment
                    FROM exchange ORDER BY id
                    """
            ).map(Self.exchange)
        }
    }

    /// The numbers of the exchanges with a key, in recorded order.
    package func exchanges(withKey key: CacheKey) async throws(RecordingError) -> [Int64] {
        try await read { db in
            try Int64.fetchAll(
                db,
                sql: "SELECT id FROM exchange WHERE key = ? ORDER BY id",
                arguments: [key.digest]
            )
        }
    }

    /// The key that replay finds a request's exchanges by.
    ///
    /// The `standard` header fields do not count: a recording answers on a machine of another
    /// language, too.
    package static func key(
        for request: Apus.PreparedRequest,
        standard: HTTPFields = .standard
    ) -> CacheKey {
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
        return CacheKey(for: request, policy: SessionFile.keyPolicy)
    }

    /// What an exchange ended with, its source `.replay`; nil if there is none
    /// of this number.
    ///
    /// It answers the given request, or else the recorded one; a body of more
    /// than the request's `memoryLimit` is in a file.
    public func result(
        of id: Int64,
        for request: Apus.PreparedRequest? = nil
    ) async throws(RecordingError) -> Result<Response, ApusError>? {
        try await read { db -> Result<Response, ApusError>? in
            guard
                let row = try Row.fetchOne(
                    db,
                    sql: "SELECT * FROM exchange WHERE id = ?",
                    arguments: [id]
                )
            else { return nil }
            let request = try request ?? Self.request(row, db)
            let response = try Self.response(row, request, db)
            if let code = try row.decode(Int?.self, forColumn: "error_code") {
                let detail = try row.decode(String?.self, forColumn: "error_text") ?? ""
                return .failure(
                    ApusError(
                        .transport(code: code, detail: "recorded: \(detail)"),
                        request: request.recordedLine,
                        response: response
                    )
                )
            }
            return response.map(Result.success)
        }
    }

    /// A value that no recorder writes.
    private struct Damage: Error, CustomStringConvertible {
        let description: String
    }

    // `decode` throws what the subscripts of a row trap on: a file may have any value anywhere.
    private static func exchange(_ row: Row) throws -> RecordedExchange {
        RecordedExchange(
            id: try row.decode(forColumn: "id"),
            key: try row.decode(forColumn: "key"),
            started: Date(timeIntervalSinceReferenceDate: try seconds(row, "started")),
            duration: .seconds(try seconds(row, "duration")),
            attempts: try row.decode(forColumn: "attempts"),
            request: ApusError.RequestLine(
                method: try row.decode(forColumn: "method"),
                url: try row.decode(forColumn: "url")
            ),
            status: try row.decode(forColumn: "status"),
            size: try row.decode(forColumn: "size"),
            source: try row.decode(forColumn: "source"),
            errorCode: try row.decode(forColumn: "error_code"),
            errorText: try row.decode(forColumn: "error_text"),
            events: try DocumentDecoder().decode(
                [RecordedEvent].self,
                from: try row.decode(Data.self, forColumn: "events")
            ),
            target: try row.decode(forColumn: "target"),
            workspace: try row.decode(forColumn: "workspace"),
            environment: try row.decode(forColumn: "environment")
        )
    }

    /// A time that a clock can have measured.
    private static func seconds(_ row: Row, _ column: String) throws -> Double {
        let seconds = try row.decode(Double.self, forColumn: column)
        guard abs(seconds) <= Date.distantFuture.timeIntervalSinceReferenceDate else {
            throw Damage(description: "\(column) is no time")
        }
        return seconds
    }

    private static func request(_ row: Row, _ db: Database) throws -> Apus.PreparedRequest {
        let head = try DocumentDecoder().decode(
            HTTPRequest.self,
            from: try row.decode(Data.self, forColumn: "request")
        )
        guard let digest = try row.decode(String?.self, forColumn: "request_body") else {
            return Apus.PreparedRequest(head: head)
        }
        return Apus.PreparedRequest(head: head, body: .bytes(try bytes(digest, db)))
    }

    private static func response(
        _ row: Row,
        _ request: Apus.PreparedRequest,
        _ db: Database
    ) throws -> Response? {
        guard let digest = try row.decode(String?.self, forColumn: "response_body"),
            let data = try row.decode(Data?.self, forColumn: "response"),
            let record = data.withUnsafeBytes({ ResponseRecord($0) })
        else { return nil }
        // What there is counts, not what the row says of it: that decides what goes to memory.
        let size = try BodyPieces.size(of: digest, in: db)
        guard size == (try row.decode(Int.self, forColumn: "size")) else {
            throw Damage(description: "the body of an answer is not whole")
        }
        let body: ResponseBody =
            size > request.options.memoryLimit
            ? .file(try file(digest, db)) : .bytes(try bytes(digest, db))
        return Response(
            request: request,
            head: record.head,
            body: body,
            source: .replay,
            isComplete: try row.decode(forColumn: "is_complete"),
            received: record.received,
            metrics: record.metrics
        )
    }

    private static func bytes(_ digest: String, _ db: Database) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try BodyPieces.forEach(of: digest, in: db) { bytes.append(contentsOf: $0) }
        return bytes
    }

    private static func file(_ digest: String, _ db: Database) throws -> BodyFile {
        try SpooledBody.file { write in
            try BodyPieces.forEach(of: digest, in: db) { try write($0) }
        }
    }

    private func read<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws(RecordingError) -> T {
        do {
            return try await queue.read(body)
        } catch {
            throw RecordingError(.read, path: path, detail: String(describing: error))
        }
    }
}
