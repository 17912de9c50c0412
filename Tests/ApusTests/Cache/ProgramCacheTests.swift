import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing

@testable import Apus

@Suite("Caches of a program")
struct ProgramCacheTests {
    @Test("the default folders carry the program's name, and the command line has its own")
    func folders() throws {
        let name = RunningProgram.name
        let executable = try #require(CommandLine.arguments.first?.split(separator: "/").last)
        #expect(name == executable)
        #expect(ResponseCache.Configuration().directory.hasSuffix("/\(name)/apus"))
        #expect(RunningProgram.dataFolder.hasSuffix("/\(name)/apus"))
        #expect(StandardFolders.cache(of: "shop") != StandardFolders.cache)
        #expect(StandardFolders.cache(of: "shop").hasSuffix("/shop/apus"))
    }

    @Test("a name that cannot be a product is one in the User-Agent")
    func token() {
        #expect(RunningProgram.token("my shop (β)") == "my-shop-----")
        #expect(RunningProgram.token("shop.xctest") == "shop.xctest")
    }

    @Test("a cache in memory serves what any policy stores, and leaves nothing on disk")
    func inMemory() async throws {
        for policy in [
            CachePolicy.keep(in: .disk), .keep(), .http(in: .disk), .keep(in: .memory),
        ] {
            let transport = ScriptedTransport { request in
                var response = Response.make(request, "live", received: Date())
                response.head.headerFields = [.cacheControl: "max-age=60"]
                return response
            }
            let cache = ResponseCache.inMemory
            let provider = Provider<TestTarget>(transport: transport, cache: cache)
            let target = TestTarget(cachePolicy: policy)
            for _ in 0..<2 {
                _ = try await provider.response(for: target, from: .cacheIfPossible)
            }
            #expect(transport.received.count == 1, "\(policy)")
            let entries = await cache.entries()
            #expect(entries.map(\.storage) == [.memory])
            let statistics = await cache.statistics()
            #expect((statistics.memoryCount, statistics.diskCount) == (1, 0))
            await cache.flush()
            #expect(try await cache.open() == false)
            let key = try #require(entries.first?.key)
            let request = try await provider.preparedRequest(for: target)
            let onDisk = await cache.lookup(key, policy: .keep(), for: request, in: .disk)
            guard case .miss(_, .notFound) = onDisk else {
                Issue.record("\(onDisk)")
                continue
            }
            #expect(await cache.remove(key))
            await cache.removeAll()
            await cache.close()
            #expect(!FileManager.default.fileExists(atPath: cache.configuration.directory))
        }
    }

    @Test("two caches in memory know nothing of each other")
    func apart() async throws {
        let (one, other) = (ResponseCache.inMemory, ResponseCache.inMemory)
        let transport = ScriptedTransport.answering("live")
        let target = TestTarget(cachePolicy: .keep())
        for cache in [one, other] {
            let provider = Provider<TestTarget>(transport: transport, cache: cache)
            _ = try await provider.response(for: target, from: .cacheIfPossible)
        }
        #expect(transport.received.count == 2)
    }

    @Test("no cache stores nothing, whatever the policy says")
    func none() async throws {
        let transport = ScriptedTransport.answering("live")
        let provider = Provider<TestTarget>(transport: transport, cache: .none)
        let target = TestTarget(cachePolicy: .keep())
        for _ in 0..<2 {
            _ = try await provider.response(for: target, from: .cacheIfPossible)
        }
        #expect(transport.received.count == 2)
        #expect(await ResponseCache.none.entries().isEmpty)
        let error = await #expect(throws: ApusError.self) {
            try await provider.response(for: target, from: .cache)
        }
        guard case .cacheMiss(_, .policyNone)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("a stubbed provider has a cache in memory unless it is given another")
    func stubbed() {
        let stubbed = Provider<TestTarget>(stubs: .immediate)
        #expect(stubbed.cache.configuration.storage == .memory)
        let live = Provider<TestTarget>()
        #expect(live.cache.configuration.storage == .memoryAndDisk)
        let told = Provider<TestTarget>(
            cache: ResponseCache(configuration: .init(directory: "/tmp/told")),
            stubs: .immediate
        )
        #expect(told.cache.configuration.directory == "/tmp/told")
        #expect(told.modifying { _ in }.cache === told.cache)
    }

    @Test("a policy prints as one would say it, however long it keeps")
    func description() {
        #expect("\(CachePolicy.keep(for: .seconds(300)))" == "cached 5 min in memory and on disk")
        for seconds in [1e30, .infinity, .nan] {
            let policy = CachePolicy.keep(for: .seconds(seconds), in: .memory)
            #expect("\(policy)" == "cached forever in memory")
        }
        #expect("\(CachePolicy.none)" == "not cached")
    }

    @Test("policies and sources can be compared")
    func equality() {
        #expect(CachePolicy.keep(for: .days(1)) == .keep(for: .days(1)))
        #expect(CachePolicy.keep(for: .days(1)) != .keep(for: .days(2)))
        #expect(CachePolicy.http == .http() && CachePolicy.http != .keep(for: .forever))
        let ruled = CachePolicy.keep { $0.status == 200 }
        let copy = ruled
        #expect(ruled == copy && ruled != .keep { $0.status == 200 })
        #expect(DataSource.server == .server && DataSource.server != .cache)
        #expect(DataSource.custom(Asks(asks: true)) == .custom(Asks(asks: true)))
        #expect(DataSource.custom(Asks(asks: true)) != .custom(Asks(asks: false)))
        #expect(DataSource.custom(Asks(asks: true)) != .custom(Never()))
        #expect(DataSource.custom(Never()) != .server)
    }

    private struct Asks: DataSourceRule {
        var asks: Bool
        func shouldSendRequest(_ target: any TargetType, cached: Response?) -> Bool { asks }
        func shouldUpdateCache(_ target: any TargetType, cached: Response?, fresh: Response)
            -> Bool
        { false }
    }

    private struct Never: DataSourceRule {
        func shouldSendRequest(_ target: any TargetType, cached: Response?) -> Bool { false }
        func shouldUpdateCache(_ target: any TargetType, cached: Response?, fresh: Response)
            -> Bool
        { false }
    }
}
