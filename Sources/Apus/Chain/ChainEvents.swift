/// What happens while a chain or a graph runs.
///
/// Steps are identified by their index in the plan, or by their number from 0 if a rule makes them. Elements
/// of a `forEach` are identified by their index in the list; the element is nil for a step without one. Each
/// step has exactly one `ended`, and the last event is always `finished`.
public enum ChainEvent: Sendable {
    /// A step begins; `elements` is the length of its list, or nil without a `forEach`.
    case began(step: Int, elements: Int?)
    /// A target was made and is about to be sent.
    case sending(step: Int, element: Int?, any TargetType)
    /// An event of a request's exchange, other than its end.
    case exchange(step: Int, element: Int?, ExchangeEvent)
    /// A request has ended, successfully or not.
    case requestEnded(step: Int, element: Int?, ExchangeSummary)
    /// A step has ended, or will never begin.
    case ended(ChainStepResult, ChainProgress)
    /// The run has ended.
    case finished(ChainSummary)
}

/// The events of one run of a chain or a graph.
///
/// Nothing is sent before the events are read. A slow reader slows the run down, and cancelling the reader
/// cancels all running requests.
public struct ChainEvents: AsyncSequence, Sendable {
    /// An event of the run.
    public typealias Element = ChainEvent
    /// Nothing is thrown; failures are events.
    public typealias Failure = Never

    /// How many requests may run at once.
    let concurrency: Int
    let run: @Sendable (ChainGraphRun.Listener) async -> ChainSummary

    /// Reads the events.
    public struct Iterator: AsyncIteratorProtocol {
        private let events: EventProducer<ChainEvent, ProgressKey>

        init(_ events: EventProducer<ChainEvent, ProgressKey>) { self.events = events }

        /// The next event; nil after the last.
        public mutating func next() async -> ChainEvent? { await events.next() }
    }

    /// Starts a run; each iterator has its own.
    public func makeAsyncIterator() -> Iterator {
        let run = run
        return Iterator(
            EventProducer(
                limit: 2 * Swift.min(concurrency, 1 << 30),
                countingWhere: { if case .requestEnded = $0 { true } else { false } },
                ordering: Self.order
            ) { semaphore, send in
                let summary = await run(.init(emit: send, semaphore: semaphore))
                send(.finished(summary))
            }
        )
    }

    /// Of waiting progress events, only the newest of each request is kept.
    private static func order(_ event: ChainEvent) -> EventQueue<ChainEvent, ProgressKey>.Order {
        guard case .exchange(let step, let element, let event) = event else { return .last }
        let key = ProgressKey(step: step, element: element)
        return if case .progress = event { .newest(key) } else { .after(key) }
    }

    /// Identifies a request.
    struct ProgressKey: Hashable {
        let step: Int
        let element: Int?
    }
}

/// How a run of a chain or a graph ended.
public struct ChainSummary: Sendable {
    /// Why a run ended.
    public enum Ending: Sendable, Hashable {
        /// Every step is done or was skipped by a condition, or the rule returned nil.
        case done
        /// A step failed; this is the first that did. In a graph, steps that did not need it still ran; in a
        /// chain, no step followed.
        case failed(step: String)
        /// The rule of a chain threw; the text describes the error.
        case ruleFailed(detail: String)
        /// The rule returned a target after the maximum number of steps.
        case tooManySteps(limit: Int)
        /// The run took longer than its `timeout`.
        case timedOut(limit: Duration)
        /// The run was cancelled.
        case cancelled
    }

    /// The results of the steps, in the plan's order or in the order in which a rule made them.
    public let steps: [ChainStepResult]
    /// Why the run ended.
    public let ending: Ending
    /// All captured values; empty for a `Chain`.
    public let values: ChainValues
    /// The time from the call to the end.
    public let duration: Duration

    /// The step of this name; nil if there is none.
    public subscript(name: String) -> ChainStepResult? { steps.first { $0.name == name } }

    /// What a later run needs to send only the steps that are not done.
    public var state: ChainState {
        ChainState(
            steps: Dictionary(
                steps.map { ($0.name, ChainState.Step($0)) },
                uniquingKeysWith: { first, _ in first }
            )
        )
    }
}

/// How many steps of a run have ended, and how.
public struct ChainProgress: Sendable, Hashable {
    /// The number of steps; nil if a rule makes them.
    public let total: Int?
    /// Steps that are done, in this run or in the one that it resumes.
    public internal(set) var done = 0
    /// Steps that failed.
    public internal(set) var failed = 0
    /// Steps that were skipped or cancelled.
    public internal(set) var skipped = 0

    /// Steps that have ended: done, failed or skipped.
    public var ended: Int { done + failed + skipped }

    mutating func note(_ outcome: ChainStepResult.Outcome) {
        switch outcome {
        case .done, .restored: done += 1
        case .failed: failed += 1
        case .skipped, .cancelled: skipped += 1
        }
    }
}
