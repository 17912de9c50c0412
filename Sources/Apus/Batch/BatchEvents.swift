import BitCollections

/// The events of one run of a batch.
///
/// Nothing is sent before they are read. A slow reader slows the batch down: no
/// more than twice its concurrency is begun and not yet read. Cancelling the
/// reader cancels all requests that are under way.
public struct BatchEvents: AsyncSequence, Sendable {
    /// What a reader gets.
    public typealias Element = BatchEvent
    /// A failure is the last event, never thrown.
    public typealias Failure = Never

    let run: BatchRun

    /// Reads the events.
    public struct Iterator: AsyncIteratorProtocol {
        private let events: EventProducer<BatchEvent, Int>
        /// Several workers report at once, and some reports overtake others: what the
        /// reader has read is counted here, so that no figure ever goes back.
        private var progress: BatchProgress

        init(_ events: EventProducer<BatchEvent, Int>, of batch: Batch) {
            self.events = events
            progress = BatchProgress(of: batch)
        }

        /// The next event; nil after the last.
        public mutating func next() async -> BatchEvent? {
            switch await events.next() {
            case .ended(let index, let summary, let now)?:
                progress.count(summary.result)
                progress.moveBytes(to: now)
                return .ended(index: index, summary, progress)
            case .moved(let now)?:
                progress.moveBytes(to: now)
                return .moved(progress)
            case let event: return event
            }
        }
    }

    /// Begins; each reader has a run of its own.
    public func makeAsyncIterator() -> Iterator {
        let run = run
        return Iterator(
            EventProducer(
                limit: 2 * Swift.min(run.batch.concurrency, 1 << 30),
                countingWhere: { if case .ended = $0 { true } else { false } },
                ordering: Self.order
            ) { semaphore, send in
                let summary = await run.run(.init(emit: send, semaphore: semaphore))
                send(.finished(summary))
            },
            of: run.batch
        )
    }

    /// Only the newest progress of each request counts, and of all together.
    private static func order(_ event: BatchEvent) -> EventQueue<BatchEvent, Int>.Order {
        switch event {
        case .exchange(let index, .progress): .newest(index)
        case .exchange(let index, _): .after(index)
        case .moved: .newest(-1)
        case .started, .ended, .finished: .last
        }
    }
}

/// What happens in a batch.
///
/// The last event is always `finished`. A target that is never begun, because the
/// batch was cancelled or failed, has no event.
public enum BatchEvent: Sendable {
    /// A target's turn has come; `index` is its place in the batch.
    case started(index: Int)
    /// Something happened to one target, other than its end.
    case exchange(index: Int, ExchangeEvent)
    /// Bytes moved; a reader that is late gets the newest figures only.
    case moved(BatchProgress)
    /// A target has ended, well or not.
    case ended(index: Int, ExchangeSummary, BatchProgress)
    /// The end.
    case finished(BatchSummary)
}

/// How far a batch has come.
public struct BatchProgress: Sendable, Hashable {
    /// Targets in all; nil if nobody knows.
    public var total: Int?
    /// Targets that ended with an answer.
    public var succeeded: Int
    /// Targets that ended without one.
    public var failed: Int
    /// Bytes of the requests' bodies that all of them sent so far.
    public var bytesSent: Int
    /// Bytes of the answers' bodies that all of them received so far.
    public var bytesReceived: Int

    /// Makes a progress.
    public init(
        total: Int?,
        succeeded: Int = 0,
        failed: Int = 0,
        bytesSent: Int = 0,
        bytesReceived: Int = 0
    ) {
        self.total = total
        self.succeeded = succeeded
        self.failed = failed
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
    }

    /// The progress of a batch that is about to begin.
    init(of batch: Batch) {
        self.init(total: batch.count.map { $0 - batch.done.count })
    }

    mutating func count(_ result: Result<Response, ApusError>) {
        switch result {
        case .success: succeeded += 1
        case .failure: failed += 1
        }
    }

    mutating func moveBytes(to other: BatchProgress) {
        bytesSent = max(bytesSent, other.bytesSent)
        bytesReceived = max(bytesReceived, other.bytesReceived)
    }

    /// Targets that have ended.
    public var ended: Int { succeeded + failed }

    /// The part that has ended, 0 to 1; 1 for an empty batch, nil if the total is
    /// not known.
    public var fraction: Double? {
        total.map { $0 == 0 ? 1 : Double(ended) / Double($0) }
    }
}

/// How a batch ended.
///
/// It holds no answers, so that it is small however many there were.
public struct BatchSummary: Sendable {
    /// With the mode `.all` and `.allFinishing` the first failure, whose `batchIndex` says which
    /// target it is of; `.cancelled` if the batch was; the error of targets that could not be made.
    public let failure: ApusError?
    /// How many succeeded and failed.
    public let progress: BatchProgress
    /// From the call to the end.
    public let duration: Duration

    /// Of a batch with a rate, how many were left out because as many as its concurrency allows were under way
    /// when their turn came.
    public let missed: Int

    let succeeded: BitSet
    let reached: Int

    /// Whether the target at this place has ended with an answer, in this run or
    /// in the one that it retried.
    public func hasSucceeded(at index: Int) -> Bool { succeeded.contains(index) }

    /// The places of those that failed or were never begun, in order.
    ///
    /// Of targets that were to be made, only those that were.
    public var unsuccessful: [Int] { (0..<reached).filter { !succeeded.contains($0) } }
}
