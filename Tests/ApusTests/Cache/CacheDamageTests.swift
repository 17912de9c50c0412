import FoundationEssentials
import Glibc
import HTTPTypes
import SQLite
import Testing

@testable import Apus

@Suite("a disk that changes what was written")
struct CacheDamageTests {
    private static let disk = CachePolicy.keep(for: .forever, in: .disk)

    private static func queue(_ bench: CacheBench) throws -> DatabaseQueue {
        try DatabaseQueue(path: "\(bench.folder.path)/responses.sqlite")
    }

    @Test("a bit of a row that is another is a miss, counted, and the row goes")
    func flippedRow() async throws {
        let bench = try CacheBench()
        for column in ["facts", "body"] {
            for place in [0, 9, 40, 200, 299] {
                await bench.store(
                    "/a",
                    body: .bytes(Array(repeating: 3, count: 300)),
                    policy: Self.disk
                )
                try await Self.queue(bench).write { db in
                    var bytes = [UInt8](
                        try Data.fetchOne(db, sql: "SELECT \(column) FROM entry") ?? Data()
                    )
                    bytes[place] ^= 4
                    try db.execute(sql: "UPDATE entry SET \(column) = ?", arguments: [Data(bytes)])
                }
                guard case .corrupt = await bench.lookup("/a", Self.disk).missReason else {
                    Issue.record("\(column) \(place) was served")
                    return
                }
                #expect(await bench.lookup("/a", Self.disk).missReason == .notFound)
            }
        }
        #expect(await bench.cache.statistics().damaged == 10)
        #expect(await bench.cache.statistics().diskCount == 0)
    }

    @Test("a bit of a body's file that is another is a miss, counted, and the entry goes")
    func flippedFile() async throws {
        let bench = try CacheBench()
        for place in [0, 70_000, 99_999] {
            let bytes = [UInt8](repeating: 3, count: 100_000)
            await bench.store("/a", body: .bytes(bytes), policy: Self.disk)
            #expect(await bench.lookup("/a", Self.disk).response?.body == .bytes(bytes))
            let file = try #require(bench.folder.files.first { $0.hasPrefix("bodies/") })
            try CacheVerificationTests.flip("\(bench.folder.path)/\(file)", at: place)
            guard case .corrupt = await bench.lookup("/a", Self.disk).missReason else {
                Issue.record("\(place) was served")
                return
            }
            #expect(await bench.lookup("/a", Self.disk).missReason == .notFound)
        }
        #expect(await bench.cache.statistics().damaged == 3)
    }

    @Test("a damaged file that two entries share is not taken for the next that stores the same")
    func sharedFile() async throws {
        let bench = try CacheBench()
        let body = ResponseBody.bytes([UInt8](repeating: 3, count: 100_000))
        for path in ["/a", "/b"] { await bench.store(path, body: body, policy: Self.disk) }
        let file = try #require(bench.folder.files.first { $0.hasPrefix("bodies/") })
        try CacheVerificationTests.flip("\(bench.folder.path)/\(file)", at: 50_000)
        #expect(await bench.lookup("/a", Self.disk).response == nil)
        await bench.store("/a", body: body, policy: Self.disk)
        for path in ["/a", "/b"] {
            #expect(await bench.lookup(path, Self.disk).response?.body == body)
        }
    }

    @Test("a damaged response of an HTTP cache is asked for anew, and its row goes")
    func flippedVariant() async throws {
        let bench = try HTTPBench([.max60, .max60], policy: .http(in: .disk))
        try await bench.get()
        await bench.settled()
        try await Self.queue(bench.bench).write { db in
            try db.execute(sql: "UPDATE entry SET body = x'00'")
        }
        #expect(try await !bench.get().isCached)
        await bench.settled()
        #expect(await bench.bench.cache.statistics().damaged == 1)
        #expect(await bench.bench.cache.entries().count == 1)
        #expect(try await bench.get().isCached)
    }

    @Test("a response of the future is over for the lookup as for the list, and is fetched anew")
    func future() async throws {
        for storage in [CachePolicy.Storage.memory, .disk] {
            let bench = try CacheBench()
            let policy = CachePolicy.keep(for: .days(1), in: storage)
            await bench.store("/a", policy: policy)
            bench.clock.advance(by: -0.5)
            #expect(await bench.lookup("/a", policy).response != nil)
            bench.clock.advance(by: -3600)
            let now = bench.clock.now
            #expect(await bench.lookup("/a", policy).missReason == .expired(since: now))
            #expect(await bench.cache.entries().map(\.expires) == [now])
            #expect(await bench.cache.removeExpired() == 1)
            #expect(await bench.cache.entries().isEmpty)
            await bench.store("/a", policy: policy)
            #expect(await bench.lookup("/a", policy).response != nil)
        }
    }

    @Test("by HTTP a response of the future is stale, however long it was fresh, and asked about")
    func futureHTTP() async throws {
        let fields = [
            ("Cache-Control", "max-age=86400, stale-while-revalidate=99999999"), ("ETag", "\"a\""),
        ]
        for storage in [CachePolicy.Storage.memory, .disk] {
            let bench = try HTTPBench(
                [.ok(fields), .notModified(fields)],
                policy: .http(in: storage)
            )
            try await bench.get()
            try await bench.get(after: -7200)
            #expect(bench.askedCount == 2)
            #expect(bench.lastAsked?.value("If-None-Match") == "\"a\"")
            try await bench.get(after: 1)
            #expect(bench.askedCount == 2)
            try await bench.get(after: -60)
            let now = bench.bench.clock.now
            #expect(
                await bench.bench.cache.entries().allSatisfy {
                    $0.freshUntil.map { $0 <= now } ?? true
                }
            )
        }
    }

    @Test("what a killed process was about to write is gone when the cache is opened again")
    func abandoned() async throws {
        let bench = try CacheBench()
        await bench.store("/a", policy: Self.disk)
        await bench.cache.close()
        let names = (0..<3).map { _ in UUID().uuidString }
        for number in 0..<100 {
            let folder = "\(bench.folder.path)/lent/\(names[number % 3])"
            try PrivateFiles.makeFolder(folder)
            try PrivateFiles.touchFile("\(folder)/lock")
            try PrivateFiles.touchFile("\(folder)/\(number)")
        }
        let another = bench.another()
        _ = await another.lookup(bench.key("/a", Self.disk), policy: Self.disk, for: .cached("/a"))
        #expect(bench.folder.files.filter { $0.hasPrefix("lent/") } == ["lent/lock"])
    }

    @Test("a body that is being written lies in the folder of its process")
    func staged() async throws {
        let bench = try CacheBench()
        let staged = try bench.cache.disk.bodies.stage(
            .bytes([1, 2, 3]),
            as: bench.cache.disk.lending.nextName()
        )
        #expect(staged.temporary.hasPrefix("\(bench.folder.path)/lent/"))
        // Another process's opening leaves it: its lock is held.
        _ = await bench.another().store(.fromServer(), key: bench.key("/a"), policy: Self.disk)
        #expect(PrivateFiles.size(of: staged.temporary) == 3)
    }

    @Test("a body whose process died before its row was written goes soon after the next opening")
    func orphaned() async throws {
        let bench = try CacheBench()
        await bench.store("/a", policy: Self.disk)
        await bench.cache.close()
        let orphan = "\(bench.folder.path)/bodies/ab/" + String(repeating: "c", count: 62)
        try PrivateFiles.makeFolder("\(bench.folder.path)/bodies/ab")
        try PrivateFiles.touchFile(orphan)
        // Cleaned within the hour, and nobody died: nothing is looked for.
        var another = bench.another()
        _ = await another.store(.fromServer(), key: bench.key("/b"), policy: Self.disk)
        await another.close()
        #expect(PrivateFiles.size(of: orphan) == 0)
        // The staged file has its name now, so that only the lock is left of the process.
        let killed = "\(bench.folder.path)/lent/\(UUID().uuidString)"
        try PrivateFiles.makeFolder(killed)
        try PrivateFiles.touchFile("\(killed)/lock")
        // Who only reads leaves it to the next that writes.
        another = bench.another()
        _ = await another.lookup(bench.key("/a", Self.disk), policy: Self.disk, for: .cached("/a"))
        let third = bench.another()
        _ = await third.store(.fromServer(), key: bench.key("/c"), policy: Self.disk)
        await third.close()
        #expect(PrivateFiles.size(of: orphan) == nil)
    }
}
