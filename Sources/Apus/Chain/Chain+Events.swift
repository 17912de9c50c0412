/// The events of one run of a chain.
///
/// Nothing is sent before they are read; cancelling the reader cancels the step under
/// way and all that would follow.
public struct ChainEvents: AsyncSequence, Sendable {
    /// What a reader gets.
    public typealias Element = ChainEvent
    /// A failure is the last event, never thrown.
    public typealias Failure = Never

    let run: ChainRun

    /// Reads the events.
    public struct Iterator: AsyncIteratorProtocol {
        private let events: ProducedEvents<ChainEvent>

        init(_ events: ProducedEvents<ChainEvent>) { self.events = events }

        /// The next event; nil after the last.
        public mutating func next() async -> ChainEvent? { await events.next() }
    }

    /// Begins; each reader has a run of its own.
    public func makeAsyncIterator() -> Iterator {
        let run = run
        return Iterator(
            ProducedEvents(supersedingWhere: Self.isSuperseded) { send in
                let summary = await run.run(send)
                send(.finished(summary))
            }
        )
    }

    private static func isSuperseded(_ waiting: ChainEvent, by new: ChainEvent) -> Bool {
        guard case .exchange(let first, let old) = waiting,
            case .exchange(let second, let new) = new
        else { return false }
        return first == second && ExchangeEvent.isSuperseded(old, by: new)
    }
}

/// What happens in a chain.
///
/// The last event is always `finished`.
public enum ChainEvent: Sendable {
    /// A step begins.
    case started(index: Int, any TargetType)
    /// Something happened to the step, other than its end.
    case exchange(index: Int, ExchangeEvent)
    /// A step has ended, well or not.
    case ended(ChainStep)
    /// The end.
    case finished(ChainSummary)
}

/// How a chain ended.
public struct ChainSummary: Sendable {
    /// Why a chain ended.
    public enum Ending: Sendable, Hashable {
        /// The rule said that nothing follows.
        case done
        /// A step failed, and the chain's policy ends it then.
        case stepFailed(index: Int)
        /// The rule threw; the text tells what.
        case ruleFailed(detail: String)
        /// There were as many steps as the chain allows.
        case tooManySteps(limit: Int)
        /// The chain as a whole took too long.
        case timedOut(limit: Duration)
        /// It was cancelled.
        case cancelled
    }

    /// The steps that were taken, in order, with their answers.
    public let steps: [ChainStep]
    /// Why it ended.
    public let ending: Ending
    /// From the call to the end.
    public let duration: Duration
}
