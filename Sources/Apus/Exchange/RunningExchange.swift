import Synchronization

/// An exchange while it runs: what was sent and delivered, its children and its end.
///
/// A lock protects its state, because hooks use it and send children from their own tasks.
final class RunningExchange: Sendable {
    typealias Emit = @Sendable (ExchangeEvent) -> Void

    /// More levels mean that a hook calls itself.
    private static let maximumDepth = 8

    private struct State {
        var request: PreparedRequest?
        var attempts = 0
        var sharedBy = 1
        var retries = 0
        var responseCount = 0
        var lastResponse: Response?
        var failure: ApusError?
        /// The failure with which a plugin rejected a cached response, or why it cannot be read.
        var refusal: ApusError?
        /// Whether the hooks have already processed the failure that ends the exchange.
        var isSettled = false

        var sharedCalls = 0
        var lateSummary: ExchangeSummary?
        var children: [ChildExchange] = []
        var running: [Int: Task<ExchangeSummary, Never>] = [:]
        var nextChild = 0
        var isEnded = false
    }

    let planned: PlannedExchange
    let id: ExchangeID
    /// nil if the duration is not needed.
    private let start: ContinuousClock.Instant?
    /// The number of exchanges above this one.
    let depth: Int
    /// nil if there is no listener; then no events are made.
    private let listener: Emit?
    private let state: Mutex<State>
    /// The hooks' values by `ExchangeKey`; only those of `root` are used.
    private let values = Mutex<[ObjectIdentifier: any Sendable]>([:])
    /// If this exchange was made for a shared call, the exchange that started the call; otherwise nil.
    private let sharer: RunningExchange?

    init(_ planned: PlannedExchange, _ listener: Emit?, isTimed: Bool = true) {
        self.planned = planned
        self.listener = listener
        id = planned.pipeline?.nextID() ?? ExchangeID(0)
        start = isTimed ? .now : nil
        depth = (planned.parent?.depth).map { $0 + 1 } ?? 0
        state = Mutex(State())
        sharer = nil
    }

    /// Copies an exchange for a call that others may wait for too and that lives as long as any of them.
    private init(sharing exchange: RunningExchange, _ listener: Emit?) {
        planned = exchange.planned
        self.listener = listener
        id = exchange.id
        start = exchange.start
        depth = exchange.depth
        state = Mutex(State(attempts: exchange.attempts))
        sharer = exchange
    }

    func forSharedCall(_ listener: Emit? = nil) -> RunningExchange {
        RunningExchange(sharing: self, listener)
    }

    /// nil without a pipeline.
    var hooks: HookRunner? { planned.pipeline.map { HookRunner(self, $0) } }

    /// Prepares the request, and asks the cache and the server.
    func run(_ plan: CachePlan) async {
        do throws(ApusError) {
            var prepared = try await prepared(plan)
            if let onHeld = planned.onHeld {
                onHeld(try await peek(&prepared, in: .memoryAndDisk))
            }
            if prepared.cachePolicy.semantics == .http {
                let cache = HTTPCache(self, prepared.cachePolicy)
                try await follow(plan.source, &prepared, cache)
            } else {
                try await follow(plan.source, &prepared, KeyedCache(exchange: self))
            }
        } catch {
            await end(with: error)
        }
    }

    /// The request as the plugins prepare it.
    func prepared(_ plan: CachePlan) async throws(ApusError) -> PreparedExchange {
        guard let hooks else {
            var endpoint = try Endpoint(planned.target, defaults: planned.headerFields)
            try planned.modify(&endpoint.request)
            return PreparedExchange(endpoint, plan, planned.cache)
        }
        // Read once, so that the body and the key are made from the same task.
        let task = try await hooks.adapt(planned.target.task)
        let endpoint = try Endpoint(planned.target, task: task, defaults: planned.headerFields)
        var prepared = PreparedExchange(endpoint, plan, planned.cache)
        try await prepared.prepare(with: hooks)
        return prepared
    }

    // MARK: What has happened

    func emit(_ event: @autoclosure () -> ExchangeEvent) { listener?(event()) }

    /// Receives events; does nothing if there is no listener.
    var tell: Emit { listener ?? { _ in } }

    /// Reports the transfer's progress to the listener; nil if there is none.
    var progress: (@Sendable (TransferProgress) -> Void)? {
        guard let listener else { return nil }
        return { listener(.progress($0)) }
    }

    /// The time since the call.
    var elapsed: Duration { start.map { .now - $0 } ?? .zero }

    /// Whether a response was delivered.
    var hasResponse: Bool { state.withLock { $0.lastResponse != nil } }
    /// The number of times a request was sent.
    var attempts: Int { state.withLock(\.attempts) }
    /// The children that have ended.
    var children: [ChildExchange] { state.withLock(\.children) }
    /// The request as it was last prepared or sent.
    var request: PreparedRequest? { state.withLock(\.request) }

    /// Records the request that the plugins prepared.
    func note(_ request: PreparedRequest) { state.withLock { $0.request = request } }

    /// Adds the outcome of a call that others may have waited for too.
    func note(_ outcome: ServerCall.Outcome, sharedBy: Int) {
        state.withLock { state in
            state.attempts += outcome.attempts
            state.sharedBy = max(state.sharedBy, sharedBy)
            state.children += outcome.children
        }
    }

    /// Adds the children of work that others waited for too.
    func note(_ children: [ChildExchange]) { state.withLock { $0.children += children } }

    /// Counts an attempt and reports it.
    func willSend(_ request: PreparedRequest) {
        let attempt = state.withLock { state in
            state.request = request
            state.attempts += 1
            return state.attempts
        }
        emit(.willSend(request, attempt: attempt))
    }

    func deliver(_ response: Response) {
        state.withLock { state in
            state.responseCount += 1
            state.lastResponse = response
        }
        emit(.response(response))
    }

    /// Reports a failure of the server after a response was delivered, which remains valid.
    func noteServerFailure(_ error: ApusError) {
        state.withLock { $0.lastResponse?.serverFailure = error }
        emit(.serverFailed(error))
    }

    /// The last response delivered, or why there is none.
    var result: Result<Response, ApusError> {
        state.withLock { state in
            if let failure = state.failure { return .failure(failure) }
            // Cannot happen: every path through an exchange delivers a response or throws.
            guard let last = state.lastResponse else { return .failure(ApusError(.cancelled)) }
            return .success(last)
        }
    }

    /// How the exchange ended, with its own result or the one given.
    func summary(of result: Result<Response, ApusError>? = nil) -> ExchangeSummary {
        let result = result ?? self.result
        return state.withLock { state in
            ExchangeSummary(
                result: result,
                responseCount: state.responseCount,
                attempts: state.attempts,
                duration: elapsed,
                sharedBy: state.sharedBy,
                children: state.children
            )
        }
    }

    /// The exchange of the caller that this one runs for.
    private var root: RunningExchange { (sharer ?? planned.parent)?.root ?? self }

    /// Reads or changes the values that the hooks of this exchange, and of all exchanges of the same call, share.
    func withValues<R: Sendable>(_ body: (inout [ObjectIdentifier: any Sendable]) -> R) -> R {
        root.values.withLock { body(&$0) }
    }

    /// The context for hooks, with the number of the next attempt or of the last one.
    func context(beforeSending: Bool) -> ExchangeContext {
        let attempts = attempts
        return ExchangeContext(self, attempt: beforeSending ? attempts + 1 : max(1, attempts))
    }
}

extension RunningExchange {
    /// Passes a result to the plugins, which may replace it.
    ///
    /// - Returns: nil if the result is final; the pause before the next attempt if a plugin wants a retry.
    func process(_ result: inout Result<Response, ApusError>) async -> Duration? {
        guard let hooks else { return nil }
        let (hasResponse, retries) = state.withLock { ($0.lastResponse != nil, $0.retries) }
        let processed = await hooks.process(
            result,
            hasResponse: hasResponse,
            mayRetry: retries < hooks.pipeline.limits.retries
        )
        switch processed {
        case .result(let replaced):
            result = replaced
            state.withLock { $0.isSettled = true }
            return nil
        case .retry(let pause):
            state.withLock { state in
                state.retries += 1
                state.isSettled = false
            }
            return pause
        }
    }

    /// Passes a cached response to the plugins and to the caller's reader.
    ///
    /// - Returns: The response to deliver; nil if a plugin rejected it or it cannot be read.
    func accept(_ cached: Response) async -> Response? {
        var result = Result<Response, ApusError>.success(cached)
        guard await process(&result) == nil else { return nil }
        if let reader = planned.reader, case .success(let response) = result,
            let fault = await reader.fault(in: response)
        {
            result = .failure(fault)
        }
        return state.withLock { [result] state in
            state.isSettled = false
            switch result {
            case .success(let response): return response
            case .failure(let error):
                state.refusal = error
                return nil
            }
        }
    }

    /// The failure with which a plugin rejected the cached response, or why it cannot be read; nil if there
    /// is none.
    ///
    /// It does not pass through the hooks again.
    func takeRefusal() -> ApusError? {
        state.withLock { state in
            if state.refusal != nil { state.isSettled = true }
            return state.refusal
        }
    }

    /// Ends the exchange with a failure, unless a plugin turns it into a response.
    private func end(with error: ApusError) async {
        var result = Result<Response, ApusError>.failure(error)
        let isSettled = state.withLock { state in
            // No retries: there may be no request to repeat.
            state.retries = .max
            return state.isSettled
        }
        if !isSettled { _ = await process(&result) }
        switch result {
        case .success(let response): deliver(response)
        case .failure(let error): state.withLock { $0.failure = error }
        }
    }
}

// MARK: Calls that outlive the exchange

extension RunningExchange {
    /// Counts a shared call, which uses this exchange's ID: the exchange's end is reported to plugins only
    /// after the call has ended.
    func beginSharedCall() {
        state.withLock { $0.sharedCalls += 1 }
    }

    /// Ends a shared call.
    ///
    /// - Returns: The exchange's summary if it has ended and that was not reported to the plugins yet.
    func endSharedCall() -> ExchangeSummary? {
        state.withLock { state in
            state.sharedCalls -= 1
            return state.sharedCalls == 0 ? state.lateSummary.take() : nil
        }
    }

    /// Keeps the summary if a shared call still runs.
    ///
    /// - Returns: Whether the shared call will report the end to the plugins later.
    func isEndTold(later summary: ExchangeSummary) -> Bool {
        state.withLock { state in
            guard state.sharedCalls > 0 else { return false }
            state.lateSummary = summary
            return true
        }
    }

    /// Sends a request that outlives this exchange and its events.
    ///
    /// For plugins it is a separate exchange, so that each one that starts also ends.
    func sendBehind(_ request: PreparedRequest) async throws(ApusError) -> Response {
        let own = RunningExchange(try child(planned.target, from: .server), nil)
        let result = await ServerCall(exchange: own, validation: .none).send(request)
        own.endChildren()
        await own.hooks?.didFinish(own.summary(of: result))
        return try result.get()
    }
}

// MARK: Exchanges that hooks send

extension RunningExchange {
    func child(
        _ target: any TargetType,
        from source: DataSource
    ) throws(ApusError) -> PlannedExchange {
        guard depth < Self.maximumDepth else {
            throw ApusError(
                .hookFailed(
                    plugin: "children",
                    detail: "exchanges sent by hooks are nested more than \(Self.maximumDepth) deep"
                )
            )
        }
        var child = planned
        child.target = target
        child.plan = CachePlan(source: source)
        child.reader = nil
        child.modifier = nil
        child.isStreaming = false
        child.parent = self
        return child
    }

    /// Sends a child and waits for its result.
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
            state.children.append(ChildExchange(target: child.target.unwrapped, summary: summary))
        }
        return try summary.result.get()
    }

    /// Cancels all running children and lets no more start.
    func endChildren() {
        let running = state.withLock { state in
            state.isEnded = true
            return Array(state.running.values)
        }
        for task in running { task.cancel() }
    }

    /// Reports a child's progress to the listener; nil if there is none.
    private var progressOfChild: Emit? {
        guard let listener else { return nil }
        return { event in if case .progress = event { listener(event) } }
    }

    /// Starts a child; nil if the exchange has ended.
    private func begin(_ child: PlannedExchange) -> (Int, Task<ExchangeSummary, Never>)? {
        state.withLock { state in
            guard !state.isEnded else { return nil }
            let task = Task { [progressOfChild] in await child.run(progressOfChild) }
            let index = state.nextChild
            state.nextChild += 1
            state.running[index] = task
            return (index, task)
        }
    }
}
