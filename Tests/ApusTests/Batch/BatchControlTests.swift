import Apus
import HTTPTypes
import Synchronization
import Testing

@Suite("Cancelling and retrying in a batch")
struct BatchControlTests {
    private func provider(_ transport: ScriptedTransport) -> Provider<MultiTarget> {
        Provider(
            transport: transport,
            cache: ResponseCache(configuration: .init(directory: "/dev/null/apus-tests"))
        )
    }

    private func targets(_ count: Int) -> [TestTarget] {
        (0..<count).map { TestTarget(path: "/\($0)", cachePolicy: .none) }
    }

    /// Answers all but one path, which waits until it is cancelled.
    private func hanging(
        at path: String,
        _ isWaiting: AsyncStream<Void>.Continuation
    ) -> ScriptedTransport {
        ScriptedTransport { request throws(ApusError) in
            guard request.head.path == path else { return .make(request, "ok") }
            isWaiting.yield()
            let never = AsyncStream<Void> { _ in }
            for await _ in never {}
            throw ApusError(.cancelled)
        }
    }

    @Test("one request is cancelled while it runs, and the others end as they would")
    func one() async throws {
        let (isWaiting, continuation) = AsyncStream<Void>.makeStream()
        let control = BatchControl()
        let provider = provider(hanging(at: "/3", continuation))
        async let results = provider.results(
            of: Batch(targets(8), concurrency: 2),
            control: control
        )
        for await _ in isWaiting { break }
        control.cancel(3)
        let codes = try await results.map(\.failureCode)
        #expect(codes == [nil, nil, nil, 1201, nil, nil, nil, nil])
    }

    @Test("a request that is cancelled before its turn is never sent")
    func before() async throws {
        let control = BatchControl()
        control.cancel(1)
        let transport = ScriptedTransport.answering("x")
        let results = try await provider(transport).results(of: Batch(targets(3)), control: control)
        #expect(results.map(\.failureCode) == [nil, 1201, nil])
        #expect(Set(transport.received.map(\.head.path)) == ["/0", "/2"])
    }

    @Test("cancelling all ends what is under way and begins nothing more")
    func all() async throws {
        let (isWaiting, continuation) = AsyncStream<Void>.makeStream()
        let control = BatchControl()
        let transport = ScriptedTransport.silent(continuation)
        let provider = provider(transport)
        let batch = Batch(targets(50), concurrency: 2)
        async let summary = provider.run(batch, control: control) { _, _ in }
        var count = 0
        for await _ in isWaiting {
            count += 1
            if count == 2 { break }
        }
        control.cancelAll()
        let ended = await summary
        #expect(ended.failure?.reason == .cancelled)
        #expect(ended.progress.ended == 2)
        #expect(transport.received.count == 2)
        #expect(control.isCancelled)
    }

    @Test("cancelling all ends a batch that waits for targets that never come")
    func waiting() async {
        let control = BatchControl()
        let (isAsked, continuation) = AsyncStream<Void>.makeStream()
        let batch = Batch(concurrency: 3) {
            continuation.yield()
            return AsyncStream<TestTarget> { _ in }
        }
        async let summary = provider(.answering("x")).run(batch, control: control) { _, _ in }
        for await _ in isAsked { break }
        control.cancelAll()
        #expect(await summary.failure?.reason == .cancelled)
    }

    @Test("only what failed is sent again, at its old place")
    func retrying() async throws {
        let isDown = Mutex(true)
        let transport = ScriptedTransport { request throws(ApusError) in
            let isOdd = request.head.path?.last?.wholeNumberValue.map { $0 % 2 == 1 } ?? false
            guard !isOdd || !isDown.withLock({ $0 }) else {
                throw ApusError(.transport(code: 7, detail: ""))
            }
            return .make(request, request.head.path ?? "")
        }
        let provider = provider(transport)
        let batch = Batch(targets(6), concurrency: 3)
        let first = await provider.run(batch) { _, _ in }
        #expect(first.unsuccessful == [1, 3, 5])
        isDown.withLock { $0 = false }
        let indexes = Mutex<[Int]>([])
        let second = await provider.run(batch.retrying(first)) { index, _ in
            indexes.withLock { $0.append(index) }
        }
        #expect(indexes.withLock { $0.sorted() } == [1, 3, 5])
        #expect(second.progress == BatchProgress(total: 3, succeeded: 3))
        #expect(second.unsuccessful.isEmpty)
        #expect(second.hasSucceeded(at: 0))
        #expect(transport.received.count == 9)
    }

    @Test("results are completed: the earlier responses stand, the failed ones are sent again")
    func completing() async throws {
        let attempt = Mutex(1)
        let transport = ScriptedTransport { request throws(ApusError) in
            let attempt = attempt.withLock { $0 }
            guard attempt > 1 || request.head.path == "/0" else {
                throw ApusError(.transport(code: 7, detail: ""))
            }
            return .make(request, "\(attempt)")
        }
        let provider = provider(transport)
        let batch = Batch(targets(3))
        let first = try await provider.results(of: batch)
        attempt.withLock { $0 = 2 }
        let second = try await provider.results(of: batch, completing: first)
        #expect(second.map { try? $0.get().text } == ["1", "2", "2"])
    }
}
