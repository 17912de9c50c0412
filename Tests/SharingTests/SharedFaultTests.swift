import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing

@testable import Apus
@testable import Sharing

/// Servers that are slow, gone, full, or full of lies.
struct SharedFaultTests {
    @Test("a server that is killed is reported once, left alone, and used again when it is back")
    func killed() async throws {
        let server = try RedisServer()
        let clock = PauseClock()
        let machine = Machine(try .forTest(server.url, clock: clock))
        await machine.keep("a")
        try server.kill()
        for number in 0..<5 { #expect(await machine.look("/missing\(number)").text == nil) }
        await machine.keep("b", "/b")
        #expect(machine.notices.all.count == 1)
        guard case .failed(let reason)? = machine.notices.all.first else {
            Issue.record("no notice")
            return
        }
        #expect(reason.hasPrefix("no connection: ") || reason == "the server closed the connection")
        guard case .unavailable = machine.cache.sharedStore?.status else {
            Issue.record("it counts as available")
            return
        }
        try server.start()
        // It is not asked before its time.
        #expect(await machine.look("/other").text == nil)
        #expect(machine.notices.all.count == 1)
        clock.advance(by: .seconds(5))
        #expect(await machine.look("/other").text == nil)
        #expect(machine.notices.all.last == .recovered)
        await machine.keep("c", "/c")
        #expect(await Machine(try .forTest(server.url)).look("/c").text == "c")
    }

    @Test("a connection that the server closed meanwhile is made anew without a word")
    func reconnects() async throws {
        let server = try RedisServer()
        let machine = Machine(try .forTest(server.url))
        await machine.keep("a")
        #expect(await machine.look("/none").text == nil)
        try server.kill()
        try server.start()
        await machine.keep("b", "/b")
        #expect(await machine.look("/none").text == nil)
        #expect(await Machine(try .forTest(server.url)).look("/b").text == "b")
        #expect(machine.notices.all.isEmpty)
    }

    @Test("a slow server costs a request no more than the budget, once")
    func slow() async throws {
        let server = try RedisServer()
        let clock = PauseClock()
        let budget = Duration.milliseconds(200)
        let machine = Machine(try .forTest(server.url, budget: budget, clock: clock))
        let store = try #require(machine.cache.sharedStore)
        // Until it is connected: a busy machine may take longer for that than the budget.
        let deadline = ContinuousClock.now + .seconds(120)
        while store.status != .available, ContinuousClock.now < deadline {
            clock.advance(by: .seconds(120))
            _ = await machine.look("/warm")
        }
        #expect(store.status == .available)
        try server.send("CONFIG RESETSTAT")
        try server.send("CLIENT PAUSE 3000 ALL")
        for number in 0..<100 { #expect(await machine.look("/slow\(number)").text == nil) }
        // It has one of the hundred to respond to, and is left alone with the others.
        let limits = RedisLimits(connect: .seconds(60), reply: .seconds(60))
        let connection = try RedisConnection(try RedisAddress(server.url), limits)
        let statistics = try connection.send([RedisCommand("INFO", "commandstats")])[0].text
        #expect(statistics?.contains("cmdstat_hgetall:calls=1,") == true)
        #expect(machine.notices.all.contains(.failed("no response in time")))
    }

    @Test(
        "a wrong password is told from a missing one, and both say so",
        arguments: ["wrong", nil] as [String?]
    )
    func password(given: String?) async throws {
        let server = try RedisServer("--requirepass right")
        let machine = Machine(try .forTest(server.url, password: given))
        #expect(await machine.look().text == nil)
        guard case .failed(let reason)? = machine.notices.all.first else {
            Issue.record("no notice")
            return
        }
        #expect(reason.hasPrefix("the server refused the user or the password ("))
        #expect(reason.contains(given == nil ? "NOAUTH" : "WRONGPASS"))
        #expect(!reason.contains("wrong password:"))
        let right = Machine(try .forTest(server.url, password: "right"))
        await right.keep("x")
        #expect(right.notices.all.isEmpty)
        #expect(try await right.cache.sharedEntries().count == 1)
    }

    @Test("a server without memory takes no more, says so once, and is still read")
    func full() async throws {
        let server = try RedisServer("--maxmemory 3mb --maxmemory-policy noeviction")
        let clock = PauseClock()
        let machine = Machine(try .forTest(server.url, clock: clock))
        await machine.keep("small")
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<900_000).map { _ in UInt8.random(in: 33...126, using: &generator) }
        let text = String(decoding: bytes, as: UTF8.self)
        for number in 0..<6 {
            await machine.keep(text, "/\(number)")
            clock.advance(by: .seconds(120))
        }
        let failures = machine.notices.all.filter {
            if case .writesFailed = $0 { true } else { false }
        }
        #expect(failures.count == 1)
        guard case .writesFailed(let reason)? = failures.first else { return }
        #expect(reason.hasPrefix("the server has no memory left (maxmemory)"))
        #expect(await Machine(try .forTest(server.url)).look().text == "small")
        try server.send("CONFIG SET maxmemory 100mb")
        clock.advance(by: .seconds(120))
        await machine.keep("again", "/again")
        #expect(machine.notices.all.last == .writesRecovered)
    }

    @Test("a value that the team did not sign, or of another name, is none, and is reported")
    func poisoned() async throws {
        let server = try RedisServer()
        let writer = Machine(try .forTest(server.url))
        await writer.keep("right", "/a")
        await writer.keep("other", "/b")
        let connection = try RedisConnection(try RedisAddress(server.url), RedisLimits())
        let keys = try #require(try connection.send([RedisCommand("KEYS", "*")])[0].list)
            .compactMap(\.text)
        let values = try connection.send(keys.map { RedisCommand("HGET", $0, "-") })
        let (one, two) = (try #require(values[0].bytes), try #require(values[1].bytes))
        var flipped = one
        flipped[40] ^= 1
        for bad in [flipped, two, [], Array("APS1".utf8), Array(one.dropLast())] {
            _ = try connection.send([
                RedisCommand("HSET", keys[0], "-").adding(bad),
                RedisCommand("HSET", keys[1], "-").adding(bad == two ? one : bad),
            ])
            let machine = Machine(try .forTest(server.url))
            #expect(await machine.look("/a").text == nil)
            #expect(await machine.look("/b").text == nil)
            // Once, although there were two.
            #expect(machine.notices.all.count == 1)
            guard case .refused(let detail)? = machine.notices.all.first else {
                Issue.record("not reported")
                continue
            }
            #expect(detail.contains("signed"))
        }
        // What is no hash at all.
        _ = try connection.send(keys.map { RedisCommand("SET", $0, "x") })
        let machine = Machine(try .forTest(server.url))
        #expect(await machine.look("/a").text == nil)
        #expect(machine.cache.sharedStore?.status == .available)
    }

    @Test("a server that is not there is listed with a sentence")
    func listing() async throws {
        let server = try RedisServer(isStarted: false)
        let machine = Machine(try .forTest(server.url))
        let error = await #expect(throws: SharedStoreError.self) {
            try await machine.cache.sharedEntries()
        }
        let words = error?.description ?? ""
        #expect(words.hasPrefix("The shared cache unix://"))
        #expect(words.contains("cannot be used: no connection: no such file or directory"))
    }

    @Test("a thousand requests at once share a connection and its round trips")
    func many() async throws {
        let server = try RedisServer()
        let writer = Machine(try .forTest(server.url))
        for number in 0..<50 { await writer.keep("\(number)", "/\(number)") }
        let machine = Machine(try .forTest(server.url))
        let right = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<1000 {
                group.addTask { await machine.look("/\(number % 50)").text == "\(number % 50)" }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(right == 1000)
    }
}
