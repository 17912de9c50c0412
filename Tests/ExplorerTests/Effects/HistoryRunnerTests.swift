import Apus
import FoundationEssentials
import HTTPTypes
import Recordings
import Terminal
import TestSupport
import Testing
import TreeView

@testable import Explorer

@MainActor
@Suite("Work on the history")
struct HistoryRunnerTests {
    private let folder = TemporaryFolder()
    private let messages: AsyncStream<HistoryMessage>
    private let history: History
    private let runner: HistoryRunner

    init() {
        let (messages, continuation) = AsyncStream<HistoryMessage>.makeStream()
        let history = History(path: folder.path + "/history.sqlite")
        self.messages = messages
        self.history = history
        runner = HistoryRunner(history, session: nil) { continuation.yield($0) }
    }

    /// What one of the messages that are still to come says.
    private func next<Value>(_ find: (HistoryMessage) -> Value?) async -> Value? {
        for await message in messages {
            if let value = find(message) { return value }
        }
        return nil
    }

    private func record(
        _ history: History,
        _ body: String,
        path: String = "/users/7",
        target: String = "Users/Show user",
        error: ApusError.Reason? = nil,
        run: RecordedRun.ID? = nil
    ) async throws {
        let request = PreparedRequest(
            head: HTTPRequest(method: .get, scheme: "http", authority: "h.example", path: path)
        )
        var response = Response.make(body)
        response.request = request
        await history.record(
            ExchangeRecord(
                started: Date(),
                request: request,
                result: error.map { .failure(ApusError($0)) } ?? .success(response),
                duration: .milliseconds(1),
                origin: ExchangeOrigin(
                    target: target,
                    workspace: "demo",
                    environment: "local",
                    run: run
                )
            )
        )
        try await history.flush()
    }

    private var series: ExchangeSeries {
        .target("Users/Show user", workspace: "demo", environment: "local", path: "/users/7")
    }

    @Test("a look at what is new does not keep the next page from coming")
    func bothCome() async throws {
        try await record(history, "{}")
        runner.perform(.load(nil, before: .newest, generation: 1))
        runner.perform(.refresh(nil, count: 10, generation: 2))
        var seen: Set<Int> = []
        for await message in messages {
            switch message {
            case .loaded(let page, let generation), .refreshed(let page, let generation):
                #expect(page.entries.count == 1)
                seen.insert(generation)
            default: break
            }
            if seen == [1, 2] { break }
        }
        await runner.close()
    }

    @Test("looks that are asked for while one is under way become one that follows it")
    func oneFollows() async throws {
        for generation in 1...3 {
            runner.perform(.refresh(nil, count: 10, generation: generation))
        }
        var seen: [Int] = []
        for await message in messages {
            if case .refreshed(_, let generation) = message { seen.append(generation) }
            if seen.last == 3 { break }
        }
        #expect(seen == [1, 3])
        await runner.close()
    }

    @Test("a page that cannot be read is told, and so is a batch that cannot be recorded")
    func unreadable() async throws {
        // A folder is no file.
        let (messages, continuation) = AsyncStream<HistoryMessage>.makeStream()
        let runner = HistoryRunner(History(path: folder.path), session: nil) {
            continuation.yield($0)
        }
        runner.perform(.load(nil, before: .newest, generation: 7))
        let place = CatalogPlace(catalog: "demo", environment: "local")
        let run = RunID(number: 1)
        let recording = await runner.begin(.batch, run, named: "b", total: 1, in: place)
        #expect(recording == nil)
        var (failures, isLoadFailed) = (0, false)
        for await message in messages {
            switch message {
            case .notice(let notice) where notice.kind == .failure: failures += 1
            case .loadFailed(generation: 7): isLoadFailed = true
            // That is said of the history as a whole, and shown to the end.
            case .stopped(let text): Issue.record("\(text)")
            default: break
            }
            if failures == 2, isLoadFailed { break }
        }
        await runner.close()
    }

    @Test("the exchanges of a batch come with why they failed")
    func parts() async throws {
        let run = try await history.beginRun(.batch, named: "b")
        let reason = ApusError.Reason.nameLookup(host: "h.example", detail: "no such host")
        try await record(history, "", error: reason, run: run)
        runner.perform(.loadParts(run))
        let page = await next { if case .parts(run, let page) = $0 { page } else { nil } }
        #expect(page?.entries.count == 1)
        #expect(page?.errors.values.first?.contains("h.example") == true)
        await runner.close()
    }

    @Test("what is noted just before the end is kept")
    func lateNote() async throws {
        try await record(history, "{}")
        let id = try #require(try await history.exchanges(in: series, limit: 1).first).id
        runner.perform(.note(id, "slow"))
        await runner.close()
        #expect(try await history.exchange(id)?.exchange.note == "slow")
        await history.close()
    }

    @Test("what another process writes is told")
    func told() async throws {
        runner.perform(.load(nil, before: .newest, generation: 0))
        _ = await next { if case .changed = $0 { true } else { nil } }
        let other = History(path: history.path)
        try await record(other, "{}")
        _ = await next { if case .changed = $0 { true } else { nil } }
        await other.close()
        await runner.close()
    }

    @Test("values of a path are those of the series, the newest first, also where there is none")
    func values() async throws {
        for body in [#"{"a":{"b":1}}"#, #"{"a":{}}"#, #"{"a":{"b":"x"}}"#, "no JSON"] {
            try await record(history, body)
        }
        try await record(history, #"{"a":{"b":9}}"#, path: "/users/8")
        runner.perform(.values(series, path: "$['a']['b']", generation: 3))
        let found = await next { message -> [PastValue]? in
            if case .values(let values, isWhole: true, generation: 3) = message {
                values
            } else {
                nil
            }
        }
        #expect(found?.map(\.text) == [nil, #""x""#, nil, "1"])
        #expect(found?.map(\.number) == [nil, nil, nil, 1])
        await runner.close()
    }

    @Test("an exchange stands beside the latest of its series, and its neighbors are found")
    func opens() async throws {
        for number in 1...3 { try await record(history, "{\"n\":\(number)}") }
        try await record(history, "{}", path: "/users/8")
        let all = try await history.exchanges(in: series, limit: 10)
        #expect(all.count == 3)
        let oldest = try #require(all.last)
        func opened(_ neighbor: HistoryEffect.Neighbor) async -> [RecordedExchange.ID?] {
            runner.perform(.open(oldest, beside: neighbor, comparing: true))
            return await next { message -> [RecordedExchange.ID?]? in
                switch message {
                case .opened(let opened, _): [opened.then.id, opened.now?.id]
                case .notice: []
                default: nil
                }
            } ?? []
        }
        let ids = all.map(\.id)
        #expect(await opened(.latest) == [ids[2], ids[0]])
        #expect(await opened(.newer) == [ids[1], ids[0]])
        #expect(await opened(.older) == [])
        #expect(await opened(.exchange(all[1])) == [ids[2], ids[1]])
        await runner.close()
    }

    @Test("the newest response of a target stands beside the one before it")
    func latest() async throws {
        for number in 1...3 { try await record(history, "{\"n\":\(number)}") }
        let ids = try await history.exchanges(in: series, limit: 10).map(\.id)
        runner.perform(.openLatest(series))
        let found = await next { message -> [RecordedExchange.ID?]? in
            if case .opened(let opened, true) = message {
                [opened.then.id, opened.now?.id]
            } else {
                nil
            }
        }
        #expect(found == [ids[1], ids[0]])
        await runner.close()
    }

    @Test("a mark and a note change the line at once")
    func changes() async throws {
        try await record(history, "{}")
        let id = try #require(try await history.exchanges(in: series, limit: 1).first).id
        runner.perform(.mark(id, true))
        runner.perform(.note(id, "slow"))
        var isMarked = false
        let note = await next { message -> String? in
            guard case .replaced(let exchange) = message else { return nil }
            isMarked = isMarked || exchange.isMarked
            return exchange.note
        }
        #expect(isMarked)
        #expect(note == "slow")
        await runner.close()
    }

    /// Records an exchange whose body is still where its session was pulled from.
    private func recordRemote(_ body: [UInt8]) async throws -> RecordedExchange {
        let request = PreparedRequest(
            head: HTTPRequest(method: .get, scheme: "http", authority: "h.example", path: "/")
        )
        var response = Response.make("")
        response.request = request
        var record = ExchangeRecord(
            started: Date(),
            request: request,
            result: .success(response),
            duration: .milliseconds(1)
        )
        record.imported.remoteBody = RemoteBody(
            digest: ContentDigest.hex(of: body),
            size: body.count,
            location: "s3://acme/team"
        )
        await history.record(record)
        try await history.flush()
        return try #require(try await history.exchanges(limit: 1).first)
    }

    @Test(
        "an exchange opens at once, and its body follows when it has been fetched",
        arguments: [true, false]
    )
    func fetched(isThere: Bool) async throws {
        let body = Array("{\"a\": 1}".utf8)
        let exchange = try await recordRemote(body)
        history.fetchBodies { _ in
            guard isThere else { throw ApusError(.transport(code: 7, detail: "no")) }
            return body
        }
        runner.perform(.open(exchange, beside: .none, comparing: false))
        let opened = await next { if case .opened(let opened, _) = $0 { opened } else { nil } }
        #expect(opened?.thenAbsence == "still in s3://acme/team and is being fetched")
        let got = await next { if case .fetched(let opened, _) = $0 { opened } else { nil } }
        if isThere {
            #expect(try got?.thenResult.get().body.load() == body)
            #expect(got?.thenUnkeptSize == nil && got?.thenAbsence == nil)
        } else {
            #expect(got?.thenAbsence?.hasPrefix("not here: ") == true)
            #expect(got?.thenUnkeptSize == body.count)
        }
        await runner.close()
    }

    @Test("a session counts what is recorded in it, and says so at its end")
    func session() async throws {
        runner.perform(.beginSession("bug"))
        let sessionStatus = await next {
            if case .session(let sessionStatus) = $0 { sessionStatus } else { nil }
        }
        #expect(sessionStatus == SessionStatus(name: "bug", count: 0))
        runner.perform(.endSession)
        let text = await next { message -> String? in
            if case .notice(let notice) = message { notice.text } else { nil }
        }
        #expect(text?.contains("bug has ended: 0 exchanges") == true)
        await runner.close()
    }
}

extension HistoryRunner {
    fileprivate func close() async {
        let finish = end()
        await finish()
    }
}
