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
