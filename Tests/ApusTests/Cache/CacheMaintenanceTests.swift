import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

struct CacheMaintenanceTests {
    @Test("a response kept in memory only takes an older one off the disk")
    func olderOnDisk() async throws {
        let bench = try CacheBench()
        await bench.store("/users", body: .bytes([1]), policy: .keep(in: .disk))
        let memory = CachePolicy.keep(in: .memory)
        await bench.store("/users", body: .bytes([2]), policy: memory)
        await bench.cache.flush()
        // What memory holds goes with the process.
        #expect(await bench.another().peek(bench.key("/users"), for: .cached()) == nil)
        bench.cache.memory.removeAll()
        #expect(await bench.lookup("/users").response == nil)
    }

    @Test("what was removed is in no file any more", arguments: [true, false])
    func removedBytes(isAll: Bool) async throws {
        let bench = try CacheBench()
        let text = "this stands in no file"
        for number in 0..<20 {
            let body = String(repeating: text, count: number * 100 + 1)
            await bench.store("/\(number)", body: .bytes(Array(body.utf8)))
        }
        await bench.store("/large", body: .bytes(Array(String(repeating: text, count: 9000).utf8)))
        if isAll {
            await bench.cache.removeAll()
        } else {
            #expect(await bench.cache.remove(matching: "*") == 21)
            await bench.cache.close()
        }
        for file in bench.folder.files {
            let found = try Data(FileBytes.read("\(bench.folder.path)/\(file)"))
                .firstRange(of: Data(text.utf8))
            #expect(found == nil, "\(file)")
        }
    }

    @Test("entries are removed by a pattern of their URL")
    func pattern() async throws {
        let bench = try CacheBench()
        for path in ["/users/1", "/users/2?a=b", "/items/1"] { await bench.store(path) }
        #expect(await bench.cache.remove(matching: "https://api.*/users/*") == 2)
        #expect(
            await bench.cache.entries().map(\.request.url) == ["https://api.example.com/items/1"]
        )
        #expect(await bench.cache.remove(matching: "nothing") == 0)
    }

    @Test("the list tells recipe, size, place, file, hits and age of each entry")
    func list() async throws {
        let bench = try CacheBench()
        await bench.store("/big", body: .bytes([UInt8](repeating: 1, count: 100 << 10)))
        await bench.store("/small", policy: .keep(in: .memory))
        bench.clock.advance(by: 10)
        _ = await bench.lookup("/big")
        let entries = await bench.cache.entries()
        let big = try #require(entries.first { $0.request.url.hasSuffix("/big") })
        #expect(big.key.recipe.contains("url https://api.example.com/big"))
        #expect(big.size == 100 << 10 && big.hits == 1 && big.storage == .memoryAndDisk)
        #expect(big.age(at: bench.clock.now) == .seconds(10))
        let path = try #require(big.path)
        #expect(try FileBytes.read(path).count == 100 << 10)
        let small = try #require(entries.first { $0.request.url.hasSuffix("/small") })
        #expect(small.path == nil && small.storage == .memory)
        #expect(await bench.cache.place(of: big.key) == .memoryAndDisk)
        #expect(await bench.cache.place(of: bench.key("/none")) == nil)
    }

    @Test("the disk keeps to its number of entries, leaves a part of it, and says so")
    func countLimit() async throws {
        let folder = try CacheFolder()
        let notices = Notices()
        let clock = SetClock()
        let cache = ResponseCache(
            configuration: .init(
                directory: folder.path,
                memoryCountLimit: 0,
                diskCountLimit: 10,
                evictionFraction: 0.5
            ),
            clock: { clock.now },
            notice: { notices.add($0) }
        )
        for number in 0..<11 {
            clock.advance(by: 1)
            let response = Response.fromServer("/\(number)")
            let key = cache.key(for: response.request, policy: .keep())
            _ = await cache.store(response, key: key, policy: .keep())
        }
        let left = await cache.entries().map(\.request.url.last)
        #expect(left == ["0", "9", "8", "7", "6"])
        #expect(notices.all == [.cleaned(6)])
    }

    @Test("the key of a URL stands for all that HTTP caching keeps for it, on disk and in memory")
    func variants() async throws {
        let step = OriginStep.ok([("Cache-Control", "max-age=60"), ("Vary", "X-Any")])
        let bench = try HTTPBench([step, step])
        try await bench.get("/a", [("X-Any", "1")])
        try await bench.get("/a", [("X-Any", "2")])
        let cache = bench.bench.cache
        await cache.flush()
        let entries = await cache.entries()
        #expect(entries.count == 2 && entries.allSatisfy { $0.key.recipe.contains("vary x-any") })
        #expect(entries.first?.freshUntil == bench.bench.clock.now.addingTimeInterval(60))
        #expect(await cache.remove(cache.httpKey(for: .make(), policy: bench.policy)))
        #expect(await cache.entries().isEmpty)
        bench.script(step)
        #expect(try await !bench.get("/a", [("X-Any", "1")]).isCached)
    }

    @Test("expired entries of HTTP caching stay to be validated; its longest life takes them")
    func httpLife() async throws {
        let bench = try HTTPBench(
            [.ok([("Cache-Control", "max-age=1"), ("ETag", "\"v\"")])],
            policy: .http(maximumLifetime: .seconds(100))
        )
        try await bench.get()
        bench.bench.clock.advance(by: 50)
        #expect(await bench.bench.cache.removeExpired() == 0)
        #expect(await bench.bench.cache.entries().count == 1)
        bench.bench.clock.advance(by: 51)
        bench.script(.max60)
        try await bench.get()
        #expect(bench.lastAsked?.value("If-None-Match") == nil)
    }
}
