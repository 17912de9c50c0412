import Apus
import Synchronization

/// What a worker has taken of a batch, has under way, and has to tell.
final class WorkFeed: Sendable {
    /// A request, and the chunk that it belongs to.
    struct Place: Sendable, Hashable {
        let chunk: String
        let index: Int
    }

    /// What is next.
    enum Next: Sendable {
        /// A request, and when it is due by the server's clock.
        case due(Place, Int?)
        /// Something must be taken first.
        case empty
        /// There is nothing any more.
        case over
    }

    private struct Held {
        let chunk: BatchChunk
        /// The indices without a result.
        var left: Set<Int>
    }

    private struct State {
        var held: [String: Held] = [:]
        /// What is to be sent next, last first.
        var queue: [Place] = []
        /// The requests under way, by their position in the engine's batch.
        var running: [Int: Place] = [:]
        var started = 0
        var total = 0
        var results: [WorkResult] = []
        var done: [String] = []
        var again = 0
        /// What is being told, until that has succeeded.
        var report: (WorkReport, [String])?
        var number = 0
        var isPulseDue = false
        var isOver = false
        var clock: Int?
    }

    /// The most results in a report.
    private static let reportLimit = 500
    /// A request of a rate that is later than this, in microseconds, is not sent.
    static let grace = 100_000

    let errand: Errand
    /// Something is to be told.
    let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation
    private let concurrency: Int
    private let target: @Sendable (Int) -> Result<MultiTarget, WorkResult.Failure>
    private let state = Mutex(State())

    init(
        _ errand: Errand,
        concurrency: Int,
        target: @escaping @Sendable (Int) -> Result<MultiTarget, WorkResult.Failure>
    ) {
        (self.errand, self.concurrency, self.target) = (errand, concurrency, target)
        (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    private static let epoch = ContinuousClock.now
    /// The microseconds since some moment; only differences count.
    static var uptime: Int { Int((.now - epoch) / .microseconds(1)) }

    /// The difference between the server's clock and `uptime`; nil if it is not known.
    var clock: Int? {
        get { state.withLock(\.clock) }
        set { state.withLock { $0.clock = newValue } }
    }

    /// How many requests have a result.
    var total: Int { state.withLock(\.total) }

    var isOver: Bool { state.withLock(\.isOver) }
    /// The chunks that it has.
    var heldIDs: Set<String> { state.withLock { Set($0.held.keys) } }

    // MARK: Taking

    /// Adds a chunk; false if it has that already.
    @discardableResult func add(_ taken: BatchServer.Taken, isAgain: Bool) -> Bool {
        state.withLock { state in
            guard state.held[taken.id] == nil else { return false }
            let indices = taken.chunk.indices
            state.held[taken.id] = Held(chunk: taken.chunk, left: Set(indices))
            state.queue.insert(
                contentsOf: indices.reversed().map { Place(chunk: taken.id, index: $0) },
                at: 0
            )
            if isAgain { state.again += indices.count }
            return true
        }
    }

    func next() -> Next {
        state.withLock { state in
            if state.isOver { return .over }
            guard let place = state.queue.popLast() else { return .empty }
            return .due(place, state.held[place.chunk]?.chunk.due(place.index))
        }
    }

    /// The target of a request, which is under way from now on; nil if there is none, which is its result.
    func start(_ place: Place) -> MultiTarget? {
        switch target(place.index) {
        case .success(let target):
            state.withLock { state in
                state.running[state.started] = place
                state.started += 1
            }
            return target
        case .failure(let failure):
            finish(
                place,
                WorkResult(
                    index: place.index,
                    method: "",
                    url: "",
                    status: nil,
                    failure: failure,
                    duration: .zero,
                    size: 0
                )
            )
            return nil
        }
    }

    /// Records that a request was too late.
    func miss(_ place: Place) { finish(place, .missed(place.index)) }

    /// Records how a request ended.
    func ended(
        _ started: Int,
        _ summary: ExchangeSummary,
        _ result: (Int, ExchangeSummary) -> WorkResult
    ) {
        guard let place = state.withLock({ $0.running[started] }) else { return }
        let result = result(place.index, summary)
        state.withLock { $0.running[started] = nil }
        finish(place, result)
    }

    private func finish(_ place: Place, _ result: WorkResult) {
        state.withLock { state in
            state.total += 1
            state.results.append(result)
            guard state.held[place.chunk]?.left.remove(place.index) != nil,
                state.held[place.chunk]?.left.isEmpty == true
            else { return }
            state.held[place.chunk] = nil
            state.done.append(place.chunk)
        }
        changed.yield()
    }

    // MARK: Telling

    /// Asks for a report, even if there is nothing new.
    func beat() {
        state.withLock { $0.isPulseDue = true }
        changed.yield()
    }

    /// Ends the reports.
    func close() { changed.finish() }

    /// Notes that the batch has ended.
    func end() { state.withLock { $0.isOver = true } }

    /// Forgets what others have taken over, of the chunks that it had when it asked.
    func keep(_ held: Set<String>, of known: Set<String>) {
        state.withLock { state in
            let lost = known.subtracting(held).filter { state.held[$0] != nil }
            guard !lost.isEmpty else { return }
            for id in lost { state.held[id] = nil }
            state.queue.removeAll { lost.contains($0.chunk) }
        }
    }

    /// What is to be told next; nil if there is nothing.
    ///
    /// It stays the same until it was `reported`.
    func nextReport() -> (WorkReport, done: [String])? {
        state.withLock { state in
            if let report = state.report { return report }
            guard state.isPulseDue || !state.results.isEmpty || !state.done.isEmpty else {
                return nil
            }
            state.isPulseDue = false
            var report = newReport(&state)
            report.results = Array(state.results.prefix(Self.reportLimit))
            state.results.removeFirst(report.results.count)
            // A chunk is done only when all of its results were told.
            let done = state.results.isEmpty ? state.done : []
            if state.results.isEmpty { state.done = [] }
            state.report = (report, done)
            return (report, done)
        }
    }

    /// Notes that the report was told.
    func reported() { state.withLock { $0.report = nil } }

    /// The last report, with the chunks that it gives up, and what of them is left to others.
    func lastReport() -> (WorkReport, done: [String], rest: [BatchChunk]) {
        state.withLock { state in
            // What was sent and cancelled may be sent twice.
            state.again += state.running.count
            state.running = [:]
            var report = newReport(&state)
            report.isLast = true
            let held = state.held.sorted { $0.value.chunk.first < $1.value.chunk.first }
            let rest = held.flatMap { $0.value.chunk.restricted(to: $0.value.left.sorted()) }
            return (report, held.map(\.key), rest)
        }
    }

    private func newReport(_ state: inout State) -> WorkReport {
        state.number += 1
        var report = WorkReport(
            worker: errand.worker,
            instance: errand.instance,
            number: state.number
        )
        (report.running, report.concurrency) = (state.running.count, concurrency)
        report.again = state.again
        state.again = 0
        return report
    }
}
