import Apus
import Dispatch
import FoundationEssentials
import HTTPTypes
import Recordings
import Terminal
import TestSupport
import Testing

@testable import Explorer

@MainActor
@Suite("Running effects", .timeLimit(.minutes(5)))
struct EffectRunnerTests {
    /// Answers each request at once.
    private struct Answering: Transport {
        var body = "{}"

        func send(
            _ request: PreparedRequest,
            progress: (@Sendable (TransferProgress) -> Void)?
        ) async throws(ApusError) -> Response {
            var response = Response.make(body)
            response.request = request
            return response
        }
    }

    private let folder = TemporaryFolder()
    private let mailbox = Mailbox<Message>()
    private var path: String { folder.path + "/history.sqlite" }

    private func runner(session: String? = nil, body: String = "{}") -> EffectRunner {
        EffectRunner(
            transport: Answering(body: body),
            cache: .init(directory: folder.path + "/cache"),
            history: History(path: path),
            session: session,
            mailbox: mailbox
        ) { .sample }
    }

    private let target = ResolvedTarget(
        target: PlayTarget(),
        source: .server,
        url: "http://api.test/",
        details: []
    )

    /// What one of the messages that are still to come says.
    private func next<Value>(_ find: (Message) -> Value?) async throws -> Value {
        while true {
            for message in mailbox.removeAll() {
                if let value = find(message) { return value }
            }
            await Task.yield()
        }
    }

    // The main thread waits for it: what needs that thread would never end.
    @Test("leaving ends the session, and writes what waits, while the main thread waits")
    func closes() async throws {
        let runner = runner(session: "bug")
        try await next { message -> Void? in
            if case .history(.session) = message { () } else { nil }
        }
        runner.perform(
            .send(RunID(number: 1), CatalogID("Users/Show user"), environment: 0, target, .server)
        )
        try await next { message -> Void? in
            if case .exchange(_, .finished) = message { () } else { nil }
        }
        #expect(runner.close(within: .seconds(60)))
        let history = History(path: path)
        let session = try #require(try await history.sessions().first)
        #expect(session.ended != nil)
        #expect(session.count == 1, "the look into the cache is none")
        await history.close()
    }

    @Test("who leaves waits for what takes long to record, as long as that gets on")
    func closesLate() async throws {
        // To mask all of them takes longer than a disk that hangs is waited for.
        let body = "[\(String(repeating: #"{"token":"s3cret","a":[1,2,3]},"#, count: 5000))0]"
        let runner = runner(session: "bug", body: body)
        for number in 1...8 {
            let id = RunID(number: number)
            runner.perform(
                .send(id, CatalogID("Users/Show user"), environment: 0, target, .server)
            )
            try await next { message -> Void? in
                if case .exchange(id, .finished) = message { () } else { nil }
            }
        }
        // To put what is written into its order may take longer, and is not waited for.
        runner.close(within: .seconds(2))
        let history = History(path: path)
        // The last one may not have come to the history yet.
        #expect(try await history.sessions().first?.count ?? 0 >= 7)
        await history.close()
    }

    @Test("a watch can be stopped after hundreds of other runs")
    func stops() async throws {
        let runner = runner()
        let watch = RunID(number: 1)
        let plan = try WatchPlan("1 h")
        runner.perform(.watch(watch, CatalogID("Users/Show user"), environment: 0, target, plan))
        for number in 2...250 {
            runner.perform(
                .send(
                    RunID(number: number),
                    CatalogID("Users/List users"),
                    environment: 0,
                    target,
                    .server
                )
            )
        }
        var open = 249
        try await next { message -> Void? in
            if case .exchange(_, .finished) = message { open -= 1 }
            return open == 0 ? () : nil
        }
        runner.perform(.cancel(watch))
        let ended = try await next { message -> RunID? in
            if case .watchEnded(let id, false) = message { id } else { nil }
        }
        #expect(ended == watch)
        runner.close(within: .seconds(60))
    }

    @Test("a request that cannot be sent again says why, and is not said to be cancelled")
    func refuses() async throws {
        let history = History(path: path)
        var request = PreparedRequest(
            head: HTTPRequest(method: .get, scheme: "http", authority: "h.example", path: "/")
        )
        request.head.headerFields[.authorization] = "Bearer a-very-secret-token"
        var response = Response.make("{}")
        response.request = request
        await history.record(
            ExchangeRecord(
                started: Date(),
                request: request,
                result: .success(response),
                duration: .milliseconds(1),
                origin: ExchangeOrigin()
            )
        )
        try await history.flush()
        let page = try await history.page()
        let exchange = try #require(page.entries.first?.exchange)
        await history.close()
        let runner = runner()
        runner.perform(.sendAgain(RunID(number: 1), exchange, nil))
        let error = try await next { message -> ApusError? in
            guard case .exchange(_, .finished(let summary)) = message,
                case .failure(let error) = summary.result
            else { return nil }
            return error
        }
        #expect(error.message.title == "Not sent")
        #expect(error.message.detail.contains("Authorization"))
        runner.close(within: .seconds(60))
    }
}
