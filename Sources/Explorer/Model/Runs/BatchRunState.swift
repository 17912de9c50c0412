import Apus

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

    /// What is sent; at a rate they are sent in turn, again and again.
    var titles: [String]
    var concurrency: Int
    var progress: BatchProgress
    /// The requests that run now; each keeps its slot while others end.
    var slots: [Slot?]
    /// How they ended.
    var endings = BatchEndings()
    /// How long the requests took.
    var latency = LatencyRecord()
    /// How it went on over time.
    var course = BatchCourse()
    var bytesReceived = 0
    var isCancelled = false
    /// How fast requests are begun, if the batch says so.
    var rate: BatchRate?
    /// How many were left out because none could be begun in time.
    var missed = 0
    /// Of how many these are the ones to be sent again; nil for a batch as it is.
    var repeats: Int?

    /// How many requests it sends.
    var total: Int { progress.total ?? titles.count }

    /// What the request at a place is.
    func title(of index: Int) -> String {
        titles.isEmpty ? "request \(index + 1)" : titles[index % titles.count]
    }

    /// How many went wrong or were not sent: what can be sent again.
    var unsuccessfulCount: Int { max(0, total - missed - endings.goodCount) }
}
