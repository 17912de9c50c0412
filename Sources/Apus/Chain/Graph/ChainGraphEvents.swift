/// The events of one run of a graph.
///
/// Nothing is sent before they are read; a slow reader slows the run down.
/// Cancelling the reader cancels all requests that are under way.
public struct ChainGraphEvents: AsyncSequence, Sendable {
    /// What a reader gets.
    public typealias Element = ChainGraphEvent
    /// A failure is the last event, never thrown.
    public typealias Failure = Never

    let run: ChainGraphRun

    /// Reads the events.
    public struct Iterator: AsyncIteratorProtocol {
        private let events: PacedEvents<ChainGraphEvent, ProgressKey>
        private var taken = PacedEvents<ChainGraphEvent, ProgressKey>.Taken()

        init(_ events: PacedEvents<ChainGraphEvent, ProgressKey>) { self.events = events }

        /// The next event; nil after the last.
        public mutating func next() async -> ChainGraphEvent? { await events.next(&taken) }
    }

    /// Begins; each reader has a run of its own.
    public func makeAsyncIterator() -> Iterator {
        let run = run
        return Iterator(
            PacedEvents(
                turns: 2 * Swift.min(run.graph.plan.concurrency, 1 << 30),
                givingTurnAt: { if case .answered = $0 { true } else { false } },
                supersededBy: Self.key
            ) { turns, send in
                let summary = await run.run(.init(emit: send, turns: turns))
                send(.finished(summary))
            }
        )
    }

    /// Only the newest progress of each request counts.
    private static func key(_ event: ChainGraphEvent) -> ProgressKey? {
        guard case .exchange(let step, let element, .progress) = event else { return nil }
        return ProgressKey(step: step, element: element)
    }

    /// Which request moved.
    struct ProgressKey: Hashable {
        let step: Int
        let element: Int?
    }
}
