import Synchronization

/// The life of one exchange that has hooks: its number, its attempts and the
/// exchanges that were sent for it.
final class ExchangeScope: Sendable {
    /// Deeper children are a hook that calls itself.
    private static let maximumDepth = 8

    private struct State {
        var attempts = 0
        var request: PreparedRequest?
        var sharedCalls = 0
        var lateSummary: ExchangeSummary?
        var children: [ChildExchange] = []
        var running: [Int: Task<ExchangeSummary, Never>] = [:]
        var next = 0
        var isEnded = false
    }

    let exchange: Exchange
    let pipeline: Pipeline
    let id: ExchangeID
    let start: ContinuousClock.Instant
    let depth: Int
    private let state = Mutex(State())

    init(_ exchange: Exchange, _ pipeline: Pipeline, start: ContinuousClock.Instant) {
        self.exchange = exchange
        self.pipeline = pipeline
        self.start = start
        id = pipeline.nextID()
        depth = (exchange.parent?.depth).map { $0 + 1 } ?? 0
    }

    /// A scope for a call that others may wait for too, and that lives as long as
    /// any of them.
    private init(sharing scope: ExchangeScope) {
        exchange = scope.exchange
        pipeline = scope.pipeline
        start = scope.start
        id = scope.id
        depth = scope.depth
        let attempts = scope.attempts
        state.withLock { $0.attempts = attempts }
    }

    func forSharedCall() -> ExchangeScope { ExchangeScope(sharing: self) }

    // MARK: Calls that outlive the exchange

    /// A shared call sends with this exchange's number: plugins learn of the
    /// exchange's end only after that of the call.
    func beginSharedCall() {
        state.withLock { $0.sharedCalls += 1 }
    }

    /// - Returns: how the exchange ended, if it has and nobody told the plugins.
    func endSharedCall() -> ExchangeSummary? {
        state.withLock { state in
            state.sharedCalls -= 1
            return state.sharedCalls == 0 ? state.lateSummary.take() : nil
        }
    }

    /// - Returns: whether the plugins are to be told later, by the shared call.
    func isEndTold(later summary: ExchangeSummary) -> Bool {
        state.withLock { state in
            guard state.sharedCalls > 0 else { return false }
            state.lateSummary = summary
            return true
        }
    }

    /// Takes in what a shared call has done.
    func note(_ outcome: CallOutcome) {
        state.withLock { $0.attempts += outcome.attempts }
        note(outcome.children)
    }

    /// Takes in the children of what others waited for too.
    func note(_ children: [ChildExchange]) {
        state.withLock { $0.children += children }
    }

    /// How often something was sent.
    var attempts: Int { state.withLock(\.attempts) }
    /// The children that have ended.
    var children: [ChildExchange] { state.withLock(\.children) }

    /// The request as it was last prepared or sent.
    var request: PreparedRequest? { state.withLock(\.request) }

    /// Notes the request that plugins have prepared.
    func note(_ request: PreparedRequest) {
        state.withLock { $0.request = request }
    }

    /// Counts a sending, and gives its number.
    func countAttempt(of request: PreparedRequest) -> Int {
        state.withLock { state in
            state.request = request
            state.attempts += 1
            return state.attempts
        }
    }

    /// What hooks are told: of the next attempt, or of the last one.
    func context(beforeSending: Bool) -> ExchangeContext {
        let attempts = attempts
        return ExchangeContext(self, attempt: beforeSending ? attempts + 1 : max(1, attempts))
    }

    func child(
        _ target: any TargetType,
        from source: DataSource
    ) throws(ApusError) -> Exchange {
        guard depth < Self.maximumDepth else {
            throw ApusError(
                .hookFailed(
                    plugin: "children",
                    detail: "exchanges sent by hooks are more than \(Self.maximumDepth) deep"
                )
            )
        }
        return exchange.child(target, from: source, parent: self)
    }

    func send(
        _ target: any TargetType,
        from source: DataSource
    ) async throws(ApusError) -> Response {
        let child = try child(target, from: source)
        guard let (index, task) = begin(child) else { throw ApusError(.cancelled) }
        let summary = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        state.withLock { state in
            state.running[index] = nil
            state.children.append(ChildExchange(target: child.target, summary: summary))
        }
        return try summary.result.get()
    }

    /// Ends all children that still run, and lets no more begin.
    func end() {
        let running = state.withLock { state in
            state.isEnded = true
            return Array(state.running.values)
        }
        for task in running { task.cancel() }
    }

    /// Nil once the exchange has ended.
    private func begin(_ child: Exchange) -> (Int, Task<ExchangeSummary, Never>)? {
        state.withLock { state in
            guard !state.isEnded else { return nil }
            let task = Task { await child.run(nil) }
            let index = state.next
            state.next += 1
            state.running[index] = task
            return (index, task)
        }
    }
}
