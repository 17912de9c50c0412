import Apus
import Foundation
import HTTPTypes
import Sharing

enum CachingArticle {
    // swift-format-ignore: NeverForceUnwrap
    private struct Avatar: TargetType {
        var name = "ada.png"
        var baseURL: URL { URL(string: "https://avatars.example.com")! }
        var path: String { name }
        //> var cachePolicy
    }

    // swift-format-ignore: NeverForceUnwrap
    private struct Page: TargetType {
        var baseURL: URL { URL(string: "https://www.example.com")! }
        var path: String { "index.html" }
        var cachePolicy: CachePolicy { .http }
    }

    //> struct Unchanged

    /// Hides bytes from who looks at them, and tells whether they are the ones it was given.
    struct Vault: Sendable {
        struct Refusal: Error {}

        func seal(_ bytes: [UInt8], authenticating label: [UInt8]) throws -> [UInt8] {
            label + bytes.map { $0 ^ 0x5A }
        }

        func open(_ bytes: [UInt8], authenticating label: [UInt8]) throws -> [UInt8] {
            guard bytes.starts(with: label) else { throw Refusal() }
            return bytes.dropFirst(label.count).map { $0 ^ 0x5A }
        }
    }

    //> struct Sealing

    static func run() async throws {
        policies()
        try await sources()
        try await http()
        try await values()
        serializer()
        try sharing()
        try await shared()
    }

    private static func sharing() throws {
        let teamKey = "0123456789abcdef0123456789abcdef"
        //> let shared
        // Nothing is connected before it is used.
        check(shared.sharedStore?.status == .unused)
    }

    private static func shared() async throws {
        let (transport, folder) = (Canned("image"), temporaryFolder())
        //> let cache
        _ = try await members.response(for: Avatar())
        let again = try await guests.response(for: Avatar(), from: .cache)
        check(again.isFromCache)
        //> let forgetful
        _ = try await forgetful.response(for: Avatar())
        check(try await forgetful.cachedResponse(for: Avatar(), in: .disk) == nil)
    }

    private static func sources() async throws {
        let transport = Canned("image")
        let provider = Provider<Avatar>(transport: transport, cache: temporaryCache())
        let avatar = Avatar()
        _ = try await provider.response(for: avatar)
        //> let again
        check(again.isFromCache)
        let unchanged = try await provider.response(for: avatar, from: .custom(Unchanged()))
        check(unchanged.isFromCache)
        check(transport.sent.all.count == 1)
        //> let held
        check(held?.status == 200)
        check(try await provider.cachedResponse(for: avatar) == nil)
        //> let bytes
        check(bytes.count == 5)
        //> for entry
        check(removed == 1)
        //> await provider.cache.removeExpired
        check(await provider.cache.entries().isEmpty)
    }

    private static func policies() {
        do {
            //> let policy = CachePolicy.keep
            check(policy.storage == .memoryAndDisk)
        }
        //> let policy = CachePolicy.http
        check(policy.storage == .memoryAndDisk)
    }

    private static func http() async throws {
        let transport = Canned("page", fields: [.cacheControl: "max-age=60"])
        let provider = Provider<Page>(transport: transport, cache: temporaryCache())
        _ = try await provider.response(for: Page())
        //> let response
        check(response.decision != nil)
        check(transport.sent.all.count == 1)
    }

    private static func values() async throws {
        let store = ValueStore(directory: temporaryFolder())
        //> try await store.set
        check(recent == ["ada", "bob"])
        check(try await store.value([String].self, for: "recent", in: .memory) == nil)
    }

    private static func serializer() {
        let vault = Vault()
        //> let cache
        _ = cache
    }
}
