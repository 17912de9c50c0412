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
        private let events: PacedEvents<BatchEvent, Int>
        private var taken = PacedEvents<BatchEvent, Int>.Taken()
        /// Several workers report at once, and some reports overtake others: what the
        /// reader has read is counted here, so that no figure ever goes back.
        private var progress: BatchProgress

        init(_ events: PacedEvents<BatchEvent, Int>, of batch: Batch) {
            self.events = events
            progress = BatchProgress(of: batch)
        }

        /// The next event; nil after the last.
        public mutating func next() async -> BatchEvent? {
            switch await events.next(&taken) {
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
            PacedEvents(
                turns: 2 * Swift.min(run.batch.concurrency, 1 << 30),
                givingTurnAt: { if case .ended = $0 { true } else { false } },
                supersededBy: Self.key
            ) { turns, send in
                let summary = await run.run(.init(emit: send, turns: turns))
                send(.finished(summary))
            },
            of: run.batch
        )
    }

    /// Only the newest progress of each request counts, and of all together.
    private static func key(_ event: BatchEvent) -> Int? {
        switch event {
        case .exchange(let index, .progress): index
        case .moved: -1
        case .started, .exchange, .ended, .finished: nil
        }
    }
}
