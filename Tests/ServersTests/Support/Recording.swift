import Apus
import FoundationEssentials
import HTTPServing
import HTTPTypes
import Recordings
import Servers
import TestSupport

/// A history with a session in a folder of its own.
struct Recording {
    private let folder = TemporaryFolder()
    let history: History
    let session: RecordedSession.ID

    /// With these known secrets.
    init(secrets: [String] = []) async throws {
        history = History(path: folder.path + "/history.sqlite", secrets: secrets)
        session = try await history.beginSession(named: "s")
    }

    /// Records a response, of which a nil status is none.
    func add(
        _ method: HTTPRequest.Method = .get,
        _ path: String,
        _ fields: HTTPFields = [:],
        body: String = "",
        host: String = "api.example.com",
        status: Int? = 200,
        answer: String = "",
        responseFields: HTTPFields = [:],
        isComplete: Bool = true,
        duration: Duration = .zero,
        remote: RemoteBody? = nil
    ) async throws {
        let request = PreparedRequest(
            head: HTTPRequest(
                method: method,
                scheme: "https",
                authority: host,
                path: path,
                headerFields: fields
            ),
            body: body.isEmpty ? .none : .bytes(Array(body.utf8))
        )
        let lost = ApusError.Reason.connectionLost(
            received: answer.utf8.count,
            expected: nil,
            detail: "",
            phase: status == nil ? .beforeHeader : .inBody
        )
        let response = status.map { status in
            Response(
                request: request,
                head: HTTPResponse(status: .init(code: status), headerFields: responseFields),
                body: .bytes(Array(answer.utf8)),
                source: .server,
                isComplete: isComplete,
                received: Date(timeIntervalSinceReferenceDate: 0)
            )
        }
        let result: Result<Response, ApusError> =
            if let response, isComplete {
                .success(response)
            } else {
                .failure(ApusError(lost, response: response))
            }
        var record = ExchangeRecord(
            started: Date(timeIntervalSinceReferenceDate: 0),
            request: request,
            result: result,
            duration: duration
        )
        record.imported.remoteBody = remote
        await history.record(record, in: session)
        try await history.flush()
    }

    /// Serves it while a test runs.
    func serving<T: Sendable>(
        fallback: String? = nil,
        keepsDelay: Bool = false,
        memory: Int = 256 << 20,
        log: @escaping @Sendable (ServedRequest) -> Void = { _ in },
        _ body: @escaping @Sendable (Int) async throws -> T
    ) async throws -> T {
        let server = RecordedServer(
            history,
            session: session,
            fallback: try fallback.map { try .init(url: $0) },
            keepsDelay: keepsDelay,
            memory: memory,
            log: log
        )
        return try await ServersTests.serving({ try await server.answer($0, $1) }, body)
    }
}

/// A request on a connection of its own, and all of the response.
func ask(
    _ port: Int,
    _ line: String,
    _ fields: String...,
    body: String? = nil
) async throws -> String {
    let client = try RawClient(port: port)
    let length = body.map { ["Content-Length: \($0.utf8.count)"] } ?? []
    let lines = ["\(line) HTTP/1.1", "Host: x", "Connection: close"] + fields + length
    try await client.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
    return try await client.rest()
}
