import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing

@testable import Apus
@testable import Sharing

/// Responses that go from one machine to another, and those that do not.
struct SharedCacheTests {
    @Test("what one machine stores, another is served, and has from then on")
    func shares() async throws {
        let server = try RedisServer()
        let first = Machine(try .forTest(server.url))
        let second = Machine(try .forTest(server.url))
        #expect(await second.look().text == nil)
        await first.keep("hello")
        let found = await second.look()
        #expect(found.text == "hello")
        #expect(found.isShared)
        let again = await second.look()
        #expect(again.text == "hello")
        #expect(!again.isShared)
        #expect(await second.cache.statistics().sharedHits == 1)
        try server.kill()
        // Also on disk, not only in memory.
        await second.cache.removeAll(.memory)
        #expect(await second.look().text == "hello")
    }

    @Test("a response expires where it came from when it does here")
    func expires() async throws {
        let server = try RedisServer()
        let now = Date()
        let first = Machine(try .forTest(server.url), now: { now })
        await first.keep("hello", policy: .keep(for: .seconds(60)))
        let early = Machine(try .forTest(server.url), now: { now.addingTimeInterval(59) })
        #expect(await early.look(policy: .keep(for: .seconds(60))).text == "hello")
        #expect(await early.look(policy: .keep(for: .seconds(60))).isShared == false)
        let late = Machine(try .forTest(server.url), now: { now.addingTimeInterval(61) })
        #expect(await late.look(policy: .keep(for: .seconds(60))).text == nil)
        // The server forgets it, too.
        let connection = try RedisConnection(try RedisAddress(server.url), RedisLimits())
        let key = try #require(try connection.send([RedisCommand("KEYS", "*")])[0].list?[0].text)
        let rest = try #require(try connection.send([RedisCommand("PTTL", key)])[0].number)
        #expect(rest > 0 && rest <= 60_000)
    }

    @Test("a large body is compressed on the server and whole on the other machine")
    func compresses() async throws {
        let server = try RedisServer()
        let text = String(repeating: "0123456789", count: 300_000)
        await Machine(try .forTest(server.url)).keep(text)
        let connection = try RedisConnection(try RedisAddress(server.url), RedisLimits())
        let key = try #require(try connection.send([RedisCommand("KEYS", "*")])[0].list?[0].text)
        let command = RedisCommand("HSTRLEN", key, "-")
        let size = try #require(try connection.send([command])[0].number)
        #expect(size > 0 && size < text.utf8.count / 10)
        #expect(await Machine(try .forTest(server.url)).look().text == text)
    }

    @Test(
        "what belongs to an account, a secret or this machine never leaves it",
        arguments: [
            ("/a", [HTTPField.Name.authorization: "Bearer abc"], [:]),
            ("/a", [.cookie: "session=1"], [:]),
            ("/a?api_key=abcdef", [:], [:]),
            ("/a", [:], [.setCookie: "a=1"]),
            ("/a", [:], [.cacheControl: "private"]),
            ("/a", [:], [.cacheControl: "no-store"]),
            ("/a", [.cacheControl: "no-store"], [:]),
        ] as [(String, HTTPFields, HTTPFields)]
    )
    func keepsToItself(path: String, fields: HTTPFields, responseFields: HTTPFields) async throws {
        let server = try RedisServer()
        let machine = Machine(try .forTest(server.url))
        let outcome = await machine.keep("x", path, fields: fields, responseFields: responseFields)
        guard case .stored = outcome else {
            Issue.record("not even stored here: \(outcome)")
            return
        }
        // The other way round, so that this is no test of a server that nobody writes to.
        await machine.keep("y", "/public")
        #expect(
            try await machine.cache.sharedEntries().map(\.entry.request.url) == [
                "http://api.test/public"
            ]
        )
    }

    @Test(
        "the responses of this machine's own servers are not shared",
        arguments: ["localhost:8080", "127.0.0.1", "[::1]:8080", "api.localhost"]
    )
    func ownMachine(authority: String) throws {
        let request = PreparedRequest.shared("/a", authority: authority)
        #expect(CachePolicy.keep().reasonNotToShare(request) == .thisMachine)
        #expect(CachePolicy.keep().reasonNotToShare(.shared("/a")) == nil)
        #expect(CachePolicy.keep(in: .memory).reasonNotToShare(.shared("/a")) == .notOnDisk)
    }

    @Test("a target that says its responses are the same for all accounts shares them")
    func toldSo() async throws {
        let server = try RedisServer()
        let policy = CachePolicy.keep(separatesAccounts: .none)
        let fields: HTTPFields = [.authorization: "Bearer abc"]
        await Machine(try .forTest(server.url)).keep("same", policy: policy, fields: fields)
        let other = Machine(try .forTest(server.url))
        #expect(await other.look(policy: policy, fields: fields).text == "same")
    }

    @Test("two teams on one server do not meet")
    func twoTeams() async throws {
        let server = try RedisServer()
        let ours = Machine(try .forTest(server.url))
        let theirs = Machine(try .forTest(server.url, key: "another team's key, long enough"))
        await ours.keep("ours")
        #expect(await theirs.look().text == nil)
        await theirs.keep("theirs")
        #expect(await Machine(try .forTest(server.url)).look().text == "ours")
        #expect(try await theirs.cache.removeShared(where: nil) == 1)
        #expect(try await ours.cache.sharedEntries().count == 1)
        #expect(theirs.notices.all.isEmpty)
    }

    @Test("entries are listed and cleared by their URLs")
    func maintenance() async throws {
        let server = try RedisServer()
        let machine = Machine(try .forTest(server.url))
        for number in 0..<100 { await machine.keep("\(number)", "/\(number)") }
        #expect(try await machine.cache.sharedEntries().count == 100)
        let count = try await machine.cache.removeShared { $0.request.url.hasSuffix("7") }
        #expect(count == 10)
        #expect(try await machine.cache.sharedEntries().count == 90)
        #expect(try await machine.cache.removeShared(where: nil) == 90)
    }

    @Test("a serializer encodes what is shared, and another one does not read it")
    func serializer() async throws {
        struct Turning: CacheSerializer {
            let name: String
            func encode(_ bytes: [UInt8], _ part: CachePart) -> [UInt8] { bytes.map { ~$0 } }
            func decode(_ bytes: [UInt8], _ part: CachePart) -> [UInt8] { bytes.map { ~$0 } }
        }
        let server = try RedisServer()
        await Machine(try .forTest(server.url), serializer: Turning(name: "t")).keep("secret")
        let same = Machine(try .forTest(server.url), serializer: Turning(name: "t"))
        #expect(await same.look().text == "secret")
        let other = Machine(try .forTest(server.url), serializer: Turning(name: "u"))
        #expect(await other.look().text == nil)
        #expect(await Machine(try .forTest(server.url)).look().text == nil)
    }
}
