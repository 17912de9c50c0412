import HTTPTypes
import Synchronization
import Testing

@testable import Apus

@Suite("Batches")
struct BatchTests {
    private func provider(_ transport: ScriptedTransport) -> Provider<MultiTarget> {
        Provider(
            transport: transport,
            cache: ResponseCache(configuration: .init(directory: "/dev/null/apus-tests"))
        )
    }

    private func targets(_ count: Int) -> [TestTarget] {
        (0..<count).map { TestTarget(path: "/\($0)", cachePolicy: .none) }
    }

    @Test("results come in the order of the targets, however they end", arguments: [1, 3, 100])
    func order(concurrency: Int) async throws {
        let transport = ScriptedTransport { request in
            // Later targets get through first where they can.
            for _ in 0..<(50 - (Int(request.head.path?.dropFirst() ?? "") ?? 0)) {
                await Task.yield()
            }
            return .make(request, request.head.path ?? "")
        }
        let results = try await provider(transport).results(
            of: Batch(targets(50), concurrency: concurrency)
        )
        #expect(results.map { $0.response?.text } == (0..<50).map { "/\($0)" })
    }

    @Test("a batch's policy keeps its responses, and a group's own comes first")
    func caching() async throws {
        let cache = ResponseCache.inMemory
        let provider = Provider<MultiTarget>(
            transport: ScriptedTransport.answering("x"),
            cache: cache
        )
        let kept = CachePolicy.keep(in: .memory)
        let groups = [
            Batch.Group(targets(2)),
            Batch.Group([TestTarget(path: "/c")], caching: CachePolicy.none),
        ]
        _ = try await provider.results(of: Batch(groups: groups, caching: kept))
        #expect(await cache.statistics().memoryCount == 2)
        _ = try await provider.results(of: Batch(caching: kept) { self.targets(3) })
        #expect(await cache.statistics().memoryCount == 3)
        let cached = try await provider.results(of: Batch(targets(3), from: .cache, caching: kept))
        #expect(cached.map { $0.response?.isFromCache } == [true, true, true])
    }

    @Test("no more are under way than allowed, and as many as allowed", arguments: [1, 4])
    func bound(concurrency: Int) async throws {
        let counts = Mutex((now: 0, most: 0))
        let transport = ScriptedTransport { request in
            counts.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            while counts.withLock({ $0.most < concurrency }) { await Task.yield() }
            counts.withLock { $0.now -= 1 }
            return .make(request, "")
        }
        _ = try await provider(transport).results(of: Batch(targets(40), concurrency: concurrency))
        #expect(counts.withLock { $0.most } == concurrency)
    }

    @Test("settled: every target has its own result")
    func settled() async throws {
        let transport = ScriptedTransport { request throws(ApusError) in
            guard request.head.path != "/2" else {
                throw ApusError(.transport(code: 1, detail: ""))
            }
            return .make(request, "ok")
        }
        let results = try await provider(transport).results(of: Batch(targets(5)))
        #expect(results.map { $0.response != nil } == [true, true, false, true, true])
    }

    @Test("all: one failure fails the batch, and nothing more is begun")
    func all() async {
        let transport = ScriptedTransport { request throws(ApusError) in
            guard request.head.path != "/2" else {
                throw ApusError(.transport(code: 7, detail: ""))
            }
            return .make(request, "ok")
        }
        let error = await #expect(throws: ApusError.self) {
            try await provider(transport).results(
                of: Batch(targets(50), concurrency: 1, mode: .all)
            )
        }
        #expect(error?.code == 2901)
        #expect(error?.batchIndex == 2)
        #expect(error?.description.hasSuffix(", index 2 of the batch") == true)
        #expect(transport.received.count == 3)
    }

    @Test("cancelling the reader ends what is under way, and the last event still comes")
    func cancel() async {
        let (isWaiting, continuation) = AsyncStream<Void>.makeStream()
        let provider = provider(.silent(continuation))
        let batch = Batch(targets(10), concurrency: 2)
        let reader = Task {
            var last: BatchEvent?
            for await event in provider.events(for: batch) { last = event }
            return last
        }
        for await _ in isWaiting { break }
        reader.cancel()
        guard case .finished(let summary)? = await reader.value else {
            Issue.record("the batch had no terminal event")
            return
        }
        #expect(summary.failure?.reason == .cancelled)
        #expect(summary.unsuccessful == Array(0..<10))
    }

    @Test(
        "an empty batch ends at once, with nothing and without a failure",
        arguments: Batch.Mode.allCases
    )
    func empty(mode: Batch.Mode) async throws {
        let batches = [Batch([], mode: mode), Batch(groups: [], mode: mode)]
        for batch in batches {
            #expect(try await provider(.down).results(of: batch).isEmpty)
            var events: [BatchEvent] = []
            for await event in provider(.down).events(for: batch) { events.append(event) }
            guard events.count == 1, case .finished(let summary) = events[0] else {
                Issue.record("\(events)")
                continue
            }
            #expect(summary.failure == nil)
            #expect(summary.progress == BatchProgress(total: 0))
            #expect(summary.progress.fraction == 1)
        }
    }

    @Test("allFinishing: a failure fails the batch, and the others are still sent")
    func allFinishing() async {
        let transport = ScriptedTransport { request throws(ApusError) in
            guard request.head.path != "/2" else {
                throw ApusError(.transport(code: 7, detail: ""))
            }
            return .make(request, "ok")
        }
        let batch = Batch(targets(20), concurrency: 1, mode: .allFinishing)
        let error = await #expect(throws: ApusError.self) {
            try await provider(transport).results(of: batch)
        }
        #expect(error?.code == 2901)
        #expect(transport.received.count == 20)
    }
}

extension Result where Success == Response, Failure == ApusError {
    fileprivate var response: Response? { try? get() }
}
