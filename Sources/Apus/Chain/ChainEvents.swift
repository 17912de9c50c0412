/// What happens while a chain or a graph runs.
///
/// Steps are named by their place in the plan, or their number from 0 if a rule makes them;
/// elements of a `forEach` by theirs in the list; a step without one has no element. Each step has exactly one `ended`,
/// and the last event is always `finished`.
public enum ChainEvent: Sendable {
    /// A step begins; `elements` tells how many times it is sent, if it is for a list.
    case began(step: Int, elements: Int?)
    /// A target was made and is about to be sent.
    case sending(step: Int, element: Int?, any TargetType)
    /// Something happened to a request, other than its end.
    case exchange(step: Int, element: Int?, ExchangeEvent)
    /// A request has ended, well or not.
    case answered(step: Int, element: Int?, ExchangeSummary)
    /// A step has ended, or never will begin.
    case ended(ChainStepResult, ChainProgress)
    /// The end.
    case finished(ChainSummary)
}

/// The events of one run of a chain or a graph.
///
/// Nothing is sent before they are read; a slow reader slows the run down.
/// Cancelling the reader cancels all requests that are under way.
public struct ChainEvents: AsyncSequence, Sendable {
    /// What a reader gets.
    public typealias Element = ChainEvent
    /// A failure is the last event, never thrown.
    public typealias Failure = Never

    /// How many requests may be under way at once.
    let concurrency: Int
    let run: @Sendable (ChainRun.Listener) async -> ChainSummary

    /// Reads the events.
    public struct Iterator: AsyncIteratorProtocol {
        private let events: EventProducer<ChainEvent, ProgressKey>

        init(_ events: EventProducer<ChainEvent, ProgressKey>) { self.events = events }

        /// The next event; nil after the last.
        public mutating func next() async -> ChainEvent? { await events.next() }
    }

    /// Begins; each reader has a run of its own.
    public func makeAsyncIterator() -> Iterator {
        let run = run
        return Iterator(
            EventProducer(
                limit: 2 * Swift.min(concurrency, 1 << 30),
                countingWhere: { if case .answered = $0 { true } else { false } },
                ordering: Self.order
            ) { semaphore, send in
                let summary = await run(.init(emit: send, semaphore: semaphore))
                send(.finished(summary))
            }
        )
    }

    /// Only the newest progress of each request counts.
    private static func order(_ event: ChainEvent) -> EventQueue<ChainEvent, ProgressKey>.Order {
        guard case .exchange(let step, let element, let event) = event else { return .last }
        let key = ProgressKey(step: step, element: element)
        return if case .progress = event { .newest(key) } else { .after(key) }
    }

    /// Which request moved.
    struct ProgressKey: Hashable {
        let step: Int
        let element: Int?
    }
}

/// How a run of a chain or a graph ended.
public struct ChainSummary: Sendable {
    /// Why a run ended.
    public enum Ending: Sendable, Hashable {
        /// Every step is done, or was skipped by a condition; or the rule said that nothing follows.
        case done
        /// A step failed, the one named before all others. What did not need it was still run;
        /// what a rule would have said next was not.
        case failed(step: String)
        /// The rule of a chain threw; the text tells what.
        case ruleFailed(detail: String)
        /// There were as many steps as the chain allows, and its rule named one more.
        case tooManySteps(limit: Int)
        /// It took too long.
        case timedOut(limit: Duration)
        /// It was cancelled.
        case cancelled
    }

    /// What became of the steps, in the plan's order, or that in which a rule made them.
    public let steps: [ChainStepResult]
    /// Why it ended.
    public let ending: Ending
    /// All that was captured; nothing by a chain of a rule.
    public let values: ChainValues
    /// From the call to the end.
    public let duration: Duration

    /// The step of this name; nil if there is none.
    public subscript(name: String) -> ChainStepResult? { steps.first { $0.name == name } }

    /// What a later run needs so as to send again only what is not done.
    public var state: ChainState {
        ChainState(
            steps: Dictionary(
                steps.map { ($0.name, ChainState.Step($0)) },
                uniquingKeysWith: { first, _ in first }
            )
        )
    }
}

/// How far a run has come.
public struct ChainProgress: Sendable, Hashable {
    /// Steps in all; nil if a rule makes them.
    public let total: Int?
    /// Steps that are done, in this run or in the one that it resumes.
    public internal(set) var done = 0
    /// Steps that failed.
    public internal(set) var failed = 0
    /// Steps that were not run, or cancelled.
    public internal(set) var skipped = 0

    /// Steps that have ended, in whichever way.
    public var ended: Int { done + failed + skipped }

    mutating func note(_ outcome: ChainStepResult.Outcome) {
        switch outcome {
        case .done, .restored: done += 1
        case .failed: failed += 1
        case .skipped, .cancelled: skipped += 1
        }
    }
}
