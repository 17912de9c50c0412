import Apus
import Synchronization
import Testing

@Suite("The progress of a batch")
struct BatchProgressTests {
    /// Reports the same progress for every request, up and down.
    private struct ReportingTransport: Transport {
        let steps: [TransferProgress]

        func send(
            _ request: PreparedRequest,
            progress: (@Sendable (TransferProgress) -> Void)?
        ) async throws(ApusError) -> Response {
            for step in steps { progress?(step) }
            return .make(request, "x")
        }
    }

    private func provider(_ steps: [TransferProgress]) -> Provider<MultiTarget> {
        Provider(
            transport: ReportingTransport(steps: steps),
            cache: ResponseCache(configuration: .init(directory: "/dev/null/apus-tests"))
        )
    }

    private func targets(_ count: Int) -> [TestTarget] {
        (0..<count).map { TestTarget(path: "/\($0)", cachePolicy: .none) }
    }

    @Test("bytes up and down are told for each request and for all together")
    func bytes() async {
        let steps = [
            TransferProgress(bytesSent: 10), TransferProgress(bytesSent: 30, bytesReceived: 5),
            TransferProgress(bytesSent: 30, bytesReceived: 100, bytesToReceive: 100),
        ]
        var newest: [Int: TransferProgress] = [:]
        var all: [BatchProgress] = []
        for await event in provider(steps).events(for: Batch(targets(4), concurrency: 2)) {
            switch event {
            case .exchange(let index, .progress(let progress)): newest[index] = progress
            case .moved(let progress): all.append(progress)
            case .ended(_, _, let progress): all.append(progress)
            case .started, .exchange, .finished: break
            }
        }
        #expect(newest == Dictionary(uniqueKeysWithValues: (0..<4).map { ($0, steps[2]) }))
        #expect(all.last?.bytesSent == 120)
        #expect(all.last?.bytesReceived == 400)
        #expect(all.last?.total == 4)
        // Each report says at least as much as the one before.
        #expect(all.map(\.ended) == all.map(\.ended).sorted())
    }

    @Test("a second attempt counts its bytes from the start, and nothing is taken back")
    func attempts() async {
        let steps = [100, 40, 100].map { TransferProgress(bytesReceived: $0) }
        var last: BatchProgress?
        for await event in provider(steps).events(for: Batch(targets(1))) {
            if case .ended(_, _, let progress) = event { last = progress }
        }
        #expect(last?.bytesReceived == 200)
    }

    @Test("of the progress of many requests at once only the newest waits for a late reader")
    func superseding() async {
        let steps = (1...10_000).map { TransferProgress(bytesReceived: $0) }
        var count = 0
        var events = provider(steps).events(for: Batch(targets(8), concurrency: 8))
            .makeAsyncIterator()
        while await events.next() != nil {
            count += 1
            if count == 1 { for _ in 0..<1000 { await Task.yield() } }
        }
        // Eight requests of 10,000 reports each, and a handful of other events.
        #expect(count < 40_000)
    }

    @Test("every finished request moves the count by one, whether it failed or not")
    func counting() async {
        let provider = Provider<MultiTarget>(
            transport: ScriptedTransport.down,
            cache: ResponseCache(configuration: .init(directory: "/dev/null/apus-tests"))
        )
        var counts: [Int] = []
        for await event in provider.events(for: Batch(targets(7), concurrency: 7)) {
            if case .ended(_, _, let progress) = event { counts.append(progress.ended) }
        }
        #expect(counts.sorted() == Array(1...7))
    }
}
