import Apus
import FoundationEssentials
import GRDB
import HTTPTypes

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
        key = CacheKey(for: exchange.request, policy: SessionFile.keyPolicy).digest
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
