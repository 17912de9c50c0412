package import Apus
import Synchronization

/// Sends what it takes of a batch, and reports.
///
/// ```
/// take ─▶ feed ─▶ the engine's batch ─▶ results ─▶ report and acknowledge, together
///                                          ▲
/// every second: a sign of life ────────────┘   other workers take over what has none for 5 seconds
/// ```
package final class BatchWorker: Sendable {
    /// Something that whoever runs the worker should know.
    package enum Notice: Sendable {
        /// The server cannot be reached now.
        case failed(RedisFault)
        /// The server can be reached again.
        case recovered
        /// Something is not signed with the team's key, and was left out.
        case refused
        /// So many requests were taken over from a worker that gave no sign of life.
        case tookOver(Int)
    }

    /// Reports that come fast wait for one another so long.
    private static let gathering = Duration.milliseconds(20)
    private static let pause = Duration.seconds(1)

    private let feed: WorkFeed
    private let notice: @Sendable (Notice) -> Void
    private let isFailing = Atomic(false)
    private let concurrency: Int

    /// Makes a worker's part in a batch.
    ///
    /// - Parameters:
    ///   - batch: the batch.
    ///   - name: the worker's name.
    ///   - server: where the batch is.
    ///   - concurrency: the most requests at once.
    ///   - target: makes the request at an index, or says why there is none.
    ///   - notice: is called with what happens, on any thread.
    package init(
        _ batch: SharedBatch,
        named name: String,
        on server: BatchServer,
        concurrency: Int,
        target: @escaping @Sendable (Int) -> Result<MultiTarget, WorkResult.Failure>,
        notice: @escaping @Sendable (Notice) -> Void
    ) {
        self.notice = notice
        self.concurrency = concurrency
        feed = WorkFeed(
            Errand(batch: batch.id, worker: name, server: server),
            concurrency: concurrency,
            target: target
        )
    }

    /// Works until the batch has ended or the task is cancelled; what is left then goes to other workers.
    ///
    /// - Parameters:
    ///   - provider: sends the requests.
    ///   - source: where responses come from.
    ///   - result: what is told of a request.
    /// - Returns: how many requests have a result.
    package func work(
        by provider: AnyProvider,
        from source: DataSource,
        result: @escaping @Sendable (Int, ExchangeSummary) -> WorkResult
    ) async -> Int {
        let control = BatchControl()
        let batch = Batch(from: source, concurrency: concurrency, mode: .settled) { [self] in
            WorkTargets { await self.next() }
        }
        let living = Task { await live(control) }
        let reporting = Task { await report() }
        feed.beat()
        for await event in provider.events(for: batch, control: control) {
            guard case .ended(let place, let summary, _) = event else { continue }
            // What is cancelled then is left to others.
            let isLeft = summary.isCancelled && (feed.isOver || Task.isCancelled)
            if !isLeft { feed.ended(place, summary, result) }
        }
        living.cancel()
        feed.close()
        // It ends with what was gathered, and may wait for a server that is gone.
        reporting.cancel()
        await reporting.value
        // A task of its own, because the caller's may be cancelled.
        await Task { await leave() }.value
        return feed.total
    }

    // MARK: Taking

    /// The next request; nil if there is none any more.
    private func next() async -> MultiTarget? {
        while !Task.isCancelled {
            switch feed.next() {
            case .over: return nil
            case .due(let place, let due):
                guard await wait(for: due, place) else { continue }
                if let target = feed.start(place) { return target }
            case .empty: await fetch()
            }
        }
        return nil
    }

    /// Waits until a request is due; false if it is too late for it, or the task is cancelled.
    private func wait(for due: Int?, _ place: WorkFeed.Place) async -> Bool {
        guard let due else { return true }
        while feed.clock == nil, !Task.isCancelled, !feed.isOver { await measureClock() }
        guard let offset = feed.clock else { return false }
        let left = due - (WorkFeed.uptime + offset)
        guard left > -WorkFeed.grace else {
            feed.miss(place)
            return false
        }
        if left > 0 {
            // Cancelled means that others get it.
            guard (try? await Task.sleep(for: .microseconds(left))) != nil else { return false }
        }
        return true
    }

    private func measureClock() async {
        switch await feed.errand.offset() {
        case .success(let offset): feed.clock = offset
        case .failure(let fault):
            fail(fault)
            // Returns early if the task is cancelled, which the caller sees.
            try? await Task.sleep(for: Self.pause)
        }
    }

    private func fetch() async {
        switch await feed.errand.take() {
        case .success(.chunk(let taken)):
            recover()
            feed.add(taken, isAgain: false)
        case .success(.none):
            recover()
            await takeOver()
        case .success(.refused): notice(.refused)
        case .success(.over): feed.end()
        case .failure(let fault):
            fail(fault)
            try? await Task.sleep(for: Self.pause)
        }
    }

    private func takeOver() async {
        switch await feed.errand.claim() {
        case .success(.chunk(let taken)):
            if feed.add(taken, isAgain: true) { notice(.tookOver(taken.chunk.count)) }
        case .success(.over): feed.end()
        case .success(.refused): notice(.refused)
        case .success(.none): break
        case .failure(let fault): fail(fault)
        }
    }

    // MARK: Telling

    /// Gives a sign of life every second, and cancels everything when the batch has ended.
    private func live(_ control: BatchControl) async {
        while (try? await Task.sleep(for: BatchServer.pulse)) != nil {
            let known = feed.heldIDs
            switch await feed.errand.hold() {
            case .success(let held?):
                feed.keep(held, of: known)
                if feed.clock != nil { await measureClock() }
            case .success(nil): feed.end()
            case .failure(let fault): fail(fault)
            }
            if feed.isOver {
                control.cancelAll()
                return
            }
            feed.beat()
        }
    }

    /// Reports whenever there is something to tell, until the feed is closed.
    private func report() async {
        for await _ in feed.changes {
            while let (report, done) = feed.nextReport() {
                switch await feed.errand.tell(report, done: done) {
                case .success(true):
                    recover()
                    feed.reported()
                case .success(false): feed.end()
                case .failure(let fault):
                    // Told again with the next sign of life.
                    fail(fault)
                }
                // What is left is told when the worker leaves.
                if feed.isOver || Task.isCancelled { return }
                if isFailing.load(ordering: .relaxed) { break }
            }
            try? await Task.sleep(for: Self.gathering)
        }
    }

    /// Tells what is left, and leaves what was not done to others.
    private func leave() async {
        while !feed.isOver, let (report, done) = feed.nextReport() {
            guard case .success(true) = await feed.errand.tell(report, done: done) else { break }
            feed.reported()
        }
        guard !feed.isOver else { return }
        let (report, done, rest) = feed.lastReport()
        // If this fails, others take it over when it has given no sign of life for a while.
        _ = await feed.errand.tell(report, done: done, rest: rest)
    }

    private func fail(_ fault: RedisFault) {
        // Cancelled calls fail, too.
        if Task.isCancelled { return }
        if !isFailing.exchange(true, ordering: .relaxed) { notice(.failed(fault)) }
    }

    private func recover() {
        if isFailing.exchange(false, ordering: .relaxed) { notice(.recovered) }
    }
}

extension ExchangeSummary {
    fileprivate var isCancelled: Bool {
        if case .failure(let error) = result { error.reason == .cancelled } else { false }
    }
}

/// The targets of a batch, as they are taken.
private struct WorkTargets: AsyncSequence {
    struct AsyncIterator: AsyncIteratorProtocol {
        let take: @Sendable () async -> MultiTarget?

        func next() async -> MultiTarget? { await take() }
    }

    let take: @Sendable () async -> MultiTarget?

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(take: take) }
}

/// A worker's part in a batch, on the server.
struct Errand: Sendable {
    let batch: String
    let worker: String
    let server: BatchServer
    /// Different for each start, so that two workers of one name are two.
    let instance = SharedBatch.makeID()

    private var consumer: String { "\(worker)/\(instance)" }

    func take() async -> Result<BatchServer.Taking, RedisFault> {
        await result { () throws(RedisFault) in
            try await server.take(from: batch, for: consumer, wait: BatchServer.pulse)
        }
    }

    func claim() async -> Result<BatchServer.Taking, RedisFault> {
        await result { () throws(RedisFault) in
            try await server.claim(from: batch, for: consumer)
        }
    }

    func hold() async -> Result<Set<String>?, RedisFault> {
        await result { () throws(RedisFault) in try await server.hold(batch, for: consumer) }
    }

    func tell(
        _ report: WorkReport,
        done: [String],
        rest: [BatchChunk] = []
    ) async -> Result<Bool, RedisFault> {
        await result { () throws(RedisFault) in
            try await server.tell(report, of: batch, done: done, rest: rest)
        }
    }

    /// The difference between the server's clock and the time since this machine started, in microseconds.
    func offset() async -> Result<Int, RedisFault> {
        await result { () throws(RedisFault) in
            var best: (offset: Int, time: Int)?
            for _ in 0..<3 {
                let before = WorkFeed.uptime
                let time = try await server.time()
                let after = WorkFeed.uptime
                if let best, best.time <= after - before { continue }
                best = (time - (before + after) / 2, after - before)
            }
            return best?.offset ?? 0
        }
    }

    private func result<T>(
        _ work: () async throws(RedisFault) -> T
    ) async -> Result<T, RedisFault> {
        do throws(RedisFault) {
            return .success(try await work())
        } catch {
            return .failure(error)
        }
    }
}
