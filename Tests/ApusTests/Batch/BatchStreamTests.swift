import Apus
import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@Suite("Batches whose targets are made while they run")
struct BatchStreamTests {
    private struct Broken: Error {}

    private func provider(_ transport: any Transport) -> Provider<MultiTarget> {
        Provider(
            transport: transport,
            cache: ResponseCache(configuration: .init(directory: "/dev/null/apus-tests"))
        )
    }

    @Sendable private static func target(_ index: Int) -> TestTarget {
        TestTarget(path: "/\(index)", cachePolicy: .none)
    }

    /// Answers with a body that is counted as long as anybody holds it.
    private final class CountingTransport: Transport {
        let live = LiveCount()

        func send(
            _ request: PreparedRequest,
            progress: (@Sendable (TransferProgress) -> Void)?
        ) async throws(ApusError) -> Response {
            await Task.yield()
            return Response(
                request: request,
                head: HTTPResponse(status: .ok),
                body: .file(live.body()),
                source: .server,
                received: Date(timeIntervalSince1970: 0)
            )
        }
    }

    @Test("of 100,000 requests no response outlives its reading, however slow the reader is")
    func boundedEvents() async {
        let transport = CountingTransport()
        let batch = Batch(concurrency: 10, count: 100_000) { (0..<100_000).lazy.map(Self.target) }
        var ended = 0
        var last: BatchEvent?
        for await event in provider(transport).events(for: batch) {
            if case .ended = event {
                ended += 1
                // A reader that is slower than the requests, now and then.
                if ended % 1000 == 0 { for _ in 0..<500 { await Task.yield() } }
            }
            last = event
        }
        #expect(ended == 100_000)
        guard case .finished(let summary)? = last else {
            Issue.record("no terminal event")
            return
        }
        #expect(summary.progress.succeeded == 100_000)
        #expect(transport.live.most <= 30)
    }

    @Test("a reader that stops reads nothing more and holds the batch at twice its concurrency")
    func stoppedReader() async {
        let transport = ScriptedTransport.answering("x")
        let batch = Batch(concurrency: 3) { (0..<1000).lazy.map(Self.target) }
        var events = provider(transport).events(for: batch).makeAsyncIterator()
        _ = await events.next()
        while transport.received.count < 6 { await Task.yield() }
        for _ in 0..<2000 { await Task.yield() }
        #expect(transport.received.count == 6)
        while let event = await events.next() {
            if case .ended = event { break }
        }
        while transport.received.count < 7 { await Task.yield() }
        for _ in 0..<2000 { await Task.yield() }
        #expect(transport.received.count == 7)
    }

    @Test("results handed on one by one are kept by nobody")
    func boundedRun() async {
        let transport = CountingTransport()
        let batch = Batch(concurrency: 10) { (0..<20_000).lazy.map(Self.target) }
        let summary = await provider(transport).run(batch) { _, _ in }
        #expect(summary.progress.succeeded == 20_000)
        #expect(summary.progress.total == nil)
        #expect(transport.live.most <= 20)
    }

    @Test("made targets are asked for only when they can be sent")
    func lazily() async {
        let made = Mutex(0)
        let (isWaiting, continuation) = AsyncStream<Void>.makeStream()
        let provider = provider(ScriptedTransport.silent(continuation))
        let batch = Batch(concurrency: 4) {
            (0..<1000).lazy.map { index in
                made.withLock { $0 += 1 }
                return Self.target(index)
            }
        }
        let run = Task { await provider.run(batch) { _, _ in } }
        var count = 0
        for await _ in isWaiting {
            count += 1
            if count == 4 { break }
        }
        #expect(made.withLock { $0 } == 4)
        run.cancel()
        #expect(await run.value.failure?.reason == .cancelled)
    }

    @Test("a concurrency without a limit starts no more workers than there are targets")
    func unlimited() async {
        let provider = provider(ScriptedTransport.answering("x"))
        let batch = Batch(concurrency: .max) { (0..<100).lazy.map(Self.target) }
        let summary = await provider.run(batch) { _, _ in }
        #expect(summary.progress.succeeded == 100)
        #expect(summary.failure == nil)
    }

    @Test("targets that arrive are sent in their order, with their places")
    func arriving() async throws {
        let transport = ScriptedTransport { .make($0, $0.head.path ?? "") }
        let batch = Batch(concurrency: 7) {
            AsyncStream { continuation in
                for index in 0..<100 { continuation.yield(Self.target(index)) }
                continuation.finish()
            }
        }
        let results = try await provider(transport).results(of: batch)
        #expect(results.map { try? $0.get().text } == (0..<100).map { "/\($0)" })
    }

    @Test("a sequence that throws fails the batch with its error", arguments: Batch.Mode.allCases)
    func throwing(mode: Batch.Mode) async {
        let batch = Batch(concurrency: 2, mode: mode) {
            AsyncThrowingStream<TestTarget, any Error> { continuation in
                for index in 0..<5 { continuation.yield(Self.target(index)) }
                continuation.finish(throwing: Broken())
            }
        }
        let summary = await provider(ScriptedTransport.answering("x")).run(batch) { _, _ in }
        #expect(summary.failure?.code == 1006)
        #expect(summary.failure.map { "\($0.reason)".contains("Broken") } == true)
    }

    @Test("a request that is cancelled because of a failure is not the failure")
    func firstCause() async {
        let (isWaiting, continuation) = AsyncStream<Void>.makeStream()
        let transport = ScriptedTransport.silent(continuation)
        let count = Mutex(0)
        let batch = Batch(concurrency: 2, mode: .all) {
            AsyncThrowingStream<TestTarget, any Error> {
                let index = count.withLock { count in
                    defer { count += 1 }
                    return count
                }
                if index == 0 { return Self.target(0) }
                for await _ in isWaiting { break }
                throw Broken()
            }
        }
        let summary = await provider(transport).run(batch) { _, _ in }
        #expect(summary.failure.map { "\($0.reason)".contains("Broken") } == true)
        #expect(summary.progress.failed == 1)
    }

    @Test("targets that could not be made because of a cancellation are cancelled")
    func cancelledSequence() async {
        let batch = Batch(concurrency: 1, mode: .all) {
            AsyncThrowingStream<TestTarget, any Error> { throw CancellationError() }
        }
        let summary = await provider(ScriptedTransport.answering("x")).run(batch) { _, _ in }
        #expect(summary.failure?.reason == .cancelled)
    }

    @Test("what failed of made targets is made and sent again, and what was never made too")
    func retrying() async {
        let isDown = Mutex(true)
        let transport = ScriptedTransport { request throws(ApusError) in
            guard request.head.path != "/5" || !isDown.withLock({ $0 }) else {
                throw ApusError(.transport(code: 7, detail: ""))
            }
            return .make(request, "")
        }
        let batch = Batch(concurrency: 1, mode: .all) { (0..<10).lazy.map(Self.target) }
        let provider = provider(transport)
        let first = await provider.run(batch) { _, _ in }
        #expect(first.unsuccessful == [5])
        isDown.withLock { $0 = false }
        let second = await provider.run(batch.retrying(first)) { _, _ in }
        #expect(second.failure == nil)
        #expect(
            transport.received.map(\.head.path) == ["/0", "/1", "/2", "/3", "/4", "/5"]
                + ["/5", "/6", "/7", "/8", "/9"]
        )
    }
}
