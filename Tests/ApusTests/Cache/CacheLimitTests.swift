import FoundationEssentials
import HTTPTypes
import SQLite
import Testing

@testable import Apus

struct CacheLimitTests {
    private func body(_ kilobytes: Int, _ fill: UInt8 = 7) -> ResponseBody {
        .bytes([UInt8](repeating: fill, count: kilobytes << 10))
    }

    @Test("memory holds no more than its limits, and the last used stay")
    func memory() async throws {
        let bench = try CacheBench(memoryCountLimit: 3)
        let policy = CachePolicy.keep(in: .memory)
        for path in ["/a", "/b", "/c"] { await bench.store(path, policy: policy) }
        _ = await bench.lookup("/a", policy)
        await bench.store("/d", policy: policy)
        #expect(await bench.lookup("/b", policy).missReason == .notFound)
        for path in ["/a", "/c", "/d"] { #expect(await bench.lookup(path, policy).response != nil) }
    }

    /// Parts of a response that a server can make as long as it likes.
    private static let longParts:
        [(String, @Sendable (inout Response, inout TransferMetrics, String) -> Void)] = [
            (
                "reason phrase",
                { response, _, text in
                    response.head.status = .init(code: 200, reasonPhrase: text)
                }
            ),
            ("field", { response, _, text in response.head.headerFields[.server] = text }),
            (
                "name of a field",
                { response, _, text in
                    if let name = HTTPField.Name("X-\(text.prefix(text.utf8.count / 2))") {
                        response.head.headerFields[name] = ""
                    }
                }
            ),
            ("URL", { _, metrics, text in metrics.effectiveURL = text }),
            ("redirect", { _, metrics, text in metrics.redirects[0].fields[.server] = text }),
            ("location", { _, metrics, text in metrics.redirects[0].location = text }),
            ("URL of a redirect", { _, metrics, text in metrics.redirects[0].url = text }),
            (
                "fields withheld",
                { _, metrics, text in metrics.redirects[0].withheldFields = [text] }
            ),
            (
                "certificate",
                { _, metrics, text in metrics.certificates[0].fields[0].value = text }
            ),
            ("trailer", { _, metrics, text in metrics.irregularHeaderLines = [text] }),
            ("trace", { _, metrics, text in metrics.trace[0].text = text }),
        ]

    @Test("all of a response counts for memory's limit", arguments: longParts)
    func parts(
        name: String,
        lengthen: @Sendable (inout Response, inout TransferMetrics, String) -> Void
    ) async throws {
        let bench = try CacheBench(memoryCostLimit: 1 << 20)
        for number in 0..<10 {
            var response = Response.fromServer("/\(number)")
            var metrics = TransferMetrics.full
            lengthen(&response, &metrics, String(repeating: "v", count: 300_000))
            response.metrics = metrics
            _ = await bench.cache.store(
                response,
                key: bench.key("/\(number)"),
                policy: .keep(in: .memory)
            )
        }
        let statistics = await bench.cache.statistics()
        #expect(statistics.memoryCount == 3)
        #expect((900_000...1 << 20).contains(statistics.memoryCost))
    }

    @Test("what was measured counts, too, when a response comes back from disk")
    func partsFromDisk() async throws {
        let bench = try CacheBench()
        var response = Response.fromServer("/a")
        var metrics = TransferMetrics.full
        metrics.certificates[0].fields[0].value = String(repeating: "v", count: 300_000)
        response.metrics = metrics
        _ = await bench.cache.store(response, key: bench.key("/a"), policy: .keep())
        let other = bench.another()
        let found = await other.lookup(bench.key("/a"), policy: .keep(), for: .cached("/a"))
        #expect(found.response != nil)
        #expect(await other.statistics().memoryCost > 300_000)
    }

    private static func isTooLarge(_ outcome: CacheStoreOutcome, for limit: Int) -> Bool {
        guard case .notStored(.tooLarge(let bytes, limit)) = outcome else { return false }
        return bytes > limit
    }

    @Test("a body over the limit is not stored and says so")
    func tooLarge() async throws {
        let bench = try CacheBench(memoryCostLimit: 10 << 10, diskLimit: 100 << 10)
        let inMemory = await bench.store("/a", body: body(20), policy: .keep(in: .memory))
        #expect(Self.isTooLarge(inMemory, for: 10 << 10))
        #expect(
            await bench.store("/a", body: body(20))
                == .stored(.disk, expires: bench.clock.now + 300)
        )
        let onDisk = await bench.store("/a", body: body(200))
        #expect(Self.isTooLarge(onDisk, for: 100 << 10))
    }

    @Test("a small body is too large with its head, or if memory may have no entries")
    func smallBody() async throws {
        let narrow = try CacheBench(memoryCostLimit: 1000, diskLimit: 1000)
        let empty = try CacheBench(memoryCountLimit: 0)
        let memory = CachePolicy.keep(in: .memory)
        let inMemory = await narrow.store("/a", policy: memory)
        #expect(Self.isTooLarge(inMemory, for: 1000))
        let onDisk = await narrow.store("/a")
        #expect(Self.isTooLarge(onDisk, for: 1000))
        let nowhere = await empty.store("/a", policy: memory)
        #expect(Self.isTooLarge(nowhere, for: 0))
    }

    @Test("the disk's limit holds after every write: what was used longest ago goes, files too")
    func disk() async throws {
        let bench = try CacheBench(memoryCountLimit: 0, diskLimit: 1 << 20)
        let policy = CachePolicy.keep(for: .forever, in: .disk)
        for number in 0..<40 {
            bench.clock.advance(by: 1)
            await bench.store(
                "/\(number)",
                body: body(number % 2 == 0 ? 100 : 20, UInt8(number)),
                policy: policy
            )
            // Used all the time, so it must stay.
            #expect(await bench.lookup("/0", policy).response != nil)
            #expect(await bench.cache.statistics().diskSize <= 1 << 20)
        }
        #expect(await bench.lookup("/1", policy).missReason == .notFound)
        #expect(await bench.lookup("/39", policy).response != nil)
        let entries = await bench.cache.entries()
        let bodies = bench.folder.files.filter { $0.hasPrefix("bodies/") }
        #expect(bodies.count == entries.count { $0.size > DiskStore.largestRowBody })
        #expect(bodies.count < 15)
    }

    @Test("equal bodies share a file, which goes with the last entry")
    func sharedBody() async throws {
        let bench = try CacheBench()
        await bench.store("/a", body: body(100))
        await bench.store("/b", body: body(100))
        func bodies() -> Int { bench.folder.files.count { $0.hasPrefix("bodies/") } }
        #expect(bodies() == 1)
        await bench.cache.remove(bench.key("/a"))
        #expect(bodies() == 1)
        #expect(
            await bench.another().lookup(bench.key("/b"), policy: .keep(), for: .cached("/b"))
                .response?.body == body(100)
        )
        await bench.cache.remove(bench.key("/b"))
        #expect(bodies() == 0)
    }

    @Test("a large body comes back as a file that outlives its entry")
    func lentBody() async throws {
        let bench = try CacheBench()
        let policy = CachePolicy.keep(in: .disk)
        await bench.store("/big", body: body(300), policy: policy)
        let key = bench.key("/big", policy)
        let request = PreparedRequest.cached("/big", memoryLimit: 1000)
        do {
            let response = try #require(
                await bench.cache.lookup(key, policy: policy, for: request).response
            )
            guard case .file(let file) = response.body else {
                Issue.record("not a file")
                return
            }
            await bench.cache.removeAll()
            #expect(file.count == 300 << 10)
            #expect(try file.load() == body(300).load())
            #expect(PrivateFiles.size(of: file.path) == 300 << 10)
        }
        #expect(!bench.folder.files.contains { $0.hasPrefix("lent/") && !$0.hasSuffix("lock") })
    }

    @Test(
        "a body that was lent outlives its cache, and what a killed process left goes",
        .timeLimit(.minutes(5))
    )
    func outlivingBody() async throws {
        let (folder, policy) = (try CacheFolder(), CachePolicy.keep(in: .disk))
        let content = [UInt8](repeating: 7, count: 200_000)
        func lend() async throws -> BodyFile? {
            let bench = try CacheBench(folder: folder)
            await bench.store("/large", body: .bytes(content), policy: policy)
            let found = await bench.cache.lookup(
                bench.key("/large", policy),
                policy: policy,
                for: .cached("/large", memoryLimit: 0)
            )
            guard case .file(let file)? = found.response?.body else { return nil }
            return file
        }
        func isLent(_ name: String) -> Bool {
            name.hasPrefix("lent/") && name.split(separator: "/").count == 3
        }
        var file = try await lend()
        let left = "\(folder.path)/lent/\(UUID().uuidString)"
        try PrivateFiles.makeFolder(left)
        for name in ["lock", "1"] { try PrivateFiles.touchFile("\(left)/\(name)") }
        try await CacheBench(folder: folder).cache.removeAll()
        #expect(!Temporary.exists(left))
        #expect(try file?.load() == content)
        file = nil
        // A thread of the first cache's may still be about to let go of it.
        while folder.files.contains(where: isLent) {
            try await CacheBench(folder: folder).cache.removeAll()
        }
    }

    @Test("a body in a file is stored without reading it whole, and comes back equal")
    func fileBody() async throws {
        let bench = try CacheBench()
        let path = "\(bench.folder.path)/spooled"
        let bytes = [UInt8]((0..<900_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try Data(bytes).write(to: URL(filePath: path))
        let file = BodyFile(path: path, count: bytes.count, ownership: .borrowed)
        #expect(
            await bench.store("/f", body: .file(file))
                == .stored(.disk, expires: bench.clock.now + 300)
        )
        #expect(await bench.lookup("/f").response?.body == .bytes(bytes))
    }

    @Test("what expired a day ago goes by itself, what expired just now can still be shown")
    func cleaning() async throws {
        let bench = try CacheBench()
        let policy = CachePolicy.keep(for: .seconds(60), in: .disk)
        await bench.store("/old", policy: policy)
        bench.clock.advance(by: 7200)
        await bench.store("/new", policy: policy)
        #expect(await bench.cache.peek(bench.key("/old", policy), for: .cached("/old")) != nil)
        bench.clock.advance(by: 86_400)
        await bench.store("/newer", policy: policy)
        #expect(await bench.cache.peek(bench.key("/old", policy), for: .cached("/old")) == nil)
    }
}
