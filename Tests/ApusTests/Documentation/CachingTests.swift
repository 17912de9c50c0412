import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

// swift-format-ignore: NeverForceUnwrap
private struct Avatar: TargetType {
    var name: String

    var baseURL: URL { URL(string: "https://avatars.example.com")! }
    var path: String { name }
    var cachePolicy: CachePolicy {
        .keep(for: .days(1), in: .memoryAndDisk, key: .full(ignoring: ["tracking"]))
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

/// Hides bytes from who looks at them, and tells whether they are the ones it was given.
private struct Vault: Sendable {
    struct Refusal: Error {}

    func seal(_ bytes: [UInt8], authenticating label: [UInt8]) throws -> [UInt8] {
        label + bytes.map { $0 ^ 0x5A }
    }

    func open(_ bytes: [UInt8], authenticating label: [UInt8]) throws -> [UInt8] {
        guard bytes.starts(with: label) else { throw Refusal() }
        return bytes.dropFirst(label.count).map { $0 ^ 0x5A }
    }
}

private struct Sealing: CacheSerializer {
    let vault: Vault
    var name: String { "vault-2026" }

    func encode(_ bytes: [UInt8], _ part: CachePart) throws -> [UInt8] {
        try vault.seal(bytes, authenticating: part.label)
    }

    func decode(_ bytes: [UInt8], _ part: CachePart) throws -> [UInt8] {
        try vault.open(bytes, authenticating: part.label)
    }
}

@Suite("Documentation: caching")
struct CachingTests {
    @Test("a cache is made with a serializer")
    func serializer() {
        let vault = Vault()
        let cache = ResponseCache(serializer: Sealing(vault: vault))
        #expect(cache.disk.serializer?.name == "vault-2026")
    }

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

    @Test("the cache is listed and cleared")
    func browsing() async throws {
        let provider = Provider<Avatar>(
            transport: ScriptedTransport.answering("image"),
            cache: .inMemory()
        )
        _ = try await provider.response(for: Avatar(name: "ada.png"))
        for entry in await provider.cache.entries() {
            print(entry.request, entry.size, entry.hits, entry.age(at: Date()))
        }
        let removed = await provider.cache.remove(matching: "https://avatars.example.com/*")
        #expect(removed == 1)
        await provider.cache.removeExpired()
        await provider.cache.removeAll()
        #expect(await provider.cache.entries().isEmpty)
    }

    @Test("values of one's own are kept by name")
    func values() async throws {
        let store = ValueStore(directory: try Temporary.folder())
        try await store.set(["ada", "bob"], for: "recent", in: .persistent, expiry: .days(7))
        let recent = try await store.value([String].self, for: "recent", in: .persistent)
        #expect(recent == ["ada", "bob"])
        #expect(try await store.value([String].self, for: "recent", in: .memory) == nil)
    }
}
