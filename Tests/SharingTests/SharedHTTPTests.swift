import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing

@testable import Apus
@testable import Sharing

/// Responses of HTTP's rules, on two machines.
struct SharedHTTPTests {
    @Test("a fresh response serves another machine, which does not ask the origin")
    func fresh() async throws {
        let server = try RedisServer()
        let origin = Origin([.cacheControl: "max-age=600"])
        let first = try await Machine(try .forTest(server.url)).get(origin)
        #expect(first.text == "1")
        let other = Machine(try .forTest(server.url))
        let second = try await other.get(origin)
        #expect(second.text == "1")
        guard case .shared = second.source else {
            Issue.record("from \(second.source)")
            return
        }
        #expect(second.decision?.outcome == .fresh)
        let words = second.decision?.lines.joined(separator: "\n") ?? ""
        #expect(words.contains("shared cache unix://"))
        #expect(words.contains("has 1 response"))
        #expect(origin.received.count == 1)
        let third = try await other.get(origin)
        guard case .memory = third.source else {
            Issue.record("from \(third.source)")
            return
        }
    }

    @Test("a shared cache's own lifetime counts, and a private response is not shared")
    func sharedProfile() async throws {
        let server = try RedisServer()
        let longer = Origin([.cacheControl: "max-age=1, s-maxage=600"])
        let now = Date()
        _ = try await Machine(try .forTest(server.url), now: { now }).get(longer)
        let later = Machine(try .forTest(server.url), now: { now.addingTimeInterval(100) })
        #expect(try await later.get(longer).text == "1")
        let own = Origin([.cacheControl: "private, max-age=600"])
        _ = try await Machine(try .forTest(server.url)).get(own, "/own")
        #expect(try await Machine(try .forTest(server.url)).get(own, "/own").text == "2")
    }

    @Test("credentials keep a response from others, unless the target and the server allow it")
    func credentials() async throws {
        let server = try RedisServer()
        let fields: HTTPFields = [.authorization: "Bearer abc"]
        let origin = Origin([.cacheControl: "max-age=600"])
        _ = try await Machine(try .forTest(server.url)).get(origin, fields: fields)
        let other = Machine(try .forTest(server.url))
        let response = try await other.get(origin, fields: fields)
        #expect(response.text == "2")
        let words = response.decision?.lines.joined(separator: "\n") ?? ""
        #expect(words.contains("is not asked: it belongs to an account"))
        #expect(try await other.cache.sharedEntries().isEmpty)
    }

    @Test("each variant has its own place, and a newer one replaces the older")
    func variants() async throws {
        let server = try RedisServer()
        let origin = Origin([.cacheControl: "max-age=600", .vary: "Accept-Language"])
        let german: HTTPFields = [.acceptLanguage: "de"]
        let french: HTTPFields = [.acceptLanguage: "fr"]
        let first = Machine(try .forTest(server.url))
        _ = try await first.get(origin, fields: german)
        _ = try await first.get(origin, fields: french)
        let second = Machine(try .forTest(server.url))
        #expect(try await second.get(origin, fields: french).text == "2")
        #expect(try await second.get(origin, fields: german).text == "1")
        #expect(origin.received.count == 2)
        // Written again by a third machine that has not looked: no third member.
        let third = Machine(nil)
        third.cache.share(through: try RedisStore.forTest(server.url))
        let provider = AnyProvider(transport: origin, cache: third.cache, headerFields: [:])
        let target = PathTarget(path: "/a", headerFields: german)
        _ = try await provider.response(for: target, from: .server)
        await third.cache.flush()
        #expect(try await third.cache.sharedEntries().count == 2)
    }

    @Test("a stale response is validated with the tag that another machine got")
    func validates() async throws {
        let server = try RedisServer()
        let origin = Origin([.cacheControl: "max-age=60", .eTag: "\"1\""])
        let now = Date()
        _ = try await Machine(try .forTest(server.url), now: { now }).get(origin)
        let later = Machine(try .forTest(server.url), now: { now.addingTimeInterval(100) })
        #expect(try await later.get(origin).text == "1")
        #expect(origin.received.last?.headerFields[.ifNoneMatch] == "\"1\"")
        // What the origin confirmed is fresh for the others.
        let other = Machine(try .forTest(server.url), now: { now.addingTimeInterval(110) })
        #expect(try await other.get(origin).text == "1")
        #expect(origin.received.count == 2)
    }

    @Test("a request that changes something removes what is shared of its URL")
    func invalidates() async throws {
        let server = try RedisServer()
        let origin = Origin([.cacheControl: "max-age=600"])
        let machine = Machine(try .forTest(server.url))
        _ = try await machine.get(origin)
        #expect(try await machine.cache.sharedEntries().count == 1)
        try await machine.send(.put, origin)
        #expect(try await machine.cache.sharedEntries().isEmpty)
    }

    @Test("a server that fills a group with more than any Vary means has it removed")
    func manyMembers() async throws {
        let server = try RedisServer()
        let store = try RedisStore.forTest(server.url)
        let machine = Machine(store)
        let origin = Origin([.cacheControl: "max-age=600", .vary: "X-Number"])
        let name = try #require(HTTPField.Name("X-Number"))
        for number in 0..<70 {
            let fields: HTTPFields = [name: "\(number)"]
            let provider = AnyProvider(
                transport: origin,
                cache: machine.cache,
                headerFields: [:]
            )
            let target = PathTarget(path: "/a", headerFields: fields)
            _ = try await provider.response(for: target, from: .server)
        }
        await machine.cache.flush()
        #expect(try await machine.cache.sharedEntries().count == 70)
        _ = try await Machine(store).get(Origin([.cacheControl: "no-store"]))
        #expect(try await machine.cache.sharedEntries().isEmpty)
    }
}
