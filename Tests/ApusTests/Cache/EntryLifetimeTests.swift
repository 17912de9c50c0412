import FoundationEssentials
import Testing

@testable import Apus

struct EntryLifeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let policy: CachePolicy
        /// Seconds from storing at which it is read.
        let uses: [Double]
        /// Seconds from storing at which it ends; nil for never.
        let end: Double?
    }

    static let cases: [Case] = [
        Case(
            testDescription: "seconds",
            policy: .keep(for: .seconds(60)),
            uses: [10, 50],
            end: 60
        ),
        Case(
            testDescription: "days",
            policy: .keep(for: .days(2)),
            uses: [],
            end: 172_800
        ),
        Case(testDescription: "never", policy: .keep(for: .forever), uses: [9e9], end: nil),
        Case(
            testDescription: "never, extended",
            policy: .keep(for: .forever, extending: .cacheTime),
            uses: [5],
            end: nil
        ),
        Case(
            testDescription: "never, with a longest life",
            policy: .keep(for: .forever, maximumLifetime: .seconds(90)),
            uses: [5],
            end: 90
        ),
        Case(
            testDescription: "cacheTime",
            policy: .keep(for: .seconds(60), extending: .cacheTime),
            uses: [50, 100],
            end: 160
        ),
        Case(
            testDescription: "cacheTime, with a longest life",
            policy: .keep(for: .seconds(60), extending: .cacheTime, maximumLifetime: .seconds(100)),
            uses: [50, 90],
            end: 100
        ),
        Case(
            testDescription: "fixed",
            policy: .keep(for: .seconds(60), extending: .fixed(.seconds(500))),
            uses: [50],
            end: 550
        ),
        Case(
            testDescription: "fixed and shorter than what is left",
            policy: .keep(for: .seconds(60), extending: .fixed(.seconds(5))),
            uses: [10],
            end: 60
        ),
        Case(
            testDescription: "a first life over the longest",
            policy: .keep(for: .days(1), maximumLifetime: .seconds(30)),
            uses: [],
            end: 30
        ),
    ]

    @Test("an entry ends when its policy says", arguments: cases)
    func end(_ entry: Case) throws {
        let start = Date(timeIntervalSinceReferenceDate: 0)
        var life = try #require(EntryLifetime(storedAt: start, entry.policy))
        for use in entry.uses { life.expires = life.end(afterUseAt: start + use, entry.policy) }
        #expect(life.expires == entry.end.map { start + $0 })
        guard let end = entry.end else { return }
        #expect(!life.isOver(at: start + end - 0.001))
        #expect(life.isOver(at: start + end))
    }

    @Test(
        "an extension reaches the disk, from memory and from disk",
        arguments: [CachePolicy.Storage.memoryAndDisk, .disk]
    )
    func persistence(storage: CachePolicy.Storage) async throws {
        let bench = try CacheBench()
        let policy = CachePolicy.keep(
            for: .seconds(60),
            in: storage,
            extending: .cacheTime,
            maximumLifetime: .seconds(150)
        )
        await bench.store("/users", policy: policy)
        for _ in 0..<2 {
            bench.clock.advance(by: 50)
            #expect(await bench.lookup("/users", policy).response != nil)
        }
        await bench.cache.close()
        let again = bench.another()
        bench.clock.advance(by: 49)
        let hit = await again.lookup(bench.key("/users", policy), policy: policy, for: .cached())
        #expect(hit.response?.source.cacheHit?.hits == 3)
        bench.clock.advance(by: 1)
        let end = bench.clock.now
        let miss = await again.lookup(bench.key("/users", policy), policy: policy, for: .cached())
        #expect(miss.missReason == .expired(since: end))
    }

    @Test("memory gives up what stays on disk, and has it anew from there")
    func memoryShorter() async throws {
        let bench = try CacheBench()
        let policy = CachePolicy.keep(inMemory: .seconds(60), onDisk: .seconds(1000))
        #expect(
            await bench.store("/users", policy: policy)
                == .stored(.memoryAndDisk, expires: bench.clock.now + 1000)
        )
        #expect(await bench.cache.entries().first?.expires == bench.clock.now + 1000)
        var sources: [Bool] = []
        for seconds in [59.0, 1, 59, 1, 820, 30, 29] {
            bench.clock.advance(by: seconds)
            let hit = try #require(await bench.lookup("/users", policy).response)
            sources.append(hit.source.isMemory)
        }
        // The last of them: no longer in memory than on disk.
        #expect(sources == [true, false, true, false, false, true, true])
        bench.clock.advance(by: 1)
        #expect(await bench.lookup("/users", policy).missReason == .expired(since: bench.clock.now))
    }

    @Test("memory may keep what another process is not to find any more")
    func memoryLonger() async throws {
        let bench = try CacheBench()
        let policy = CachePolicy.keep(inMemory: .forever, onDisk: .seconds(60))
        await bench.store("/users", policy: policy)
        #expect(await bench.cache.entries().first?.expires == nil)
        let again = bench.another()
        func find() async -> CacheLookup {
            await again.lookup(bench.key("/users", policy), policy: policy, for: .cached())
        }
        bench.clock.advance(by: 59)
        #expect(await find().response?.source.isDisk == true)
        bench.clock.advance(by: 1)
        #expect(await find().missReason == .expired(since: bench.clock.now))
        #expect(await bench.lookup("/users", policy).response?.source.isMemory == true)
    }

    @Test("a use extends the time where it was read, and leaves the other's")
    func extensionOfOne() async throws {
        let bench = try CacheBench()
        let policy = CachePolicy.keep(
            inMemory: .seconds(60),
            onDisk: .seconds(100),
            extending: .cacheTime
        )
        await bench.store("/users", policy: policy)
        for _ in 0..<3 {
            bench.clock.advance(by: 40)
            #expect(await bench.lookup("/users", policy).response?.source.isMemory == true)
        }
        await bench.cache.close()
        let key = bench.key("/users", policy)
        #expect(await bench.another().peek(key, for: .cached(), includingExpired: false) == nil)
    }

    @Test("a place whose time is over before it begins is none")
    func onePlace() async throws {
        let bench = try CacheBench()
        #expect(CachePolicy.keep(inMemory: .forever, onDisk: .expired).storage == .memory)
        #expect(CachePolicy.keep(inMemory: .expired, onDisk: .forever).storage == .disk)
        #expect(
            await bench.store("/a", policy: .keep(inMemory: .expired, onDisk: .expired))
                == .notStored(.expired)
        )
        #expect(
            await bench.store("/a", policy: .keep(inMemory: .seconds(0), onDisk: .forever))
                == .stored(.disk, expires: nil)
        )
    }
}
