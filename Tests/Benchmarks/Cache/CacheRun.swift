import Apus
import FoundationEssentials
import HTTPTypes

/// A cache with so many entries, and what a hit in it costs.
struct CacheRun {
    let folder: String
    let count: Int
    let body: [UInt8]
    let cache: ResponseCache
    let requests: [PreparedRequest]
    let policy: CachePolicy

    init(_ folder: String, count: Int, bodySize: Int, storage: CachePolicy.Storage) {
        self.folder = folder
        self.count = count
        body = [UInt8](repeating: 0x61, count: bodySize)
        policy = CachePolicy(storage: storage, expiry: .never)
        cache = ResponseCache(
            configuration: .init(
                directory: folder,
                memoryCostLimit: .max,
                memoryCountLimit: .max,
                diskLimit: .max
            )
        )
        requests = (0..<count).map { number in
            PreparedRequest(
                head: HTTPRequest(
                    method: .get,
                    scheme: "https",
                    authority: "api.example.com",
                    path: "/items/\(number)?page=1"
                )
            )
        }
    }

    /// Stores all, many at a time, so that they share transactions.
    func fill() async -> [CacheKey] {
        let keys = requests.map { cache.key(for: $0, policy: policy) }
        for start in stride(from: 0, to: count, by: 2000) {
            await withTaskGroup(of: Void.self) { group in
                for index in start..<min(count, start + 2000) {
                    group.addTask {
                        _ = await cache.store(response(index), key: keys[index], policy: policy)
                    }
                }
            }
        }
        await cache.flush()
        return keys
    }

    private func response(_ index: Int) -> Response {
        var fields = HTTPFields()
        fields[.contentType] = "application/json"
        fields[.cacheControl] = "max-age=600"
        fields[.eTag] = "\"33a64df551425fcc55e4d42a148795d9f25f89d4\""
        fields[.date] = "Sat, 21 Nov 2026 14:00:00 GMT"
        fields[.contentLength] = String(body.count)
        return Response(
            request: requests[index],
            head: HTTPResponse(status: .ok, headerFields: fields),
            body: .bytes(body),
            source: .server,
            received: Date(),
            metrics: TransferMetrics(bytesReceived: body.count, negotiatedVersion: "1.1")
        )
    }

    /// Microseconds for a lookup, of the best of some rounds.
    func lookup(_ keys: [CacheKey], rounds: Int = 5, each: Int = 20_000) async -> Double {
        var best = Double.infinity
        var numbers = Numbers()
        for _ in 0..<rounds {
            let picks = (0..<each).map { _ in numbers.next(below: count) }
            let start = ContinuousClock.now
            for pick in picks {
                guard
                    case .hit = await cache.lookup(
                        keys[pick],
                        policy: policy,
                        for: requests[pick]
                    )
                else { fatalError("a miss") }
            }
            best = min(best, (ContinuousClock.now - start) / .microseconds(1) / Double(each))
        }
        return best
    }

    /// Microseconds for making a key.
    func keyCost(each: Int = 20_000) -> Double {
        let start = ContinuousClock.now
        for index in 0..<each { _ = cache.key(for: requests[index % count], policy: policy) }
        return (ContinuousClock.now - start) / .microseconds(1) / Double(each)
    }

    /// Microseconds for a lookup in memory, without waiting for anything.
    func memoryLookup(_ keys: [CacheKey], rounds: Int = 5, each: Int = 100_000) -> Double {
        var best = Double.infinity
        var numbers = Numbers()
        for _ in 0..<rounds {
            let picks = (0..<each).map { _ in numbers.next(below: count) }
            let start = ContinuousClock.now
            for pick in picks {
                guard
                    case .hit = cache.memoryLookup(
                        keys[pick],
                        policy: policy,
                        for: requests[pick]
                    )
                else { fatalError("a miss") }
            }
            best = min(best, (ContinuousClock.now - start) / .microseconds(1) / Double(each))
        }
        return best
    }
}

/// Numbers that are the same in every run.
struct Numbers {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    mutating func next(below limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(limit))
    }
}
