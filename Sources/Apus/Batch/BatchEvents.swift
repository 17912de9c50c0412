import BitCollections

/// The events of one run of a batch.
///
/// Nothing is sent until the events are read. A slow reader slows the batch down: at most twice as many
/// requests as its concurrency are started and not yet read. Cancelling the reader cancels all running
/// requests.
public struct BatchEvents: AsyncSequence, Sendable {
    /// An event of the batch.
    public typealias Element = BatchEvent
    /// A failure is part of the last event and is never thrown.
    public typealias Failure = Never

    let run: BatchRun

    /// Iterates over the events.
    public struct Iterator: AsyncIteratorProtocol {
        private let events: EventProducer<BatchEvent, Int>
        /// Several workers report at once, and reports may overtake each other.
        ///
        /// This counts what the reader has read, so that no figure ever goes back.
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

    /// Starts a run for this reader.
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

    /// Keeps only the newest progress of each request, and of the batch.
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
/// The last event is always `finished`. A target that never starts, because the batch was cancelled or
/// failed, has no events.
public enum BatchEvent: Sendable {
    /// A target starts; `index` is its position in the batch, from 0.
    case started(index: Int)
    /// An event of one target's exchange, except its end.
    case exchange(index: Int, ExchangeEvent)
    /// Bytes were transferred; a slow reader gets only the newest figures.
    case moved(BatchProgress)
    /// A target has ended, successfully or not.
    case ended(index: Int, ExchangeSummary, BatchProgress)
    /// The batch has ended.
    case finished(BatchSummary)
}

/// The progress of a batch.
public struct BatchProgress: Sendable, Hashable {
    /// The number of targets to send; nil if it is not known.
    public var total: Int?
    /// The number of targets that ended with a response.
    public var succeeded: Int
    /// The number of targets that ended without a response.
    public var failed: Int
    /// The bytes of request bodies sent so far, over all targets.
    public var bytesSent: Int
    /// The bytes of response bodies received so far, over all targets.
    public var bytesReceived: Int

    /// Creates a progress.
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

    /// The progress of a batch that has not started.
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

    /// The number of targets that have ended.
    public var ended: Int { succeeded + failed }

    /// The fraction of the targets that have ended, from 0 to 1; 1 for an empty batch, nil if the total is
    /// not known.
    public var fraction: Double? {
        total.map { $0 == 0 ? 1 : Double(ended) / Double($0) }
    }
}

/// How a batch ended.
///
/// It contains no responses, so that it stays small.
public struct BatchSummary: Sendable {
    /// Why the batch failed; nil if it did not.
    ///
    /// With the modes `.all` and `.allFinishing` it is the first failure, with the index of its target in
    /// `batchIndex`. It is `.cancelled` if the batch was cancelled, or the error of making the targets.
    public let failure: ApusError?
    /// How many targets succeeded and failed.
    public let progress: BatchProgress
    /// The time from the call to the end.
    public let duration: Duration

    /// The number of turns of a batch with a rate that were left out, because the concurrency was used up
    /// when they came.
    public let missed: Int

    let succeeded: BitSet
    let reached: Int

    /// Whether the target at this index ended with a response, in this run or in the one that it retried.
    public func hasSucceeded(at index: Int) -> Bool { succeeded.contains(index) }

    /// The indices, in order, of targets that failed or never started.
    ///
    /// Targets that were to be made while the batch ran are included only if they were made.
    public var unsuccessful: [Int] { (0..<reached).filter { !succeeded.contains($0) } }
}
