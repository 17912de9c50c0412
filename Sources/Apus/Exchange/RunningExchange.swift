import Synchronization

/// What has happened in an exchange so far.
struct ExchangeCourse {
    /// What a plugin's `process` leads to.
    enum Step {
        /// The result stands.
        case go
        /// The result is dropped; another attempt follows after a pause.
        case retry(after: Duration)
    }

    /// Nil if nobody listens: then no event is made.
    let listener: Exchange.Emit?
    /// Nil without a pipeline.
    let hooks: HookRun?
    /// The failure that a plugin made of a cached answer.
    private(set) var refusal: ApusError?
    private var attempts = 0
    private var sharedBy = 1
    private var retries = 0
    private var responseCount = 0
    private var lastResponse: Response?
    private var failure: ApusError?
    /// Whether the failure that ends the exchange has passed the hooks.
    private var isSettled = false

    init(listener: Exchange.Emit?, hooks: HookRun?) {
        self.listener = listener
        self.hooks = hooks
    }

    /// Whether an answer was delivered.
    var hasAnswer: Bool { lastResponse != nil }

    func emit(_ event: @autoclosure () -> ExchangeEvent) { listener?(event()) }

    /// What takes events in any case, for those who hand it on.
    var tell: Exchange.Emit { listener ?? { _ in } }

    /// Tells the listener how far the transfer is; nil if nobody listens.
    var progress: (@Sendable (TransferProgress) -> Void)? {
        guard let listener else { return nil }
        return { listener(.progress($0)) }
    }

    mutating func willSend(_ request: PreparedRequest) {
        attempts += 1
        emit(.willSend(request, attempt: attempts))
    }

    /// Takes in what a call to the server that others may have shared has cost.
    mutating func note(_ outcome: CallOutcome, sharedBy: Int) {
        note(attempts: outcome.attempts, sharedBy: sharedBy)
    }

    mutating func note(attempts: Int, sharedBy: Int) {
        self.attempts += attempts
        self.sharedBy = max(self.sharedBy, sharedBy)
    }

    mutating func deliver(_ response: Response) {
        responseCount += 1
        lastResponse = response
        emit(.response(response))
    }

    // MARK: Through the hooks

    /// Shows a result to the plugins, which may replace it.
    mutating func process(_ result: inout Result<Response, ApusError>) async -> Step {
        guard let hooks else { return .go }
        let processed = await hooks.process(
            result,
            hasAnswer: hasAnswer,
            mayRetry: retries < hooks.scope.pipeline.limits.retries
        )
        switch processed {
        case .result(let replaced):
            result = replaced
            isSettled = true
            return .go
        case .retry(let pause):
            retries += 1
            isSettled = false
            return .retry(after: pause)
        }
    }

    /// Shows a cached answer to the plugins.
    ///
    /// - Returns: what is delivered; nil if a plugin did not let it pass.
    mutating func accept(_ cached: Response) async -> Response? {
        var result = Result<Response, ApusError>.success(cached)
        guard case .go = await process(&result) else { return nil }
        isSettled = false
        switch result {
        case .success(let response): return response
        case .failure(let error):
            refusal = error
            return nil
        }
    }

    /// Ends the exchange with a failure, unless a plugin makes an answer of it.
    mutating func end(with error: ApusError) async {
        guard hooks != nil, !isSettled else {
            failure = error
            return
        }
        var result = Result<Response, ApusError>.failure(error)
        // Without a request there is nothing that could be repeated.
        retries = .max
        _ = await process(&result)
        switch result {
        case .success(let response): deliver(response)
        case .failure(let error): failure = error
        }
    }

    /// Notes that a failure has passed the hooks already.
    mutating func settle() { isSettled = true }

    /// The last answer delivered, or why there is none.
    var result: Result<Response, ApusError> {
        if let failure { return .failure(failure) }
        // Every way through an exchange delivers or throws.
        guard let lastResponse else { return .failure(ApusError(.cancelled)) }
        return .success(lastResponse)
    }

    func summary(after duration: Duration) -> ExchangeSummary {
        ExchangeSummary(
            result: result,
            responseCount: responseCount,
            attempts: attempts,
            duration: duration,
            sharedBy: sharedBy,
            children: hooks?.scope.children ?? []
        )
    }
}

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

/// What the requests for one answer have cost.
final class CallCost: Sendable {
    private let state = Mutex((attempts: 0, sharedBy: 1))

    /// How often something was sent.
    var attempts: Int { state.withLock { $0.attempts } }
    /// How many exchanges shared one transfer.
    var sharedBy: Int { state.withLock { $0.sharedBy } }

    /// Counts one sending; its number.
    func countAttempt() -> Int {
        state.withLock { state in
            state.attempts += 1
            return state.attempts
        }
    }

    func note(attempts: Int, sharedBy: Int) {
        state.withLock { state in
            state.attempts += attempts
            state.sharedBy = max(state.sharedBy, sharedBy)
        }
    }
}
