import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import Apus

/// Responses that are delivered before they are on disk.
struct WriteBehindTests {
    private static let policy = CachePolicy.keep(in: .disk)

    private static func body(_ number: Int, _ size: Int) -> ResponseBody {
        .bytes([UInt8](repeating: UInt8(number), count: size))
    }

    @discardableResult
    private func keep(_ number: Int, _ size: Int, _ bench: CacheBench) async -> CacheStoreOutcome {
        await bench.cache.keep(
            .fromServer(body: Self.body(number, size)),
            key: bench.key("/users", Self.policy),
            policy: Self.policy
        )
    }

    @Test("what was kept is what is read next, small and large by turns")
    func readsOwnWrites() async throws {
        let bench = try CacheBench()
        for number in 0..<40 {
            let size = number % 3 == 0 ? 100_000 : 500
            #expect(
                await keep(number, size, bench) == .stored(.disk, expires: bench.clock.now + 300)
            )
            let found = await bench.lookup("/users", Self.policy).response
            #expect(found?.body == Self.body(number, size))
        }
    }

    @Test("the last that was kept or stored stands, however they were mixed")
    func order() async throws {
        let bench = try CacheBench()
        var random = SeededNumbers(state: 5)
        for number in 0..<60 {
            let size = Bool.random(using: &random) ? 100_000 : 500
            if Bool.random(using: &random) {
                await keep(number, size, bench)
            } else {
                await bench.store("/users", body: Self.body(number, size), policy: Self.policy)
            }
            if number % 7 == 0 { await bench.cache.remove(bench.key("/users", Self.policy)) }
            guard number % 7 == 6 else { continue }
            #expect(
                await bench.lookup("/users", Self.policy).response?.body == Self.body(number, size)
            )
        }
    }

    @Test("flushing and closing wait for the disk")
    func waiting() async throws {
        let bench = try CacheBench()
        await keep(1, 500, bench)
        await bench.cache.flush()
        let request = PreparedRequest.cached()
        let key = bench.key("/users", Self.policy)
        #expect(
            await bench.another().lookup(key, policy: Self.policy, for: request).response != nil
        )
        await keep(2, 100_000, bench)
        await bench.cache.close()
        #expect(
            await bench.another().lookup(key, policy: Self.policy, for: request).response?.body
                == Self.body(2, 100_000)
        )
    }

    @Test("more than the disk can take at once waits for it")
    func manyBytes() async throws {
        let bench = try CacheBench()
        for number in 0..<40 { await keep(number, 4 << 20, bench) }
        #expect(bench.cache.disk.state.withLock { $0.unwaitedBytes } <= 36 << 20)
        #expect(
            await bench.lookup("/users", Self.policy).response?.body == Self.body(39, 4 << 20)
        )
        #expect(bench.cache.disk.state.withLock { $0.unwaitedBytes } == 0)
    }

    @Test("a disk that fails afterwards is a notice, and nothing is found")
    func failure() async throws {
        let bench = try CacheBench()
        try bench.folder.markAsCache()
        try PrivateFiles.touchFile("\(bench.folder.path)/bodies")
        #expect(await keep(1, 100_000, bench) == .stored(.disk, expires: bench.clock.now + 300))
        #expect(await bench.lookup("/users", Self.policy).missReason == .notFound)
        #expect(bench.notices.all.contains { if case .writeFailed = $0 { true } else { false } })
    }
}
