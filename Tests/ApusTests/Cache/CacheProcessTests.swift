import FoundationEssentials
import Glibc
import SQLite
import TestSupport
import Testing

@testable import Apus

/// Several processes on one folder.
struct CacheProcessTests {
    private func lookup(_ cache: ResponseCache, _ path: String) async -> Response? {
        let key = cache.key(for: .cached(path), policy: .keep())
        return await cache.lookup(key, policy: .keep(), for: .cached(path)).response
    }

    @Test("kill -9 while writing leaves a cache that can be read and written")
    func killed() async throws {
        let folder = try CacheFolder()
        let child = try ChildProcess(role: "write", folder: folder.path)
        let cache = ResponseCache(
            configuration: .init(directory: folder.path, memoryCountLimit: 0)
        )
        // Well under way: large bodies have been replaced several times.
        while (await lookup(cache, "/5")?.body.count ?? 0) < 100_010 { await Task.yield() }
        child.kill()
        await cache.close()
        let database = try DatabaseQueue(path: "\(folder.path)/responses.sqlite")
        let check = try await database.read { db in
            try String.fetchOne(db, sql: "PRAGMA integrity_check")
        }
        try database.close()
        #expect(check == "ok")
        for number in 0..<20 {
            let body = try #require(await lookup(cache, "/\(number)")?.body.load())
            #expect(body.allSatisfy { $0 == UInt8(number) } && body.count >= 1000)
        }
        let response = Response.fromServer("/after")
        let key = cache.key(for: response.request, policy: .keep(in: .disk))
        let outcome = await cache.store(response, key: key, policy: .keep(in: .disk))
        guard case .stored(.disk, _) = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test("a program that ends right after its responses has them on disk")
    func exited() async throws {
        let folder = try CacheFolder()
        let child = try ChildProcess(role: "exit", folder: folder.path)
        #expect(await child.wait() == 0)
        let cache = ResponseCache(configuration: .init(directory: folder.path))
        for number in 0..<50 {
            let body = try #require(await lookup(cache, "/\(number)")?.body.load())
            #expect(body.allSatisfy { $0 == UInt8(number) })
        }
    }

    @Test("another process's responses are found; one that memory holds is taken at its word")
    func shared() async throws {
        let folder = try CacheFolder()
        let cache = ResponseCache(configuration: .init(directory: folder.path))
        let own = Response.fromServer("/both", body: .bytes(Array("own".utf8)))
        let key = cache.key(for: own.request, policy: .keep())
        _ = await cache.store(own, key: key, policy: .keep())
        let child = try ChildProcess(role: "store", folder: folder.path)
        #expect(await child.wait() == 0)
        #expect(await lookup(cache, "/child")?.text == "child")
        #expect(await lookup(cache, "/both")?.text == "own")
        await cache.removeAll(.memory)
        #expect(await lookup(cache, "/both")?.text == "child")
    }

    @Test("another cache in the same process leaves the locks that the first has on the database")
    func locks() async throws {
        let folder = try CacheFolder()
        let caches = (0..<2).map { _ in
            ResponseCache(configuration: .init(directory: folder.path))
        }
        for (number, cache) in caches.enumerated() {
            let response = Response.fromServer("/\(number)")
            let key = cache.key(for: response.request, policy: .keep())
            _ = await cache.store(response, key: key, policy: .keep())
        }
        #expect(DatabaseLocks.areHeld(on: "\(folder.path)/responses.sqlite"))
        for cache in caches { await cache.close() }
    }

    @Test("a folder that may not be written leaves the memory at work, with a notice")
    func readOnly() async throws {
        let folder = try CacheFolder()
        let cache = ResponseCache(configuration: .init(directory: folder.path))
        let response = Response.fromServer("/users")
        let key = cache.key(for: response.request, policy: .keep())
        _ = await cache.store(response, key: key, policy: .keep(in: .disk))
        await cache.close()
        for file in folder.files { chmod("\(folder.path)/\(file)", 0o444) }
        chmod(folder.path, 0o555)
        let child = try ChildProcess(role: "readOnly", folder: folder.path)
        #expect(await child.wait() == 0)
        chmod(folder.path, 0o700)
    }

    @Test(
        "with a full database no body is left without an entry, and one that fits is stored",
        .timeLimit(.minutes(5))
    )
    func fullDatabase() async throws {
        let bench = try CacheBench(memoryCountLimit: 0, pageLimit: 20)
        let disk = CachePolicy.keep(in: .disk)
        // A long address takes the room that the file has.
        func path(_ number: Int) -> String { "/\(number)" + String(repeating: "a", count: 20_000) }
        func body(_ number: Int) -> ResponseBody {
            .bytes([UInt8](repeating: UInt8(number), count: 100_000))
        }
        for number in 0..<9 { await bench.store(path(number), body: body(number), policy: disk) }
        let count = await bench.cache.entries().count
        #expect((1..<9).contains(count))
        #expect(bench.folder.files.count { $0.hasPrefix("bodies/") } == count)
        // What could not be stored is removed behind the response.
        while bench.folder.files.contains(where: { $0.hasPrefix("lent/") && !$0.hasSuffix("lock") })
        {
            await Task.yield()
        }
        // Gathered with others that fail, a write is tried by itself.
        async let long: Void = { for n in 10..<20 { await bench.store(path(n), policy: disk) } }()
        await bench.store("/", body: body(9), policy: disk)
        await long
        #expect(await bench.lookup("/", disk).response?.body == body(9))
    }

    @Test("with a full disk a response is still delivered, and what was stored stays")
    func fullDisk() async throws {
        let bench = try CacheBench(memoryCountLimit: 0, pageLimit: 40)
        let origin = ScriptedTransport { request throws(ApusError) in
            .make(request, String(repeating: "x", count: 20_000))
        }
        let provider = Provider<TestTarget>(transport: origin, cache: bench.cache)
        for policy in [CachePolicy.keep(in: .disk), CachePolicy.http] {
            for number in 0..<20 {
                let target = TestTarget(path: "/\(policy.semantics)/\(number)", cachePolicy: policy)
                let response = try await provider.response(for: target, from: .cacheIfPossible)
                #expect(response.body.count == 20_000)
            }
        }
        await bench.cache.flush()
        #expect(bench.notices.all.contains { if case .writeFailed = $0 { true } else { false } })
        #expect(await !bench.cache.entries().isEmpty)
    }
}
