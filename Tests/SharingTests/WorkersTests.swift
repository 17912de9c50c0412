import Apus
import Documents
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@testable import Sharing

/// What several tasks have collected.
private final class Collected<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    var all: [Value] { values.withLock(\.self) }

    func add(_ value: Value) { values.withLock { $0.append(value) } }
}

/// A batch that many send by a Redis server.
@Suite("workers")
struct WorkersTests {
    private let redis: RedisServer
    private let door: BatchServer

    init() throws {
        redis = try RedisServer()
        door = try Self.door(redis)
    }

    private static func door(_ redis: RedisServer, key: String = teamKey) throws -> BatchServer {
        // Beside busy loops a server needs its time.
        BatchServer(
            TeamServer(try RedisAddress(redis.url), key: try TeamKey(key)),
            RedisLimits(connect: .seconds(60), reply: .seconds(60))
        )
    }

    private func batch(_ count: Int) -> SharedBatch {
        SharedBatch(
            workspace: "Shop",
            digest: "d",
            name: "Many",
            count: count,
            environment: "local",
            values: ["user": "7"],
            source: .cacheIfPossible,
            concurrency: 4,
            usesSamples: true
        )
    }

    /// What a coordinator was told.
    private struct Told {
        var indices: [Int] = []
        var words: [String] = []
        var again = 0
        var workers: Set<String> = []

        mutating func add(_ event: BatchCoordinator.Event) {
            switch event {
            case .report(let report):
                indices += report.results.map(\.index)
                again += report.again
                if workers.insert(report.worker).inserted {
                    words.append("\(report.worker) joined")
                }
                if report.isLast { words.append("\(report.worker) left") }
            case .waiting: words.append("waiting")
            case .lost(let worker): words.append("\(worker) lost")
            case .refused: words.append("refused")
            case .failed(let fault): words.append("failed: \(fault)")
            case .recovered: words.append("recovered")
            case .begunAgain: words.append("begun again")
            }
        }
    }

    /// Has a batch sent; calls `react` with each event.
    private func coordinate(
        _ batch: SharedBatch,
        rate: BatchRate? = nil,
        _ react: (BatchCoordinator.Event) async throws -> Bool = { _ in false }
    ) async throws -> Told {
        var told = Told()
        let coordinator = BatchCoordinator(batch, count: batch.count, rate: rate, on: door)
        try await coordinator.run { event in
            told.add(event)
            return try await react(event)
        }
        return told
    }

    /// Takes and acknowledges chunks without sending anything, until the batch has ended.
    private func tick(_ id: String, named name: String) async throws {
        let errand = Errand(batch: id, worker: name, server: door)
        var number = 0
        while true {
            var taking = try await errand.take().get()
            if case .none = taking { taking = try await errand.claim().get() }
            switch taking {
            case .over: return
            case .none, .refused: continue
            case .chunk(let taken):
                number += 1
                var report = WorkReport(worker: name, instance: errand.instance, number: number)
                report.results = taken.chunk.indices.map { index in
                    WorkResult(
                        index: index,
                        method: "GET",
                        url: "http://a/\(index)",
                        status: 200,
                        failure: nil,
                        duration: .microseconds(index),
                        size: 1
                    )
                }
                guard try await errand.tell(report, done: [taken.id]).get() else { return }
            }
        }
    }

    /// Returns when a batch is on the board.
    private func appearance(of batch: SharedBatch, _ door: BatchServer? = nil) async throws {
        let door = door ?? self.door
        while true {
            try Task.checkCancellation()
            // A server that is just gone comes back.
            if (try? await door.batches())?.contains(batch) == true { return }
            try? await door.waitForBatch(.milliseconds(20))
        }
    }

    @Test("100,000 targets reach ten workers, and what two dead ones took goes to the others")
    func everyTargetOnce() async throws {
        let batch = batch(100_000)
        let told = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await appearance(of: batch)
                for name in ["dead1", "dead2"] {
                    let dead = Errand(batch: batch.id, worker: name, server: door)
                    guard case .chunk(let taken) = try await dead.take().get() else {
                        throw RedisFault(.reply)
                    }
                    #expect(taken.chunk.count == 100)
                }
                try await withThrowingTaskGroup(of: Void.self) { workers in
                    for number in 1...8 {
                        workers.addTask { try await tick(batch.id, named: "w\(number)") }
                    }
                    try await workers.waitForAll()
                }
            }
            let told = try await coordinate(batch)
            try await group.waitForAll()
            return told
        }
        #expect(told.indices.count == 100_000)
        #expect(Set(told.indices) == Set(0..<100_000))
        #expect(told.workers.count <= 8)
        // Nothing is left there.
        #expect(try await door.batches().isEmpty)
        let late = Errand(batch: batch.id, worker: "late", server: door)
        #expect(try await late.take().get() == .over)
    }

    /// A provider whose targets are answered at once.
    private func provider() -> AnyProvider { AnyProvider(stubs: .immediate) }

    private struct Item: TargetType {
        let index: Int
        var baseURL: URL { URL.example }
        var path: String { "/items/\(index)" }
        var sample: StubResponse { .text("ok", status: index % 10 == 3 ? 503 : 200) }
    }

    private func worker(
        _ batch: SharedBatch,
        _ name: String,
        on server: BatchServer? = nil,
        notice: @escaping @Sendable (BatchWorker.Notice) -> Void = { _ in }
    ) -> BatchWorker {
        BatchWorker(batch, named: name, on: server ?? door, concurrency: 4) { index in
            index == 5
                ? .failure(.init(name: "not sent", code: 2, reason: 1300, message: "no value"))
                : .success(MultiTarget(Item(index: index)))
        } notice: {
            notice($0)
        }
    }

    @discardableResult private func work(_ worker: BatchWorker) async -> Int {
        await worker.work(by: provider(), from: .server) { index, summary in
            WorkResult(
                index: index,
                method: "GET",
                url: "/items/\(index)",
                status: (try? summary.result.get())?.status,
                failure: nil,
                duration: summary.duration,
                size: 0
            )
        }
    }

    @Test("workers send what they take, and each leaves its rest when it is interrupted")
    func leaving() async throws {
        let batch = batch(4_000)
        let told = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await appearance(of: batch)
                await withTaskGroup(of: Void.self) { workers in
                    workers.addTask { await work(worker(batch, "stays")) }
                    workers.addTask {
                        let leaving = Task { await work(worker(batch, "leaves")) }
                        // Cancelled with its first requests under way.
                        leaving.cancel()
                        _ = await leaving.value
                    }
                }
            }
            let told = try await coordinate(batch)
            try await group.waitForAll()
            return told
        }
        #expect(told.indices.count == 4_000)
        #expect(Set(told.indices) == Set(0..<4_000))
        #expect(told.words.contains("stays joined"))
    }

    @Test("what a worker cannot make is its result, and a status is told")
    func results() async throws {
        let batch = batch(20)
        let results = Collected<WorkResult>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await appearance(of: batch)
                #expect(await work(worker(batch, "one")) == 20)
            }
            _ = try await coordinate(batch) { event in
                guard case .report(let report) = event else { return false }
                for result in report.results { results.add(result) }
                return false
            }
            try await group.waitForAll()
        }
        #expect(results.all.count == 20)
        let all = Dictionary(results.all.map { ($0.index, $0) }) { first, _ in first }
        #expect(all[5]?.failure?.message == "no value")
        #expect(all[13]?.status == 503)
        #expect(all[14]?.status == 200)
        #expect(all.count == 20)
    }

    @Test("a rate holds for all workers together, and its requests come in time or not at all")
    func rate() async throws {
        let rate = try #require(BatchRate("200/s for 1 s"))
        let batch = batch(rate.count)
        let starts = Collected<ContinuousClock.Instant>()
        let told = try await withThrowingTaskGroup(of: Void.self) { group in
            for name in ["a", "b", "c"] {
                group.addTask {
                    try await appearance(of: batch)
                    let worker = BatchWorker(batch, named: name, on: door, concurrency: 4) {
                        index in
                        starts.add(.now)
                        return .success(MultiTarget(Item(index: index)))
                    } notice: { _ in
                    }
                    await work(worker)
                }
            }
            let told = try await coordinate(batch, rate: rate)
            try await group.waitForAll()
            return told
        }
        #expect(Set(told.indices) == Set(0..<200))
        #expect(told.indices.count == 200)
        let times = starts.all.sorted()
        // A busy machine sends fewer, never more at once than the rate allows: no turn comes before its time.
        for (place, time) in times.enumerated() where place > 0 {
            let earliest = Duration.milliseconds(5 * place) - .milliseconds(150)
            #expect(time - times[0] >= earliest)
        }
    }

    @Test("a server that is killed in the middle, and comes back empty, loses nothing")
    func serverKilled() async throws {
        let batch = batch(4_000)
        var isKilled = false
        let told = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // A worker takes up a batch again that is put there again.
                while true {
                    try await appearance(of: batch)
                    let worker = worker(batch, "w")
                    await work(worker)
                    if Task.isCancelled { return }
                }
            }
            let told = try await coordinate(batch) { event in
                guard case .report(let report) = event, !report.results.isEmpty,
                    !isKilled
                else { return false }
                isKilled = true
                try redis.kill()
                try redis.start()
                return false
            }
            group.cancelAll()
            try? await group.waitForAll()
            return told
        }
        #expect(told.indices.count == 4_000)
        #expect(Set(told.indices) == Set(0..<4_000))
        #expect(told.words.contains("begun again"))
    }

    @Test("a server without memory is said, and what was not told is told when it has some")
    func fullMemory() async throws {
        let full = try RedisServer("--maxmemory 1000000 --maxmemory-policy noeviction")
        let door = try Self.door(full)
        let large = SharedBatch(
            workspace: "Shop",
            digest: "d",
            name: "Many",
            count: 10,
            environment: "local",
            values: ["text": String(repeating: "x", count: 2_000_000)],
            source: nil,
            concurrency: nil,
            usesSamples: false
        )
        let coordinator = BatchCoordinator(large, count: 10, rate: nil, on: door)
        await #expect(throws: RedisFault(.full)) {
            // The second finds it full.
            try await coordinator.run { _ in true }
            try await coordinator.run { _ in true }
        }
    }

    @Test("what the team has not signed is left out: batches, chunks and reports")
    func forged() async throws {
        let batch = batch(50)
        let stranger = try Self.door(redis, key: "another key of another team")
        let told = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await appearance(of: batch)
                // Another team sees nothing of it.
                #expect(try await stranger.batches().isEmpty)
                let team = try TeamKey(teamKey).team
                for (stream, field) in [("q", "c"), ("r", "r")] {
                    try redis.send("XADD apus:1:\(team):\(stream):\(batch.id) '*' \(field) forged")
                }
                try redis.send("XADD apus:1:\(team):b '*' d forged")
                #expect(try await door.batches() == [batch, nil])
                let refused = Collected<Bool>()
                let worker = worker(batch, "w") { notice in
                    if case .refused = notice { refused.add(true) }
                }
                await work(worker)
                #expect(refused.all.count == 1)
            }
            let told = try await coordinate(batch)
            try await group.waitForAll()
            return told
        }
        #expect(Set(told.indices) == Set(0..<50))
        #expect(told.words.contains("refused"))
    }

    @Test("when whoever started it stops, workers end at once and nothing is left")
    func stopped() async throws {
        let batch = batch(4_000)
        let told = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await appearance(of: batch)
                await work(worker(batch, "w"))
            }
            let told = try await coordinate(batch) { event in
                if case .report(let report) = event { !report.results.isEmpty } else { false }
            }
            try await group.waitForAll()
            return told
        }
        #expect(told.indices.count < 4_000)
        #expect(try await door.batches().isEmpty)
    }

    @Test("what is written is read again")
    func coding() throws {
        let batch = batch(7)
        #expect(SharedBatch(try batch.encoded()) == batch)
        let pace = BatchChunk.Pace(start: 1_700_000_000_000_000, step: 20_000.5)
        let chunk = BatchChunk(first: 10, count: 5, pace: pace)
        #expect(BatchChunk(try chunk.encoded()) == chunk)
        let rest = chunk.restricted(to: [10, 11, 13])
        #expect(rest.map(\.indices) == [10..<12, 13..<14])
        #expect(rest[1].due(13) == chunk.due(13))
        var report = WorkReport(worker: "a/1", instance: "i", number: 3)
        (report.running, report.concurrency, report.again, report.isLast) = (2, 8, 5, true)
        report.results = [
            .missed(4),
            WorkResult(
                index: 5,
                method: "GET",
                url: "http://ä/",
                status: 503,
                failure: .init(name: "503", code: 1, reason: 3001, message: "no \"503\""),
                duration: .microseconds(1234),
                size: 77
            ),
        ]
        #expect(WorkReport(try report.encoded()) == report)
        for bytes in [[], Array("{}".utf8), Array("[1,2]".utf8), [0xFF, 0]] {
            #expect(SharedBatch(bytes) == nil)
            #expect(BatchChunk(bytes) == nil)
            #expect(WorkReport(bytes) == nil)
        }
        #expect(BatchChunk(Array("{\"first\":0,\"count\":1000000000}".utf8)) == nil)
    }

    @Test("chunks are small for a small batch, and leave out what is known")
    func chunks() {
        #expect(
            BatchChunk.chunks(of: 0..<10, count: 10).map(\.count) == Array(repeating: 1, count: 10)
        )
        #expect(BatchChunk.chunks(of: 0..<100_000, count: 100_000).count == 1_000)
        let rest = BatchChunk.chunks(of: [0, 1, 2, 7, 8], count: 4_000)
        #expect(rest.map(\.indices) == [0..<3, 7..<9])
    }
}

extension URL {
    fileprivate static var example: URL {
        guard let url = URL(string: "http://shop.example") else { preconditionFailure() }
        return url
    }
}
