import Apus
import FoundationEssentials
import HTTPTypes
import Recordings
import Synchronization
import TestSupport
import Testing

/// A history in a folder of its own, and its clock.
struct HistoryBench {
    let folder = TemporaryFolder()
    let time = Mutexed(Date(timeIntervalSinceReferenceDate: 800_000_000))

    var path: String { folder.path + "/apus/history.sqlite" }

    func history(
        limits: History.Limits = History.Limits(),
        secrets: [String] = [],
        keepsSecrets: Bool = false,
        notice: @escaping @Sendable (History.Notice) -> Void = { _ in }
    ) -> History {
        History(
            path: path,
            limits: limits,
            secrets: secrets,
            keepsSecrets: keepsSecrets,
            clock: { [time] in time.value },
            notice: notice
        )
    }

    /// The files, by their paths in the folder.
    var files: [String] { Self.files(folder.path + "/apus", "") }

    /// Expects that none of some texts is in any file.
    func expectNone(of texts: String...) throws {
        #expect(!files.isEmpty)
        for name in files {
            let bytes = try Data(contentsOf: URL(filePath: "\(folder.path)/apus/\(name)"))
            for text in texts {
                #expect(bytes.firstRange(of: Data(text.utf8)) == nil, "\(text) in \(name)")
            }
        }
    }

    private static func files(_ root: String, _ prefix: String) -> [String] {
        Folders.names(in: "\(root)/\(prefix)").flatMap { name -> [String] in
            let below = files(root, "\(prefix)\(name)/")
            return below.isEmpty ? ["\(prefix)\(name)"] : below
        }.sorted()
    }
}

/// A value that several threads set.
final class Mutexed<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

extension PreparedRequest {
    static func make(
        _ path: String = "/users",
        method: HTTPRequest.Method = .get,
        authority: String = "api.example.com",
        fields: HTTPFields = [:],
        body: Body = .none
    ) -> PreparedRequest {
        PreparedRequest(
            head: HTTPRequest(
                method: method,
                scheme: "https",
                authority: authority,
                path: path,
                headerFields: fields
            ),
            body: body
        )
    }
}

extension ExchangeRecord {
    static func make(
        _ request: PreparedRequest = .make(),
        status: Int = 200,
        fields: HTTPFields = [:],
        body: [UInt8] = Array("hello".utf8),
        started: Date = Date(timeIntervalSinceReferenceDate: 800_000_000),
        origin: ExchangeOrigin = ExchangeOrigin(
            target: "users",
            workspace: "demo",
            environment: "local"
        )
    ) -> ExchangeRecord {
        let response = Response(
            request: request,
            head: HTTPResponse(status: .init(code: status), headerFields: fields),
            body: .bytes(body),
            source: .server,
            received: Date(timeIntervalSinceReferenceDate: 800_000_000.5),
            metrics: TransferMetrics(
                phases: TransferMetrics.Phases(
                    nameLookup: .microseconds(120),
                    connect: .microseconds(3400),
                    total: .milliseconds(12)
                ),
                bytesReceived: body.count,
                negotiatedVersion: "2"
            )
        )
        return ExchangeRecord(
            started: started,
            request: request,
            result: .success(response),
            duration: .milliseconds(12),
            attempts: 2,
            origin: origin,
            events: [RecordedEvent("willSend", at: .milliseconds(1), detail: "attempt 1")]
        )
    }

    static func failed(_ path: String, _ reason: ApusError.Reason) -> ExchangeRecord {
        var record = make(.make(path))
        record.result = .failure(ApusError(reason))
        return record
    }
}

extension History {
    /// Records exchanges, and waits until they are on disk.
    func keep(_ records: [ExchangeRecord], in session: RecordedSession.ID? = nil) async throws {
        for record in records { await self.record(record, in: session) }
        try await flush()
    }

    /// The paths of the exchanges that a filter lets pass, the newest first.
    func paths(_ filter: String, before end: Int64? = nil, limit: Int = 100) async throws
        -> [String]
    {
        try await exchanges(
            matching: try HistoryFilter(
                filter,
                now: Date(timeIntervalSinceReferenceDate: 800_000_000),
                timeZone: TimeZone(secondsFromGMT: 0) ?? .current
            ),
            before: end,
            limit: limit
        ).map { $0.request.url.replacing("https://api.example.com", with: "") }
    }
}

extension HTTPField.Name {
    static let xAPIKey = HTTPField.Name("X-Api-Key") ?? .authorization
}
