import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Recordings
import Synchronization
import Terminal
import TestSupport
import Testing
import TreeView

@testable import Explorer

@MainActor
@Suite("Sending an exchange of the history again", .timeLimit(.minutes(5)))
struct SendAgainTests {
    private final class Sent: Transport {
        let requests = Mutex<[PreparedRequest]>([])

        func send(
            _ request: PreparedRequest,
            progress: (@Sendable (TransferProgress) -> Void)?
        ) async throws(ApusError) -> Response {
            requests.withLock { $0.append(request) }
            var response = Response.make("{}")
            response.request = request
            return response
        }
    }

    private let folder = TemporaryFolder()
    private let sent = Sent()
    private let mailbox = Mailbox<Message>()
    private let history: History
    private let runner: EffectRunner

    init() {
        history = History(path: folder.path + "/history.sqlite")
        runner = EffectRunner(
            transport: sent,
            cache: .init(),
            history: history,
            session: nil,
            mailbox: mailbox
        ) { throw CancellationError() }
    }

    /// Records an upload, and gives its exchange.
    private func recorded(
        _ body: PreparedRequest.Body,
        _ fields: HTTPFields,
        status: Int = 200,
        unkept: Int? = nil
    ) async throws -> RecordedExchange {
        let request = PreparedRequest(
            head: HTTPRequest(
                method: .post,
                scheme: "http",
                authority: "h.example",
                path: "/upload",
                headerFields: fields
            ),
            body: body
        )
        var response = Response.make("{}")
        response.request = request
        response.head.status = .init(code: status)
        var record = ExchangeRecord(
            started: Date(),
            request: request,
            result: .success(response),
            duration: .milliseconds(1)
        )
        record.imported.unkeptRequestSize = unkept
        await history.record(record)
        try await history.flush()
        return try #require(try await history.exchanges(limit: 1).first)
    }

    /// What is told of an effect, or nil once something was sent.
    private func notice(_ effect: Effect) async -> String? {
        runner.perform(effect)
        while !Task.isCancelled {
            for message in mailbox.removeAll() {
                switch message {
                case .history(.notice(let notice)): return notice.text
                case .exchange(_, .finished(let summary)):
                    if (try? summary.result.get()) != nil { return nil }
                default: continue
                }
            }
            await Task.yield()
        }
        return "nothing was told"
    }

    @Test("a body that was not kept, or has names for files, is not sent, nor copied as a command")
    func uploads() async throws {
        let large = try await recorded(.none, [:], unkept: 40_000_000)
        let size = "its body of \(Readable.bytes(40_000_000)) was too large to be kept"
        #expect(await notice(.sendAgain(RunID(number: 1), large, nil)) == "not sent: \(size)")
        #expect(await notice(.history(.copyCommand(large.id))) == "not copied: \(size)")
        let path = try folder.write("secret plans", to: "plan.txt")
        let form = MultipartForm([.file("plan", path: path)])
        let type: HTTPFields = [.contentType: "multipart/form-data; boundary=\(form.boundary)"]
        let upload = try await recorded(.multipart(form), type)
        let names = "only the names of its form's files were recorded"
        #expect(await notice(.sendAgain(RunID(number: 2), upload, nil)) == "not sent: \(names)")
        #expect(await notice(.history(.copyCommand(upload.id))) == "not copied: \(names)")
        #expect(sent.requests.withLock(\.self).isEmpty)
        runner.close()
    }

    @Test(
        "fields of a connection are not sent again, and a redirect that was shown is not followed"
    )
    func fields() async throws {
        let shown = try await recorded(
            .bytes(Array("a=1".utf8)),
            [.contentLength: "3", .connection: "close", .contentType: "text/plain"],
            status: 302
        )
        #expect(await notice(.sendAgain(RunID(number: 1), shown, nil)) == nil)
        let request = try #require(sent.requests.withLock { $0.first })
        #expect(request.head.headerFields[.contentType] == "text/plain")
        #expect(!request.head.headerFields.contains(.contentLength))
        #expect(!request.head.headerFields.contains(.connection))
        #expect(request.body == .bytes(Array("a=1".utf8)))
        #expect(request.options.maximumRedirects == 0)
        runner.close()
    }
}
