import Apus
import FoundationEssentials
import HTTPTypes
import Testing

// swift-format-ignore: NeverForceUnwrap
private struct Avatar: TargetType {
    var name: String

    var baseURL: URL { URL(string: "https://avatars.example.com")! }
    var path: String { name }
    var cachePolicy: CachePolicy {
        CachePolicy(storage: .memoryAndDisk, expiry: .days(1), ignoredParameters: ["tracking"])
    }
}

// swift-format-ignore: NeverForceUnwrap
private struct Page: TargetType {
    var baseURL: URL { URL(string: "https://www.example.com")! }
    var path: String { "index.html" }
    var cachePolicy: CachePolicy { .http }
}

private struct Unchanged: DataSourceRule {
    func shouldSendRequest(_ target: any TargetType, cached: Response?) -> Bool {
        guard let cached else { return true }
        return cached.age(at: Date()) > .seconds(60)
    }

    func shouldUpdateCache(_ target: any TargetType, cached: Response?, fresh: Response) -> Bool {
        cached?.value(of: .eTag) != fresh.value(of: .eTag)
    }
}

@Suite("Documentation: caching")
struct CachingTests {
    @Test("a target says what is kept, a call says where from")
    func sources() async throws {
        let transport = ScriptedTransport.answering("image")
        let provider = Provider<Avatar>(transport: transport, cache: .inMemory())
        let avatar = Avatar(name: "ada.png")
        let first = try await provider.response(for: avatar)
        let again = try await provider.response(for: avatar, from: .cacheIfPossible)
        print(again.source, again.isFromCache)
        #expect(!first.isFromCache)
        #expect(again.isFromCache)
        #expect(transport.received.count == 1)
    }

    @Test("a rule of one's own decides after it has seen the cached answer")
    func rule() async throws {
        let transport = ScriptedTransport { request throws(ApusError) in
            .make(request, "page", received: Date())
        }
        let provider = Provider<Avatar>(transport: transport, cache: .inMemory())
        let avatar = Avatar(name: "ada.png")
        _ = try await provider.response(for: avatar)
        let response = try await provider.response(for: avatar, from: .custom(Unchanged()))
        #expect(response.isFromCache)
        #expect(transport.received.count == 1)
    }

    @Test("with .http the answers say how long they live, and every decision is explained")
    func http() async throws {
        let transport = ScriptedTransport { request throws(ApusError) in
            var response = Response.make(request, "page", received: Date())
            response.head.headerFields[.cacheControl] = "max-age=60"
            return response
        }
        let provider = Provider<Page>(transport: transport, cache: .inMemory())
        _ = try await provider.response(for: Page())
        let response = try await provider.response(for: Page(), from: .cacheIfPossible)
        if let decision = response.decision {
            print(decision.rule, decision.rule.section)
        }
        #expect(response.decision != nil)
        #expect(transport.received.count == 1)
    }
}
