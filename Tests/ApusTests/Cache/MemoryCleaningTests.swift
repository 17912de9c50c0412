import FoundationEssentials
import TestSupport
import Testing

@testable import Apus

@Suite("Expired entries leave memory by themselves", .timeLimit(.minutes(5)))
struct MemoryCleaningTests {
    private let timers = ManualClock()
    private let bench: CacheBench

    init() throws { bench = try CacheBench(timers: timers) }

    private func store(_ path: String, for seconds: Double) async {
        await bench.store(path, policy: .keep(for: .seconds(seconds), in: .memory))
    }

    /// Lets time go by, for dates and for alarms.
    private func advance(by seconds: Double) {
        bench.clock.advance(by: seconds)
        timers.advance(by: .seconds(seconds))
    }

    private func waitForCount(_ count: Int) async {
        while await bench.cache.statistics().memoryCount != count { await Task.yield() }
    }

    @Test("half a minute after its end an entry has gone, and nothing is set to wake again")
    func alone() async {
        await store("/a", for: 60)
        await timers.waitUntilAsleep()
        #expect(timers.slept == [.seconds(90)])
        advance(by: 90)
        await waitForCount(0)
        #expect(timers.slept.count == 1)
    }

    @Test("where nothing ends, or nothing is, nothing is set to wake")
    func idle() async {
        _ = await bench.lookup("/a")
        await bench.store("/a", policy: .keep(for: .forever))
        _ = await bench.lookup("/a", .keep(for: .forever))
        await bench.store("/b", policy: .keep(for: .seconds(60), in: .disk))
        #expect(timers.slept.isEmpty)
    }

    @Test("what ends later has its own turn, and an earlier end comes first")
    func several() async {
        await store("/late", for: 600)
        await timers.waitUntilAsleep()
        await store("/soon", for: 60)
        await timers.waitUntilAsleep()
        await store("/sooner", for: 70)
        #expect(timers.slept == [.seconds(630), .seconds(90)])
        advance(by: 90)
        await waitForCount(1)
        await timers.waitUntilAsleep()
        #expect(timers.slept.last == .seconds(540))
        advance(by: 540)
        await waitForCount(0)
    }

    @Test("what is read again and again, and so extended, stays")
    func extended() async {
        let policy = CachePolicy.keep(for: .seconds(60), in: .memory, extending: .cacheTime)
        await bench.store("/a", policy: policy)
        await timers.waitUntilAsleep()
        bench.clock.advance(by: 50)
        #expect(await bench.lookup("/a", policy).response != nil)
        bench.clock.advance(by: 40)
        timers.advance(by: .seconds(90))
        await timers.waitUntilAsleep()
        #expect(timers.slept == [.seconds(90), .seconds(50)])
        #expect(await bench.cache.statistics().memoryCount == 1)
    }

    @Test("what came from disk goes as well, and what is for ever on disk stays there")
    func fromDisk() async {
        let policy = CachePolicy.keep(inMemory: .seconds(60), onDisk: .forever)
        _ = await bench.another().store(
            .fromServer(),
            key: bench.key("/users", policy),
            policy: policy
        )
        #expect(await bench.lookup("/users", policy).response?.source.isDisk == true)
        await timers.waitUntilAsleep()
        advance(by: 90)
        await waitForCount(0)
        #expect(await bench.lookup("/users", policy).response?.source.isDisk == true)
    }

    @Test("an entry that is read as expired goes at once")
    func read() async {
        await store("/a", for: 60)
        bench.clock.advance(by: 61)
        #expect(
            await bench.lookup("/a", .keep(in: .memory)).missReason
                == .expired(since: bench.clock.now - 1)
        )
        #expect(await bench.cache.statistics().memoryCount == 0)
        #expect(await bench.lookup("/a", .keep(in: .memory)).missReason == .notFound)
    }

    @Test("the uses of what has gone from memory still reach the disk")
    func uses() async throws {
        await bench.store("/users", policy: .keep(inMemory: .seconds(60), onDisk: .forever))
        await timers.waitUntilAsleep()
        for _ in 0..<3 { _ = await bench.lookup("/users") }
        advance(by: 90)
        await waitForCount(0)
        await bench.cache.flush()
        #expect(await bench.another().entries().first?.hits == 3)
    }
}
