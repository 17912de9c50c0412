import Apus
import FoundationEssentials
import HTTPTypes

/// A cache with so many entries, and what a hit in it costs.
struct CacheRun {
    /// Lookups that are timed together.
    static let batch = 20_000

    let count: Int
    let body: [UInt8]
    let cache: ResponseCache
    let policy: CachePolicy

    init(_ folder: String, count: Int, bodySize: Int, storage: CachePolicy.Storage) {
        self.count = count
        body = [UInt8](repeating: 0x61, count: bodySize)
        policy = CachePolicy.keep(for: .forever, in: storage)
        cache = ResponseCache(
            configuration: .init(
                directory: folder,
                memoryCostLimit: .max,
                memoryCountLimit: .max,
                diskLimit: .max
            )
        )
    }

    /// Stores all, many at a time, so that they share transactions.
    func fill() async {
        for start in stride(from: 0, to: count, by: 2000) {
            await withTaskGroup(of: Void.self) { group in
                for index in start..<min(count, start + 2000) {
                    group.addTask {
                        let request = request(index)
                        let key = cache.key(for: request, policy: policy)
                        let response = response(to: request, index)
                        _ = await cache.store(response, key: key, policy: policy)
                    }
                }
            }
        }
        await cache.flush()
    }

    private func request(_ index: Int) -> PreparedRequest {
        PreparedRequest(
            head: HTTPRequest(
                method: .get,
                scheme: "https",
                authority: "api.example.com",
                path: "/items/\(index)?page=1"
            )
        )
    }

    private func response(to request: PreparedRequest, _ index: Int) -> Response {
        var fields = HTTPFields()
        fields[.contentType] = "application/json"
        fields[.cacheControl] = "max-age=600"
        fields[.eTag] = "\"33a64df551425fcc55e4d42a148795d9f\(index + 10_000_000)\""
        fields[.date] = "Sat, 21 Nov 2026 14:00:00 GMT"
        fields[.contentLength] = String(body.count)
        return Response(
            request: request,
            head: HTTPResponse(status: .ok, headerFields: fields),
            body: .bytes(body),
            source: .server,
            received: Date(),
            metrics: TransferMetrics(bytesReceived: body.count, negotiatedVersion: "1.1")
        )
    }

    /// Requests for entries at random, new ones as a program makes them.
    func requests(_ numbers: inout Numbers) -> [PreparedRequest] {
        (0..<Self.batch).map { _ in request(numbers.next(below: count)) }
    }

    /// Microseconds for making a key.
    func keyCost(_ requests: [PreparedRequest]) -> Double {
        time { for request in requests { _ = cache.key(for: request, policy: policy) } }
    }

    /// Microseconds for a hit in memory by its key.
    func memoryHit(_ requests: [PreparedRequest]) -> Double {
        let keys = requests.map { cache.key(for: $0, policy: policy) }
        return time { for (key, request) in zip(keys, requests) { look(key, request) } }
    }

    /// Microseconds for a hit in memory from the request on: its key and the lookup.
    func memoryHitFromRequest(_ requests: [PreparedRequest]) -> Double {
        time { for request in requests { look(cache.key(for: request, policy: policy), request) } }
    }

    private func look(_ key: CacheKey, _ request: PreparedRequest) {
        guard case .hit = cache.memoryLookup(key, policy: policy, for: request) else {
            fatalError("a miss")
        }
    }

    /// The bodies by their keys and nothing else, each in memory of its own: the yardstick.
    func dictionary() -> [CacheKey: [UInt8]] {
        var bodies: [CacheKey: [UInt8]] = [:]
        for index in 0..<count {
            bodies[cache.key(for: request(index), policy: policy)] = Array(body.reversed())
        }
        return bodies
    }

    /// Microseconds for a look into the dictionary.
    func dictionaryHit(_ requests: [PreparedRequest], _ bodies: [CacheKey: [UInt8]]) -> Double {
        let keys = requests.map { cache.key(for: $0, policy: policy) }
        return time {
            for key in keys {
                guard let body = bodies[key], body.first == self.body.first else {
                    fatalError("a miss")
                }
            }
        }
    }

    /// Microseconds for a hit on disk by its key.
    func diskHit(_ requests: [PreparedRequest]) async -> Double {
        let keys = requests.map { cache.key(for: $0, policy: policy) }
        let start = ContinuousClock.now
        for (key, request) in zip(keys, requests) {
            guard case .hit = await cache.lookup(key, policy: policy, for: request) else {
                fatalError("a miss")
            }
        }
        return (ContinuousClock.now - start) / .microseconds(1) / Double(Self.batch)
    }

    private func time(_ body: () -> Void) -> Double {
        let start = ContinuousClock.now
        body()
        return (ContinuousClock.now - start) / .microseconds(1) / Double(Self.batch)
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
