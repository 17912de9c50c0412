import FoundationEssentials
import SQLite
import Testing

@testable import Apus

/// Reads that come one on the heels of the other.
struct DiskReaderTests {
    private static let policy = CachePolicy.keep(in: .disk)

    private func body(_ bench: CacheBench) async -> ResponseBody? {
        await bench.lookup("/users", Self.policy).response?.body
    }

    @Test("each sees what another cache has stored just before")
    func freshness() async throws {
        let bench = try CacheBench()
        let other = bench.another()
        for number in 0..<20 {
            let body = ResponseBody.bytes(Array("\(number)".utf8))
            let response = Response.fromServer(body: body)
            let key = bench.key("/users", Self.policy)
            _ = await other.store(response, key: key, policy: Self.policy)
            for _ in 0..<300 {
                guard await self.body(bench) == body else {
                    Issue.record("an older response, \(number)")
                    return
                }
            }
        }
    }

    @Test("the log of writes can be emptied as soon as they pause")
    func log() async throws {
        let bench = try CacheBench()
        await bench.store("/users", policy: Self.policy)
        for _ in 0..<2000 { _ = await body(bench) }
        let path = "\(bench.folder.path)/responses.sqlite"
        var configuration = Configuration()
        // Emptying waits for who still reads.
        configuration.busyTimeout = .seconds(10)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let isBusy = try await queue.writeWithoutTransaction { db in
            try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        #expect(isBusy == 0)
        #expect(PrivateFiles.size(of: "\(path)-wal") == 0)
        #expect(await body(bench) != nil)
    }

    @Test("a cache that reads without end keeps the log of its own writes short")
    func ownWrites() async throws {
        let bench = try CacheBench()
        let big = ResponseBody.bytes([UInt8](repeating: 1, count: 60_000))
        for _ in 0..<400 {
            await bench.store("/users", body: big, policy: Self.policy)
            for _ in 0..<70 { _ = await body(bench) }
        }
        // 400 stores have written 24 MB; the log begins anew after 4.
        let size = PrivateFiles.size(of: "\(bench.folder.path)/responses.sqlite-wal") ?? 0
        #expect(size < 16 << 20)
    }
}
