import Apus
import FoundationEssentials
internal import Histogram
import Recordings

/// Names a run, for as long as the program runs.
struct RunID: Hashable, Comparable, Sendable {
    let number: Int

    static func < (a: RunID, b: RunID) -> Bool { a.number < b.number }
}

/// A request, a batch or a chain that runs or has run.
struct Run {
    /// What kind of run, and how far it is.
    enum State {
        case single(SingleRun)
        case batch(BatchRunState)
        case chain(ChainRunState)
        case watch(WatchRunState)
    }

    let id: RunID
    /// The line of the catalog that was sent.
    let item: CatalogID
    /// The line's name.
    let name: String
    /// The environment that it was sent in.
    let environment: Int
    /// When it began.
    let date: Date
    /// When it began and ended, since the start.
    let started: Duration
    var ended: Duration?
    var state: State
    /// When its exchange began, if that is recorded.
    var recordedStart: Date?
    /// The batch or chain in the history, if it is recorded.
    var recordedRun: RecordedRun.ID?
    /// Whether it was seen in the history, whose line it is from then on.
    fileprivate(set) var isInHistory = false

    /// Whether it goes on.
    var isRunning: Bool { ended == nil }

    /// Whether a line of the history is its record.
    fileprivate func isRecorded(as entry: HistoryEntry) -> Bool {
        switch entry {
        // The database keeps times in microseconds at least.
        case .exchange(let exchange):
            recordedStart.map { abs(exchange.started.timeIntervalSince($0)) < 0.000_01 } ?? false
        case .run(let run): run.id == recordedRun
        }
    }

    /// How long it took, or has taken by now.
    func duration(by now: Duration) -> Duration { (ended ?? now) - started }
}

extension Run.State {
    /// How many requests of a run that goes on wait for their answers.
    fileprivate var requestsInFlight: Int {
        switch self {
        case .single: 1
        case .batch(let batch): batch.slots.count { $0 != nil }
        case .chain(let chain):
            chain.steps.count { if case .running = $0.state { true } else { false } }
        case .watch(let watch): watch.newest == nil ? 1 : 0
        }
    }
}

/// A request that runs or has run.
struct SingleRun {
    /// How it ended.
    enum Ending: Equatable {
        case answered(status: Int, isFromCache: Bool)
        case failed(ApusError)
    }

    var method: String
    /// What the URL says after the host.
    var target: String
    /// How far the transfer is; nil before the first byte.
    var progress: TransferProgress?
    var rate = RateMeter()
    /// What the transfer measured, when it has ended.
    var metrics: TransferMetrics?
    var ending: Ending?
}

/// A batch that runs or has run.
struct BatchRunState {
    /// A request of the batch that is under way.
    struct Slot: Equatable {
        /// Its place in the batch.
        var index: Int
        var title: String
        var started: Duration
        var progress: TransferProgress?
    }

    var titles: [String]
    var concurrency: Int
    var progress: BatchProgress
    /// The requests that run now; each keeps its slot while others end.
    var slots: [Slot?]
    /// How many ended in which way, most frequent first when shown.
    var tally: [String: Int] = [:]
    /// How long the requests took.
    var latency = LatencyRecord()
    var bytesReceived = 0
    /// The first failures, for the list of what went wrong.
    var failures: [Failure] = []
    var isCancelled = false
    /// How many requests it sends.
    var total: Int { progress.total ?? titles.count }

    struct Failure: Equatable {
        var index: Int
        var text: String
    }
    static let failureLimit = 100
}

/// A chain that runs or has run.
struct ChainRunState {
    struct Step: Equatable {
        enum State: Equatable {
            case waiting
            case running(since: Duration)
            /// With a status, unless it was sent for each element of a list.
            case done(status: Int?, Duration)
            case failed(String, Duration)
            /// A step before it failed, its condition is not so, or the chain was ended.
            case skipped(because: String? = nil)
        }
        /// The name in the plan.
        var name: String
        var title: String
        var state = State.waiting
        var captures: [ResolvedChain.Capture] = []
    }

    var steps: [Step]
    /// Why it ended early, in words.
    var problem: String?
    /// Where the steps stand; nil for one behind the other.
    var layout: ChainLayout?

    /// Steps that have ended well.
    var doneCount: Int {
        steps.count { if case .done = $0.state { true } else { false } }
    }
}

/// All runs, newest last; of those that have ended only the latest are kept.
struct RunLog {
    static let endedLimit = 100

    private(set) var runs: [Run] = []
    private var nextNumber = 1
    /// How many have ended since the program began.
    private(set) var endedCount = 0

    /// Those that go on, oldest first.
    var running: [Run] { runs.filter(\.isRunning) }
    /// How many go on.
    var runningCount: Int { runs.count(where: \.isRunning) }

    /// Begins a run.
    mutating func begin(
        _ state: Run.State,
        item: CatalogID,
        name: String,
        environment: Int,
        at now: Moment
    ) -> RunID {
        let id = RunID(number: nextNumber)
        nextNumber += 1
        runs.append(
            Run(
                id: id,
                item: item,
                name: name,
                environment: environment,
                date: now.wall,
                started: now.uptime,
                state: state
            )
        )
        return id
    }

    /// Changes a run, if it is still in the log.
    mutating func update(_ id: RunID, _ change: (inout Run) -> Void) {
        guard let index = runs.lastIndex(where: { $0.id == id }) else { return }
        change(&runs[index])
    }

    /// Changes the chain that a run is; nothing happens if it is none.
    mutating func updateChain(_ id: RunID, _ change: (inout ChainRunState) -> Void) {
        update(id) { run in
            guard case .chain(var chain) = run.state else { return }
            change(&chain)
            run.state = .chain(chain)
        }
    }

    /// Ends a run.
    mutating func end(_ id: RunID, at now: Duration) {
        guard let index = runs.lastIndex(where: { $0.id == id }), runs[index].isRunning else {
            return
        }
        runs[index].ended = now
        endedCount += 1
        let surplus = runs.count - runningCount - Self.endedLimit
        if surplus > 0, let oldest = runs.firstIndex(where: { !$0.isRunning }) {
            runs.remove(at: oldest)
        }
    }

    /// Notes which runs stand among lines of the history.
    mutating func note(_ page: HistoryPage) {
        for index in runs.indices where !runs[index].isInHistory {
            runs[index].isInHistory = page.entries.contains(where: runs[index].isRecorded)
        }
    }

    /// Those that have ended and were not seen in the history, oldest first.
    var unrecorded: [Run] { runs.filter { !$0.isRunning && !$0.isInHistory } }

    /// The run with an identity.
    subscript(id: RunID) -> Run? { runs.last { $0.id == id } }

    /// The newest run of a line of the catalog in an environment.
    func latest(of item: CatalogID, in environment: Int) -> Run? {
        runs.last { $0.item == item && $0.environment == environment }
    }

    /// How many requests wait for their answers now.
    var requestsInFlight: Int { running.reduce(0) { $0 + $1.state.requestsInFlight } }
}

/// Bytes a second, over about the last second.
struct RateMeter: Equatable {
    private struct Sample: Equatable {
        var at: Duration
        var bytes: Int
    }

    private static let window = Duration.seconds(1)
    private var samples: [Sample] = []

    /// Notes how many bytes there are in all by now.
    mutating func note(_ bytes: Int, at now: Duration) {
        samples.append(Sample(at: now, bytes: bytes))
        // One sample from before the window stays, to measure from.
        while samples.count > 2, now - samples[1].at > Self.window { samples.removeFirst() }
    }

    /// Bytes a second; nil before there is anything to tell it from.
    var bytesPerSecond: Double? {
        guard let first = samples.first, let last = samples.last, last.at > first.at else {
            return nil
        }
        return Double(last.bytes - first.bytes) / ((last.at - first.at) / .seconds(1))
    }
}

/// How long requests took, for percentiles and a small picture.
struct LatencyRecord {
    // 1 µs to 1 hour with three significant digits.
    private var histogram = Histogram<UInt32>(highestTrackableValue: 3_600_000_000)

    /// Notes one request.
    mutating func note(_ duration: Duration) {
        let microseconds = UInt64(max(1, duration / .microseconds(1)))
        histogram.record(min(microseconds, 3_600_000_000))
    }

    /// How many were noted.
    var count: Int { Int(histogram.totalCount) }

    /// The time that `percent` of them stayed under; nil if there is none.
    func percentile(_ percent: Double) -> Duration? {
        guard count > 0 else { return nil }
        return .microseconds(Int64(histogram.valueAtPercentile(percent)))
    }

    /// The longest.
    var maximum: Duration? { percentile(100) }

    /// The shares of `columns` equal steps of the logarithm from the shortest
    /// to the longest, the largest being 1.
    func profile(columns: Int) -> [Double] {
        guard let low = percentile(0), let high = maximum, columns > 0 else { return [] }
        let from = Self.logarithm(low)
        let step = max((Self.logarithm(high) - from) / Double(columns), 0.01)
        var counts = [Double](repeating: 0, count: columns)
        for value in histogram.recordedValues() {
            let place = (Self.logarithm(.microseconds(Int64(value.value))) - from) / step
            counts[min(columns - 1, max(0, Int(place)))] += Double(value.count)
        }
        let peak = counts.max() ?? 0
        return peak > 0 ? counts.map { $0 / peak } : counts
    }

    private static func logarithm(_ duration: Duration) -> Double {
        let value = max(1, duration / .microseconds(1))
        // The binary logarithm, to a part of the exponent; no need for libm.
        return Double(value.exponent) + (value.significand - 1)
    }
}

/// A part of the time that a transfer took.
struct TransferPhase {
    var name: String
    var duration: Duration

    /// The parts that happened, in their order.
    static func parts(of ends: TransferMetrics.Phases) -> [TransferPhase] {
        let sent = max(ends.secureConnect, ends.preTransfer)
        return [
            TransferPhase(name: "dns", duration: ends.nameLookup),
            TransferPhase(name: "tcp", duration: ends.connect - ends.nameLookup),
            TransferPhase(name: "tls", duration: ends.secureConnect - ends.connect),
            TransferPhase(name: "wait", duration: ends.firstByte - sent),
            TransferPhase(name: "body", duration: ends.total - ends.redirects - ends.firstByte),
        ].filter { $0.duration > .zero }
    }
}
