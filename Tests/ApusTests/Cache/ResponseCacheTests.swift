import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

struct ResponseCacheTests {
    @Test("what was stored comes back equal, from memory and after a restart from disk")
    func roundTrip() async throws {
        let bench = try CacheBench()
        let stored = Response.fromServer()
        let outcome = await bench.store("/users")
        #expect(outcome == .stored(.memoryAndDisk, expires: bench.clock.now + 300))

        bench.clock.advance(by: 10)
        let inMemory = try #require(await bench.lookup("/users").response)
        let again = bench.another()
        let onDisk = try #require(
            await again.lookup(bench.key("/users"), policy: .keep(), for: .cached()).response
        )
        #expect(inMemory.source.isMemory)
        #expect(onDisk.source.isDisk)
        for response in [inMemory, onDisk] {
            #expect(response.head == stored.head)
            #expect(response.head.status.reasonPhrase == "Fine Indeed")
            #expect(response.body == stored.body)
            #expect(response.received == stored.received)
            // The trace has the whole request: it stays in memory.
            var metrics = stored.metrics
            if response.source.isDisk { metrics?.trace = [] }
            #expect(response.metrics == metrics)
            #expect(response.request == .cached())
            #expect(response.source.cacheHit?.age == .seconds(10))
        }
    }

    @Test("memory can be asked alone, without waiting for the disk")
    func memoryAlone() async throws {
        let bench = try CacheBench()
        await bench.store("/users")
        let key = bench.key("/users")
        func ask(_ cache: ResponseCache) -> CacheLookup {
            cache.memoryLookup(key, policy: .keep(), for: .cached())
        }
        #expect(ask(bench.cache).response?.source.isMemory == true)
        let again = bench.another()
        #expect(ask(again).missReason == .notFound)
        _ = await again.lookup(key, policy: .keep(), for: .cached())
        #expect(ask(again).response?.source.isMemory == true)
    }

    @Test("an entry read back from disk lives in memory only for what is left of its life")
    func backFill() async throws {
        let bench = try CacheBench()
        await bench.store("/users")
        let again = bench.another()
        func lookup() async -> CacheLookup {
            await again.lookup(bench.key("/users"), policy: .keep(), for: .cached())
        }
        bench.clock.advance(by: 200)
        #expect(await lookup().response?.source.isDisk == true)
        bench.clock.advance(by: 99)
        #expect(await lookup().response?.source.isMemory == true)
        bench.clock.advance(by: 1)
        #expect(await lookup().missReason == .expired(since: bench.clock.now))
    }

    @Test("hits count across memory, disk and a restart")
    func hitCount() async throws {
        let bench = try CacheBench()
        await bench.store("/users")
        for expected in 1...3 {
            #expect(await bench.lookup("/users").response?.source.cacheHit?.hits == expected)
        }
        await bench.cache.close()
        let again = bench.another()
        let hit = await again.lookup(bench.key("/users"), policy: .keep(), for: .cached())
        #expect(hit.response?.source.cacheHit?.hits == 4)
        #expect(await again.entries().first?.hits == 4)
    }

    @Test("peeking neither counts nor extends, and shows what has expired")
    func peek() async throws {
        let bench = try CacheBench()
        let policy = CachePolicy.keep(extending: .cacheTime)
        await bench.store("/users", policy: policy)
        bench.clock.advance(by: 299)
        let key = bench.key("/users", policy)
        #expect(await bench.cache.peek(key, for: .cached())?.source.cacheHit?.hits == 0)
        bench.clock.advance(by: 2)
        #expect(await bench.cache.peek(key, for: .cached(), includingExpired: false) == nil)
        let stale = try #require(await bench.cache.peek(key, for: .cached())?.source.cacheHit)
        #expect(stale.age == .seconds(301))
        #expect(await bench.another().peek(key, for: .cached())?.source.isDisk == true)
        #expect(await bench.cache.statistics().memoryHits == 0)
    }

    static let storages: [(CachePolicy.Storage, memory: Bool, disk: Bool)] = [
        (.memory, true, false), (.disk, false, true), (.memoryAndDisk, true, true),
    ]

    @Test("a response is kept where the policy says", arguments: storages)
    func storage(storage: CachePolicy.Storage, memory: Bool, disk: Bool) async throws {
        let bench = try CacheBench()
        let policy = CachePolicy.keep(in: storage)
        let outcome = await bench.store("/users", policy: policy)
        #expect(outcome == .stored(storage, expires: bench.clock.now + 300))
        let statistics = await bench.cache.statistics()
        #expect((statistics.memoryCount, statistics.diskCount) == (memory ? 1 : 0, disk ? 1 : 0))
        #expect(await bench.cache.entries().map(\.storage) == [storage])
        #expect(await bench.lookup("/users", policy).response?.source.isMemory == memory)
        #expect(bench.folder.files.isEmpty == !disk)
    }

    static let refusals: [(Response, CachePolicy, NotStoredReason)] = [
        (.fromServer(), .none, .policyNone),
        (.fromServer(), CachePolicy.keep(for: .expired), .expired),
        (.fromServer(), CachePolicy.keep(for: .seconds(0)), .expired),
        (.fromServer(), CachePolicy.keep(for: .seconds(.nan)), .expired),
        (
            .fromServer(), CachePolicy.keep(for: .date(Date(timeIntervalSinceReferenceDate: 0))),
            .expired
        ),
        (.fromServer(), CachePolicy.keep(maximumLifetime: .zero), .expired),
        (.fromServer(status: 404), CachePolicy.keep(), .status(404)),
        (.fromServer(status: 304), CachePolicy.keep(), .status(304)),
        (.fromServer(status: 206), CachePolicy.keep(), .status(206)),
        (.fromServer(), CachePolicy.keep(shouldStore: { _ in false }), .predicate),
        (.fromServer(isComplete: false), CachePolicy.keep(), .incomplete),
        (.fromServer(source: .stub), CachePolicy.keep(), .notFromServer),
        (.fromServer(source: .replay), CachePolicy.keep(), .notFromServer),
        (
            .fromServer(destination: DownloadDestination(path: "/x")), CachePolicy.keep(),
            .downloaded
        ),
    ]

    @Test("a response that is not stored says why", arguments: refusals)
    func refusal(response: Response, policy: CachePolicy, reason: NotStoredReason) async throws {
        let bench = try CacheBench()
        let key = bench.key("/users", policy)
        #expect(await bench.cache.store(response, key: key, policy: policy) == .notStored(reason))
        #expect(await bench.cache.peek(key, for: .cached()) == nil)
        #expect(bench.folder.files.isEmpty)
    }

    @Test("a predicate may store what is no success")
    func predicate() async throws {
        let bench = try CacheBench()
        let policy = CachePolicy.keep(for: .forever, shouldStore: { $0.status == 404 })
        let key = bench.key("/users", policy)
        let outcome = await bench.cache.store(.fromServer(status: 404), key: key, policy: policy)
        #expect(outcome == .stored(.memoryAndDisk, expires: nil))
    }

    @Test("an empty body is kept like any other")
    func emptyBody() async throws {
        let bench = try CacheBench()
        await bench.store("/", body: .bytes([]))
        let again = await bench.another().lookup(
            bench.key("/"),
            policy: .keep(),
            for: .cached("/")
        )
        #expect(again.response?.body == .bytes([]))
    }

    @Test("a miss says whether there never was anything, or it is over, or nothing is kept")
    func misses() async throws {
        let bench = try CacheBench()
        #expect(await bench.lookup("/users").missReason == .notFound)
        #expect(await bench.lookup("/users", .none).missReason == .policyNone)
        await bench.store("/users")
        let end = bench.clock.now + 300
        bench.clock.advance(by: 1000)
        #expect(await bench.lookup("/users").missReason == .expired(since: end))
        #expect(await bench.cache.statistics().misses == 3)
    }

    @Test("a key is used for the first time once")
    func firstUse() throws {
        let bench = try CacheBench()
        #expect(bench.cache.isFirstUse(bench.key("/a")))
        #expect(!bench.cache.isFirstUse(bench.key("/a")))
        #expect(bench.cache.isFirstUse(bench.key("/b")))
    }

    @Test("a read makes no file")
    func nothingOpened() async throws {
        let bench = try CacheBench()
        _ = await bench.lookup("/users")
        _ = await bench.cache.entries()
        await bench.cache.removeAll()
        await bench.cache.close()
        #expect(bench.folder.files.isEmpty)
    }

    @Test("entries are removed by key, by rule, when expired, and all")
    func removal() async throws {
        let bench = try CacheBench()
        for path in ["/a", "/b", "/c", "/d"] { await bench.store(path) }
        await bench.store("/short", policy: .keep(for: .seconds(1)))
        #expect(await bench.cache.remove(bench.key("/a")))
        #expect(await !bench.cache.remove(bench.key("/a")))
        #expect(await bench.cache.remove { $0.request.url.hasSuffix("/b") } == 1)
        bench.clock.advance(by: 2)
        #expect(await bench.cache.removeExpired() == 1)
        #expect(
            Set(await bench.cache.entries().map(\.request.url)) == [
                "https://api.example.com/c", "https://api.example.com/d",
            ]
        )
        await bench.cache.removeAll(.memory)
        #expect(await bench.lookup("/c").response?.source.isDisk == true)
        await bench.cache.removeAll()
        #expect(await bench.cache.entries().isEmpty)
        #expect(await bench.lookup("/d").missReason == .notFound)
    }

    @Test("caches of different names in one folder know nothing of each other")
    func names() async throws {
        let folder = try CacheFolder()
        let caches = ["", "a/../b"].map {
            ResponseCache(configuration: .init(name: $0, directory: folder.path))
        }
        let keys = caches.map { $0.key(for: .cached(), policy: .keep()) }
        #expect(keys[0] != keys[1])
        _ = await caches[1].store(.fromServer(), key: keys[1], policy: .keep())
        #expect(await caches[0].entries().isEmpty)
        #expect(await caches[1].entries().count == 1)
    }
}
