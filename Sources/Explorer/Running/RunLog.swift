import Apus
import FoundationEssentials
import Recordings

/// Identifies a run while the program runs.
struct RunID: Hashable, Comparable, Sendable {
    let number: Int

    static func < (a: RunID, b: RunID) -> Bool { a.number < b.number }
}

/// A request, a batch or a chain that runs or has run.
struct Run {
    /// The kind of run, and its progress.
    enum State {
        case single(SingleRun)
        case batch(BatchRunState)
        case chain(ChainRunState)
        case watch(WatchRunState)
    }

    let id: RunID
    /// The line of the catalog that was sent.
    fileprivate(set) var item: CatalogID
    let name: String
    /// The environment it was sent in.
    let environment: Int
    /// When it began.
    let date: Date
    /// When it began and ended, since the program started.
    let started: Duration
    var ended: Duration?
    var state: State
    /// When its exchange began, if that is recorded.
    var recordedStart: Date?
    /// The batch or chain in the history, if it is recorded.
    var recordedRun: RecordedRun.ID?
    /// Whether it was seen in the history, which lists it from then on.
    fileprivate(set) var isInHistory = false

    var isRunning: Bool { ended == nil }

    /// Whether a line of the history is its record.
    fileprivate func isRecorded(as entry: HistoryEntry) -> Bool {
        switch entry {
        // The database keeps times to the microsecond or finer.
        case .exchange(let exchange):
            recordedStart.map { abs(exchange.started.timeIntervalSince($0)) < 0.000_01 } ?? false
        case .run(let run): run.id == recordedRun
        }
    }

    /// How long it took, or has taken so far.
    func duration(by now: Duration) -> Duration { (ended ?? now) - started }
}

extension Run.State {
    /// Whether it consists of requests that can be opened one by one.
    fileprivate var hasParts: Bool {
        switch self {
        case .batch, .chain: true
        case .single, .watch: false
        }
    }

    fileprivate mutating func dropResponses() {
        switch self {
        case .batch(var batch):
            batch.endings.dropResponses()
            self = .batch(batch)
        case .chain(var chain):
            for step in chain.steps.indices { chain.steps[step].result = nil }
            self = .chain(chain)
        case .single, .watch: break
        }
    }

    /// The number of requests that wait for responses, if the run is running.
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
    /// The part of the URL after the host.
    var target: String
    /// The progress of the transfer; nil before the first byte.
    var progress: TransferProgress?
    var rate = RateMeter()
    /// The transfer's measurements, once it has ended.
    var metrics: TransferMetrics?
    /// How long the exchange took, once it has ended, as the history keeps it.
    var duration: Duration?
    var ending: Ending?
}

/// A chain that runs or has run.
struct ChainRunState {
    struct Step {
        enum State: Equatable {
            case waiting
            case running(since: Duration)
            /// The status is nil if the step was sent for each element of a list.
            case done(status: Int?, Duration)
            case failed(String, Duration)
            /// A step before it failed, its condition was not met, or the chain was stopped.
            case skipped(because: String? = nil)
        }
        /// The name in the plan.
        var name: String
        var title: String
        var state = State.waiting
        var captures: [ResolvedChain.Capture] = []
        /// Its response, or that of the element that failed; nil if there is none or it is too large to keep.
        var result: Result<Response, ApusError>?
        /// The number of attempts.
        var attempts = 0
        /// What was sent, so that it can be sent again alone.
        var target: (any TargetType)?
        /// How much of its responses is not as expected.
        var unmetCount = 0

        var hasFailed: Bool { if case .failed = state { true } else { false } }
    }

    /// The most bytes of a step's response that are kept.
    static let largestKept = 4 << 20

    var steps: [Step]
    /// Why it ended early, in words.
    var problem: String?
    /// Where the steps stand in a drawing; nil if they follow one another.
    var layout: ChainLayout?
    /// What is done, for a run that resumes there; nil while it runs.
    var done: ChainState?

    /// The number of steps that succeeded.
    var doneCount: Int {
        steps.count { if case .done = $0.state { true } else { false } }
    }
}

/// All runs, newest last; of the ended ones only the latest are kept.
struct RunLog {
    static let endedLimit = 100
    /// The number of ended batches and chains that keep their responses.
    static let responsesLimit = 8

    private(set) var runs: [Run] = []
    private var nextNumber = 1
    /// The number of runs that have ended since the program started.
    private(set) var endedCount = 0

    /// The running ones, oldest first.
    var running: [Run] { runs.filter(\.isRunning) }
    var runningCount: Int { runs.count(where: \.isRunning) }

    /// Keeps the runs of a target, or of those in a group, under its new path.
    mutating func move(_ old: String, to new: String) {
        for index in runs.indices {
            if let moved = runs[index].item.moved(from: old, to: new) { runs[index].item = moved }
        }
    }

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

    /// Changes a chain's run; does nothing if the run is not a chain.
    mutating func updateChain(_ id: RunID, _ change: (inout ChainRunState) -> Void) {
        update(id) { run in
            guard case .chain(var chain) = run.state else { return }
            change(&chain)
            run.state = .chain(chain)
        }
    }

    /// Ends a run; `summary` is that of the exchange of a single request.
    mutating func end(_ id: RunID, with summary: ExchangeSummary? = nil, at now: Duration) {
        guard let index = runs.lastIndex(where: { $0.id == id }), runs[index].isRunning else {
            return
        }
        if let summary, case .single(var single) = runs[index].state {
            single.ending = SingleRun.Ending(summary.result)
            single.metrics = summary.result.response?.metrics
            single.duration = summary.duration
            runs[index].state = .single(single)
        }
        runs[index].ended = now
        endedCount += 1
        dropOldResponses()
        let surplus = runs.count - runningCount - Self.endedLimit
        if surplus > 0, let oldest = runs.firstIndex(where: { !$0.isRunning }) {
            runs.remove(at: oldest)
        }
    }

    /// Only the latest of the ended batches and chains keep their responses.
    private mutating func dropOldResponses() {
        let ended = runs.indices.filter { !runs[$0].isRunning && runs[$0].state.hasParts }
        for index in ended.dropLast(Self.responsesLimit) { runs[index].state.dropResponses() }
    }

    /// Marks the runs that are among the lines of a page of the history.
    mutating func markRecorded(in page: HistoryPage) {
        for index in runs.indices where !runs[index].isInHistory {
            runs[index].isInHistory = page.entries.contains(where: runs[index].isRecorded)
        }
    }

    /// The ended runs that were not seen in the history, oldest first.
    var unrecorded: [Run] { runs.filter { !$0.isRunning && !$0.isInHistory } }

    /// The run with an identity.
    subscript(id: RunID) -> Run? { runs.last { $0.id == id } }

    /// The longest transfer of a single request.
    var longestTransfer: Duration {
        runs.reduce(.zero) { longest, run in
            guard case .single(let single) = run.state else { return longest }
            return max(longest, single.duration ?? single.metrics?.phases.total ?? .zero)
        }
    }

    /// The newest run of a line of the catalog in an environment.
    func latest(of item: CatalogID, in environment: Int) -> Run? {
        runs.last { $0.item == item && $0.environment == environment }
    }

    /// The number of requests that wait for responses now.
    var requestsInFlight: Int { running.reduce(0) { $0 + $1.state.requestsInFlight } }
}

/// Bytes per second, over about the last second.
struct RateMeter: Equatable {
    private struct Sample: Equatable {
        var at: Duration
        var bytes: Int
    }

    private static let window = Duration.seconds(1)
    private var samples: [Sample] = []

    /// Records the total number of bytes so far.
    mutating func record(_ bytes: Int, at now: Duration) {
        samples.append(Sample(at: now, bytes: bytes))
        // One sample from before the window stays, to measure from.
        while samples.count > 2, now - samples[1].at > Self.window { samples.removeFirst() }
    }

    /// Bytes per second; nil until two samples are apart in time.
    var bytesPerSecond: Double? {
        guard let first = samples.first, let last = samples.last, last.at > first.at else {
            return nil
        }
        return Double(last.bytes - first.bytes) / ((last.at - first.at) / .seconds(1))
    }
}

/// A part of the time that a transfer took.
struct TransferPhase {
    var name: String
    var duration: Duration

    /// Shorter phases would be shown as 0.0 ms.
    static let shortest = Duration.microseconds(50)

    /// The phases that took time, in order.
    static func parts(of ends: TransferMetrics.Phases) -> [TransferPhase] {
        let sent = max(ends.secureConnect, ends.preTransfer)
        return [
            TransferPhase(name: "dns", duration: ends.nameLookup),
            TransferPhase(name: "tcp", duration: ends.connect - ends.nameLookup),
            TransferPhase(name: "tls", duration: ends.secureConnect - ends.connect),
            TransferPhase(name: "wait", duration: ends.firstByte - sent),
            TransferPhase(name: "body", duration: ends.total - ends.redirects - ends.firstByte),
        ].filter { $0.duration >= shortest }
    }
}

/// A request of a batch, or a step of a chain, that the response panes show in place of the target.
struct OpenedPart: Equatable {
    var run: RunID
    /// Its index in the batch or the chain.
    var index: Int
    /// Its name: "GET /users/7", or a step's name.
    var name: String

    /// Identifies its panes among those of targets.
    var item: CatalogID { CatalogID("\(name) (run \(run.number), \(index))") }
}
