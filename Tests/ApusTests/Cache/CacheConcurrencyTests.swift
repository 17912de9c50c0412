import FoundationEssentials
import Testing

@testable import Apus

struct CacheConcurrencyTests {
    @Test("two caches on one folder see each other's entries, under load from both")
    func twoCaches() async throws {
        let bench = try CacheBench(memoryCountLimit: 0)
        let other = bench.another()
        let policy = CachePolicy.keep(in: .disk)
        let outcomes = await withTaskGroup(of: CacheStoreOutcome.self) { group in
            for number in 0..<200 {
                let cache = number % 2 == 0 ? bench.cache : other
                group.addTask {
                    let size = number % 10 == 0 ? 80 << 10 : 500
                    let response = Response.fromServer(
                        "/\(number)",
                        body: .bytes([UInt8](repeating: UInt8(number), count: size))
                    )
                    let key = cache.key(for: response.request, policy: policy)
                    return await cache.store(response, key: key, policy: policy)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.allSatisfy { if case .stored = $0 { true } else { false } })
        for number in 0..<200 {
            for cache in [bench.cache, other] {
                let path = "/\(number)"
                let hit = await cache.lookup(
                    bench.key(path, policy),
                    policy: policy,
                    for: .cached(path)
                )
                #expect(hit.response?.body.count == (number % 10 == 0 ? 80 << 10 : 500))
            }
        }
        #expect(bench.notices.all.isEmpty)
    }

    @Test("stores, lookups and removals side by side never give a wrong response")
    func storm() async throws {
        let bench = try CacheBench(memoryCountLimit: 8, diskLimit: 300_000)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var random = SeededNumbers(state: UInt64(task))
                    for _ in 0..<150 {
                        let number = Int.random(in: 0..<20, using: &random)
                        let size = number < 3 ? 70 << 10 : 100 * number
                        let path = "/\(number)"
                        switch Int.random(in: 0..<10, using: &random) {
                        case 0..<4:
                            await bench.store(
                                path,
                                body: .bytes([UInt8](repeating: UInt8(number), count: size))
                            )
                        case 4: await bench.cache.remove(bench.key(path))
                        case 5 where task == 0: await bench.cache.removeAll()
                        default:
                            guard let response = await bench.lookup(path).response else { continue }
                            #expect(
                                response.body
                                    == .bytes([UInt8](repeating: UInt8(number), count: size))
                            )
                        }
                    }
                }
            }
        }
        let damaged = bench.notices.all.filter {
            switch $0 {
            case .removedCorrupt, .cleaned: false
            default: true
            }
        }
        #expect(damaged.isEmpty)
    }

    @Test("what was removed while it was read from disk does not come back into memory")
    func removalWhileReading() throws {
        let store = MemoryStore(costLimit: 1 << 20, countLimit: 10)
        let key = CacheKey(for: .cached(), policy: .keep())
        let life = try #require(EntryLifetime(storedAt: Date(), CachePolicy.keep()))
        let entry = StoredResponse(.fromServer(), key: key, life: life)
        let fill = store.beginFill(key)
        _ = store.remove(key)
        store.endFill(fill, key, entry)
        #expect(store.peek(key) == nil)
        store.endFill(store.beginFill(key), key, entry)
        #expect(store.peek(key) != nil)
    }

    @Test("a store that returned is readable by another cache while this one was never closed")
    func durability() async throws {
        let bench = try CacheBench()
        for number in 0..<50 {
            await bench.store("/\(number)")
            let other = bench.another()
            #expect(
                await other.lookup(
                    bench.key("/\(number)"),
                    policy: .keep(),
                    for: .cached("/\(number)")
                ).response != nil
            )
        }
    }
}
