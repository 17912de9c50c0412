import Apus
import FoundationEssentials
import HTTPTypes
import Recordings
import TestSupport

/// A folder for sessions, which is not there before the first.
struct SessionFolder {
    private let folder = TemporaryFolder()

    var path: String { folder.path + "/sessions" }
}

extension PreparedRequest {
    static func make(
        _ path: String = "/users",
        method: HTTPRequest.Method = .get,
        authority: String = "api.example.com",
        fields: HTTPFields = [:],
        body: Body = .none,
        memoryLimit: Int = 8 << 20
    ) -> PreparedRequest {
        PreparedRequest(
            head: HTTPRequest(
                method: method,
                scheme: "https",
                authority: authority,
                path: path,
                headerFields: fields
            ),
            body: body,
            options: TransportOptions(memoryLimit: memoryLimit)
        )
    }
}

extension ExchangeRecord {
    static func make(
        _ request: PreparedRequest = .make(),
        status: Int = 200,
        fields: HTTPFields = [:],
        body: [UInt8] = Array("hello".utf8)
    ) -> ExchangeRecord {
        let response = Response(
            request: request,
            head: HTTPResponse(status: .init(code: status), headerFields: fields),
            body: .bytes(body),
            source: .server,
            received: Date(timeIntervalSinceReferenceDate: 800_000_000.5),
            metrics: TransferMetrics(bytesReceived: body.count, negotiatedVersion: "2")
        )
        return ExchangeRecord(
            started: Date(timeIntervalSinceReferenceDate: 800_000_000),
            request: request,
            result: .success(response),
            duration: .milliseconds(12),
            attempts: 2,
            events: [RecordedEvent("willSend", at: .milliseconds(1), detail: "attempt 1")],
            target: "users",
            workspace: "demo",
            environment: "local"
        )
    }
}

extension HTTPField.Name {
    static let xAPIKey = HTTPField.Name("X-Api-Key") ?? .authorization
}
