import Apus
import FoundationEssentials
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Explorer
@testable import Recordings
@testable import Sharing

@MainActor
@Suite("Work on what a team shares")
struct SharingRunnerTests {
    private static let key = "0123456789abcdef0123456789abcdef"

    private let folder = TemporaryFolder()
    private let server: RedisServer
    private let team: TeamServer
    private let messages: AsyncStream<SharingMessage>
    private let continuation: AsyncStream<SharingMessage>.Continuation

    init() throws {
        server = try RedisServer()
        team = TeamServer(try RedisAddress(server.url), key: try TeamKey(Self.key))
        (messages, continuation) = AsyncStream<SharingMessage>.makeStream()
    }

    private var choice: ServerChoice { ServerChoice(chosen: team.address) }

    private func runner(_ history: History, key: String? = SharingRunnerTests.key) -> SharingRunner
    {
        SharingRunner(history, TeamServers(teamKey: key)) { [continuation] in
            continuation.yield($0)
        }
    }

    private func history(_ name: String) -> History {
        History(path: "\(folder.path)/\(name).sqlite")
    }

    /// What one of the messages that are still to come says.
    private func next<Value>(_ find: (SharingMessage) -> Value?) async -> Value? {
        for await message in messages {
            if let value = find(message) { return value }
        }
        return nil
    }

    private func share(_ count: Int, from history: History) async throws {
        let stream = team.stream(named: "bug")
        let session = try await history.session(named: "bug")
        for number in 1...count {
            let request = PreparedRequest(
                head: HTTPRequest(
                    method: .get,
                    scheme: "http",
                    authority: "h.example",
                    path: "/\(number)"
                )
            )
            await history.record(
                ExchangeRecord(
                    started: Date(),
                    request: request,
                    result: .success(.make("body \(number)")),
                    duration: .milliseconds(number)
                ),
                in: session
            )
            try await history.flush()
            let id = try #require(try await history.exchanges().first?.id)
            try await stream.append(try #require(try await history.har(of: id, session: "bug")))
        }
    }

    /// How many connections the server has besides the one that asks.
    private var connectionCount: Int {
        get throws {
            let connection = try RedisConnection(team.address, RedisLimits())
            let reply = try connection.send([RedisCommand("CLIENT", "LIST")])[0]
            return (reply.text ?? "").split(separator: "\n").count - 1
        }
    }

    @Test("the list follows the server, and nothing of it is left when it ends")
    func lists() async throws {
        let runner = runner(history("here"))
        runner.perform(.list(choice))
        let none = await next { if case .listed(let sessions) = $0 { sessions } else { nil } }
        #expect(none == [])
        try await share(2, from: history("there"))
        let found = await next { message -> [StreamedSession]? in
            if case .listed(let sessions) = message, sessions.first?.count == 2 {
                sessions
            } else {
                nil
            }
        }
        #expect(found?.map(\.name) == ["bug"])
        #expect(found?.first?.count == 2)
        runner.perform(.endList)
        await runner.end()()
        #expect(await comesTrue { (try? connectionCount) == 0 })
    }

    @Test(
        "what is watched is recorded with its bodies, and the server has no connection when it ends"
    )
    func watches() async throws {
        try await share(3, from: history("there"))
        let here = history("here")
        let runner = runner(here)
        runner.perform(.watch(WatchedSession(id: 7, name: "bug"), fromNow: false, choice))
        for number in 1...3 {
            let url = await next { message -> String? in
                guard case .received(watch: 7, .exchange(let exchange)) = message else {
                    return nil
                }
                return exchange.request.url
            }
            #expect(url == "http://h.example/\(number)")
        }
        await runner.end()()
        let session = try #require(try await here.sessions().first)
        #expect(session.name == "bug (watched)")
        #expect(session.ended != nil)
        #expect(session.count == 3)
        let newest = try #require(try await here.exchanges().first)
        let body = try await here.exchange(newest.id)?.response?.body
        #expect(try body?.load() == Array("body 3".utf8))
        #expect(await comesTrue { (try? connectionCount) == 0 })
        await here.close()
    }

    @Test("without a key both say so, and nothing is connected")
    func noKey() async throws {
        let runner = runner(history("here"), key: nil)
        runner.perform(.list(choice))
        let reason = await next { if case .listFailed(let reason) = $0 { reason } else { nil } }
        #expect(reason?.hasPrefix("the environment variable TEAM_KEY is not set") == true)
        runner.perform(.watch(WatchedSession(id: 1, name: "bug"), fromNow: false, choice))
        let failed = await next { message -> String? in
            if case .watchFailed(watch: 1, let reason) = message { reason } else { nil }
        }
        #expect(failed == reason)
        await runner.end()()
        #expect(try connectionCount == 0)
    }

    @Test("a session that is begun with a server is shared there, until it ends")
    func shares() async throws {
        let here = history("here")
        let notices = continuation
        let recorder = HistoryRunner(
            here,
            session: nil,
            servers: TeamServers(teamKey: Self.key),
            report: { notices.yield($0) },
            send: { _ in }
        )
        recorder.perform(.beginSession("bug", sharing: choice))
        let began: Bool? = await next { message in
            if case .own(session: "bug", .began, at: server.url) = message { true } else { nil }
        }
        #expect(began == true)
        // Its mark lasts some seconds, and is made again: beside other work perhaps too late.
        while try await SessionDirectory(team).sessions().map(\.isShared) != [true] {
            await Task.yield()
        }
        recorder.perform(.endSession)
        await recorder.end()()
        #expect(try await SessionDirectory(team).sessions().isEmpty)
        #expect(await comesTrue { (try? connectionCount) == 0 })
    }
}

/// Whether a condition comes true, while other tasks run.
@MainActor
private func comesTrue(_ condition: () -> Bool) async -> Bool {
    let deadline = ContinuousClock.now + .seconds(120)
    while !condition() {
        guard ContinuousClock.now < deadline else { return false }
        await Task.yield()
    }
    return true
}
