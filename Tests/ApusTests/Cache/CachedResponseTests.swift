import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

/// What is looked up by hand is what `.cache` finds.
@Suite("Looking into a cache by hand")
struct CachedResponseTests {
    /// A provider whose requests carry a user's name, and whose server answers with it.
    private struct Bench {
        let user = HookLog()
        let log = HookLog()
        let provider: Provider<TestTarget>
        let target: TestTarget

        init(_ policy: CachePolicy) throws {
            let transport = ScriptedTransport { [user] request in
                var response = Response.make(
                    request,
                    request.head.headerFields[.authorization] ?? "nobody",
                    received: Date()
                )
                response.head.headerFields = [
                    .cacheControl: "max-age=36000", .vary: "Accept-Language",
                    .contentLanguage: request.head.headerFields[.acceptLanguage] ?? "",
                ]
                _ = user
                return response
            }
            provider = Provider(
                transport: transport,
                cache: ResponseCache(configuration: .init(directory: Temporary.folder())),
                plugins: [
                    HeaderPlugin(.authorization) { [user] _ in user.all.last },
                    LoggingPlugin(log),
                ]
            )
            target = TestTarget(cachePolicy: policy)
        }

        func target(in language: String) -> TestTarget {
            var target = target
            target.headerFields[.acceptLanguage] = language
            return target
        }
    }

    static let policies = [CachePolicy.keep(), .keep(in: .disk), .http]

    @Test("plugins and variants count as they do for `.cache`", arguments: policies.indices)
    func agrees(policy: Int) async throws {
        let bench = try Bench(Self.policies[policy])
        bench.user.add("ada")
        for language in ["de", "en"] {
            _ = try await bench.provider.response(for: bench.target(in: language))
        }
        for user in ["ada", "bob"] {
            bench.user.add(user)
            for language in ["de", "en", "fr"] {
                let target = bench.target(in: language)
                let held = try await bench.provider.cachedResponse(for: target)
                var found: Response?
                do throws(ApusError) {
                    found = try await bench.provider.response(for: target, from: .cache)
                } catch {
                    #expect(error.code == 4001)
                }
                #expect(held?.text == found?.text)
                #expect(
                    held?.head.headerFields[.contentLanguage]
                        == found?.head.headerFields[.contentLanguage]
                )
                #expect((held != nil) == (user == "ada" && language != "fr"))

                let cache = bench.provider.cache
                let request = try await bench.provider.preparedRequest(for: target)
                let key = cache.key(for: request, policy: target.cachePolicy)
                let byHand = await cache.peek(key, policy: target.cachePolicy, for: request)
                #expect(byHand?.text == held?.text)
                let lookup = await cache.lookup(key, policy: target.cachePolicy, for: request)
                #expect(lookup.response?.text == held?.text)
            }
        }
    }

    @Test(
        "it counts as no use, sends nothing, and ends what plugins have begun",
        arguments: policies.indices
    )
    func hooks(policy: Int) async throws {
        let bench = try Bench(Self.policies[policy])
        _ = try await bench.provider.response(for: bench.target)
        let before = bench.log.all.count
        _ = try await bench.provider.cachedResponse(for: bench.target)
        _ = try await bench.provider.preparedRequest(for: bench.target)
        #expect(
            bench.log.all[before...].map { $0.split(separator: " ")[1] } == [
                "plan", "adapt", "prepare", "didPreview", "plan", "adapt", "prepare", "didPreview",
            ]
        )
        #expect(await bench.provider.cache.entries().first?.hits == 0)
    }

    @Test("what a plugin throws is thrown, and nothing is looked up")
    func refused() async throws {
        struct Closed: Plugin {
            func prepare(
                _ request: PreparedRequest,
                in context: ExchangeContext
            ) async throws -> PreparedRequest { throw Veto("closed") }
        }
        let provider = Provider.make(plugins: [Closed()])
        await #expect(throws: ApusError.self) {
            try await provider.cachedResponse(for: TestTarget())
        }
        await #expect(throws: ApusError.self) {
            try await provider.preparedRequest(for: TestTarget())
        }
    }

    @Test("memory and disk can be asked alone", arguments: [CachePolicy.keep(), .http].indices)
    func places(policy: Int) async throws {
        let policy = [CachePolicy.keep(), .http][policy]
        let bench = try Bench(policy)
        let cache = bench.provider.cache
        _ = try await bench.provider.response(for: bench.target)
        let request = try await bench.provider.preparedRequest(for: bench.target)
        let key = cache.key(for: request, policy: policy)
        func found() async throws -> [[Bool]] {
            var all: [[Bool]] = []
            for place in CachePolicy.Storage.allCases {
                let held = try await bench.provider.cachedResponse(for: bench.target, in: place)
                let peeked = await cache.peek(key, policy: policy, for: request, in: place)
                let used = await cache.lookup(key, policy: policy, for: request, in: place)
                if let response = used.response {
                    #expect(response.source.isDisk == (place == .disk))
                }
                all.append([held != nil, peeked != nil, used.response != nil])
            }
            return all
        }
        let (yes, no) = ([true, true, true], [false, false, false])
        #expect(try await found() == [yes, yes, yes])
        #expect(await cache.place(of: key) == .memoryAndDisk)
        await cache.removeAll(.disk)
        #expect(await cache.place(of: key) == .memory)
        #expect(try await bench.provider.cachedResponse(for: bench.target, in: .disk) == nil)
        #expect(try await bench.provider.cachedResponse(for: bench.target, in: .memory) != nil)
        await cache.removeAll()
        #expect(try await found() == [no, no, no])
    }

    @Test("a disk that is asked alone does not fill memory")
    func diskAlone() async throws {
        let cacheBench = try CacheBench()
        await cacheBench.store("/users")
        let again = cacheBench.another()
        let key = cacheBench.key("/users")
        for _ in 1...2 {
            let found = await again.lookup(key, policy: .keep(), for: .cached(), in: .disk)
            #expect(found.response?.source.isDisk == true)
        }
        #expect(await again.statistics().memoryCount == 0)
    }
}
