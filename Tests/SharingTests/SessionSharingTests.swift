import Apus
import FoundationEssentials
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Recordings
@testable import Sharing

/// Something that has happened.
private final class Flag: Sendable {
    let isSet = Atomic(false)
}

/// A session that one machine records and another watches.
struct SessionSharingTests {
    /// A history with a session.
    private struct Recorder {
        let folder = TemporaryFolder()
        let history: History
        let session: RecordedSession.ID

        init() async throws {
            history = History(path: "\(folder.path)/history.sqlite")
            session = try await history.beginSession(named: "bug")
        }

        func record(_ path: String, _ text: String = "hello") async throws {
            var request = PreparedRequest.shared(path)
            request.head.headerFields[.authorization] = "Bearer sesame-street"
            let response = Response.origin(request, text, [.contentType: "text/plain"])
            await history.record(
                ExchangeRecord(
                    started: Date(),
                    request: request,
                    result: .success(response),
                    duration: .milliseconds(7)
                ),
                in: session
            )
            try await history.flush()
        }
    }

    private func stream(_ server: RedisServer, limit: Int = 1000) throws -> SessionStream {
        SessionStream(
            named: "bug",
            at: try RedisAddress(server.url),
            key: try TeamKey(teamKey),
            limit: limit,
            limits: RedisLimits(connect: .seconds(60), reply: .seconds(60))
        )
    }

    /// Follows until so many exchanges were seen; returns what happened, in words.
    private func follow(
        _ stream: SessionStream,
        into recorder: Recorder,
        fromNow: Bool = false,
        count: Int,
        began: (@Sendable () async throws -> Void)? = nil
    ) async throws -> [String] {
        let words = Mutex<[String]>([])
        let follower = SessionFollower(stream, into: recorder.session, of: recorder.history)
        try await follower.follow(fromNow: fromNow) { event in
            let word =
                switch event {
                case .exchange(let exchange): "\(exchange.request.url)"
                case .missed(let count): "missed \(count)"
                case .refused(let reason): "refused: \(reason)"
                case .failed: "failed"
                case .recovered: "recovered"
                }
            return words.withLock { words in
                words.append(word)
                return words.count { $0.hasPrefix("http") } == count
            }
        }
        return words.withLock(\.self)
    }

    /// Fails for anything but that it has begun.
    private static let expectNoProblem: @Sendable (SharingNotice) -> Void = { notice in
        if notice != .began { Issue.record("\(notice)") }
    }

    @Test("what is recorded is seen elsewhere with its bodies, and its secrets masked as here")
    func watched() async throws {
        let server = try RedisServer()
        let here = try await Recorder()
        try await here.record("/before")
        let sharer = SessionSharer(try stream(server), named: "bug")
        await sharer.begin(here.session, of: here.history, report: Self.expectNoProblem)
        try await here.record("/one", "first body")
        try await here.record("/two", "second body")
        await sharer.end()
        let there = try await Recorder()
        let seen = try await follow(try stream(server), into: there, count: 2)
        #expect(seen == ["http://api.test/one", "http://api.test/two"])
        let found = try await there.history.exchanges()
        let details = try #require(try await there.history.exchange(found[0].id))
        #expect(details.response?.text == "second body")
        let raw = try RedisConnection(try RedisAddress(server.url), RedisLimits())
        let keys = try raw.send([RedisCommand("KEYS", "*:s:bug")])[0].list?.compactMap(\.text)
        let entries = try raw.send([RedisCommand("XRANGE", try #require(keys?.first), "-", "+")])
        #expect("\(entries)".contains("list"))
        #expect(!Self.text(of: entries[0]).contains("sesame-street"))
        #expect(Self.text(of: entries[0]).contains("first body"))
    }

    private static func text(of reply: RedisReply) -> String {
        switch reply {
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .list(let list): list.map(text).joined()
        default: ""
        }
    }

    @Test("a late reader gets what the limit left, and is told what it missed")
    func limit() async throws {
        let server = try RedisServer()
        let here = try await Recorder()
        let sharer = SessionSharer(try stream(server, limit: 3), named: "bug")
        await sharer.begin(here.session, of: here.history, report: Self.expectNoProblem)
        for number in 1...5 { try await here.record("/\(number)") }
        await sharer.end()
        let there = try await Recorder()
        let seen = try await follow(try stream(server), into: there, count: 3)
        #expect(seen == ["missed 2"] + [3, 4, 5].map { "http://api.test/\($0)" })
    }

    @Test("a reader from now on gets what comes after it has begun")
    func fromNow() async throws {
        let server = try RedisServer()
        let here = try await Recorder()
        let shared = try stream(server)
        let sharer = SessionSharer(shared, named: "bug")
        await sharer.begin(here.session, of: here.history, report: Self.expectNoProblem)
        try await here.record("/old")
        #expect(
            await comesTrueWaiting { (try? await shared.end()) != SessionStream.beginning }
        )
        let there = try await Recorder()
        let late = try stream(server)
        let isSeen = Flag()
        // Whether the reader has begun is not known: it is recorded until it has seen one.
        try await withThrowingTaskGroup(of: [String].self) { group in
            group.addTask {
                defer { isSeen.isSet.store(true, ordering: .relaxed) }
                return try await follow(late, into: there, fromNow: true, count: 1)
            }
            while !isSeen.isSet.load(ordering: .relaxed) { try await here.record("/new") }
            let words = try await group.next()
            #expect(words == ["http://api.test/new"])
        }
        await sharer.end()
    }

    private func comesTrueWaiting(_ condition: () async -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(120)
        while await !condition() {
            guard ContinuousClock.now < deadline else { return false }
        }
        return true
    }

    @Test("what could not be shared while the server was gone is shared when it is back")
    func killed() async throws {
        let server = try RedisServer()
        let here = try await Recorder()
        let reports = Mutex<[SharingNotice]>([])
        let sharer = SessionSharer(try stream(server), named: "bug")
        try server.kill()
        await sharer.begin(here.session, of: here.history) { notice in
            reports.withLock { $0.append(notice) }
        }
        try await here.record("/one")
        #expect(await comesTrue { reports.withLock { !$0.isEmpty } })
        try await here.record("/two")
        try server.start()
        await sharer.end()
        let notices = reports.withLock(\.self)
        #expect(notices == [.failed("no connection: no such file or directory"), .recovered])
        #expect(
            notices.first?.text(of: server.url)
                == """
                The session is not shared for now: no connection: no such file or directory \
                (\(server.url)).
                """
        )
        let there = try await Recorder()
        let seen = try await follow(try stream(server), into: there, count: 2)
        #expect(seen == ["http://api.test/one", "http://api.test/two"])
    }

    @Test("what the team did not sign is left out, and so is what is no exchange")
    func poisoned() async throws {
        let server = try RedisServer()
        let shared = try stream(server)
        let key = "apus:1:\(try TeamKey(teamKey).team):s:bug"
        let raw = try RedisConnection(try RedisAddress(server.url), RedisLimits())
        _ = try raw.send([RedisCommand("XADD", key, "*", "n", "1", "e", "APS1 lies")])
        _ = try raw.send([RedisCommand("INCR", key.replacing(":s:", with: ":n:"))])
        try await shared.append(Array("no HAR".utf8))
        let here = try await Recorder()
        try await here.record("/right")
        let id = try #require(try await here.history.exchanges().first?.id)
        try await shared.append(try #require(try await here.history.har(of: id, session: "bug")))
        let there = try await Recorder()
        let seen = try await follow(shared, into: there, count: 1)
        #expect(seen.count == 3)
        #expect(seen.first == "refused: an exchange is not signed with the team's key")
        #expect(seen[1].hasPrefix("refused: the shared session"))
        #expect(seen.last == "http://api.test/right")
    }

    @Test("a server that goes and comes back is noticed though nothing is recorded")
    func noticed() async throws {
        let server = try RedisServer()
        let here = try await Recorder()
        let reports = Mutex<[SharingNotice]>([])
        let sharer = SessionSharer(
            try stream(server),
            named: "bug",
            every: .milliseconds(10)
        )
        await sharer.begin(here.session, of: here.history) { notice in
            reports.withLock { $0.append(notice) }
        }
        #expect(await comesTrue { reports.withLock { $0 == [.began] } })
        try server.kill()
        #expect(await comesTrue { reports.withLock { $0.count == 2 } })
        try server.start()
        #expect(await comesTrue { reports.withLock { $0.last == .recovered } })
        await sharer.end()
        #expect(reports.withLock(\.count) == 3)
    }

    @Test("what was not shared to the end is counted")
    func lost() async throws {
        let server = try RedisServer()
        let here = try await Recorder()
        let reports = Mutex<[SharingNotice]>([])
        let sharer = SessionSharer(try stream(server), named: "bug")
        try server.kill()
        await sharer.begin(here.session, of: here.history) { notice in
            reports.withLock { $0.append(notice) }
        }
        try await here.record("/one")
        try await here.record("/two")
        // One that is cancelled does not wait for the server to come back.
        let ending = Task { await sharer.end() }
        ending.cancel()
        await ending.value
        #expect(reports.withLock(\.last) == .lost(2))
    }

    @Test("a session that is watched again goes on where it was left, and has nothing twice")
    func again() async throws {
        let server = try RedisServer()
        let here = try await Recorder()
        let sharer = SessionSharer(try stream(server), named: "bug")
        await sharer.begin(here.session, of: here.history, report: Self.expectNoProblem)
        for number in 1...3 { try await here.record("/\(number)") }
        let there = try await Recorder()
        #expect(try await follow(try stream(server), into: there, count: 2).count == 2)
        try await here.record("/4")
        let again = try await follow(try stream(server), into: there, count: 4)
        #expect(again == (1...4).map { "http://api.test/\($0)" })
        let kept = try await there.history.exchanges().map(\.request.url)
        #expect(kept == again.reversed())
        await sharer.end()
    }

    @Test("who stops watching does not wait for a server that says nothing")
    func stops() async throws {
        let server = try RedisServer()
        let there = try await Recorder()
        let shared = try stream(server)
        // Connected, so that it is the server that says nothing.
        _ = try await shared.end()
        try server.send("client pause 60000 all")
        let isAsked = Flag()
        let following = Task {
            isAsked.isSet.store(true, ordering: .relaxed)
            return try await follow(shared, into: there, count: 1)
        }
        #expect(await comesTrue { isAsked.isSet.load(ordering: .relaxed) })
        let start = ContinuousClock.now
        following.cancel()
        await #expect(throws: (any Error).self) { try await following.value }
        #expect(ContinuousClock.now - start < .seconds(20))
    }
}
