import Apus
import Terminal
import Workspaces

/// A batch that runs or has run.
struct BatchRunState {
    /// A running request of the batch.
    struct Slot: Equatable {
        /// Its index in the batch.
        var index: Int
        var title: String
        var started: Duration
        var progress: TransferProgress?
    }

    /// What is sent; a batch with a rate sends them in turn, again and again.
    var titles: [String]
    /// The targets' names for the titles; empty if there are none.
    var names: [String] = []
    var concurrency: Int
    var progress: BatchProgress
    /// The running requests; each keeps its slot while others end.
    var slots: [Slot?]
    var endings = BatchOutcomes()
    var latency = LatencyRecord()
    var course = BatchTimeline()
    var bytesReceived = 0
    var isCancelled = false
    /// The rate at which requests start; nil if the batch sets none.
    var rate: BatchRate?
    /// The number of requests that were left out because they could not start in time.
    var missed = 0
    /// The workers that send it, and where they get it; nil if this program sends it.
    var workers: (lanes: WorkerLanes, address: String)?
    /// The size of the whole batch if this run only repeats what failed; else nil.
    var repeats: Int?

    /// What is expected of the responses; nil if nothing is, and after the end.
    var checks: BatchChecks?
    /// Whether responses are as expected whose ends are still to come, by index.
    var verdicts: [Int: Bool] = [:]
    /// What came of what is expected of the batch as a whole; empty before the end.
    var judgement: [CheckedResponse.Item] = []

    /// The number of requests to send.
    var total: Int { progress.total ?? titles.count }

    /// The number of requests that failed: without a response, or with one that is an error, as in the history.
    var failedCount: Int { max(progress.failed, endings.badCount) }

    /// Whether it is as expected as a whole.
    var isAsExpected: Bool { judgement.allSatisfy(\.isMet) }

    /// Whether enough requests have ended to speak of a rate; six in 20 ms are no rate of 298/s.
    func isRateKnown(after time: Duration) -> Bool {
        rate != nil || progress.ended >= 50 || progress.ended >= 10 && time >= .seconds(1)
    }

    /// The title of the request at an index.
    func title(of index: Int) -> String {
        titles.isEmpty ? "request \(index + 1)" : titles[index % titles.count]
    }

    /// The name of the target of the request at an index; nil if there is none.
    func name(of index: Int) -> String? {
        names.isEmpty ? nil : names[index % names.count]
    }

    /// The number of requests that failed or were not sent, and can be sent again.
    var unsuccessfulCount: Int { max(0, total - missed - endings.goodCount) }
}

/// The selection in a batch's pane.
struct BatchChoice {
    var scroll = ListScroll()
    /// The causes that the user unfolded or folded.
    var open: [BatchOutcomes.Cause: Bool] = [:]
}
