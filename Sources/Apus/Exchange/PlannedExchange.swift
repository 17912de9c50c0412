// A key is made only when it is needed, because hashing costs more than the rest of a request that does not
// use the cache. Without plugins, interceptors, stubs and sharing, an exchange goes straight to the
// transport; without a cache, `response(for:)` makes no exchange at all (`AnyProvider.directResponse`).

import HTTPTypes

/// An exchange before it runs: its target, and where responses come from and are kept.
///
/// ```
/// PlannedExchange    target ─▶ plan ─▶ adapt ─▶ endpoint
///                                                  │
/// PreparedExchange                  prepare ─▶ request ─▶ key          again for each retry
///                                                  │
/// RunningExchange             data source decides ─┼─ ExchangeCache ─▶ .lookedUp ──┐
///                                                  └─ ServerCall ──────────────────┤
///                   ServerCall: .willSend ─▶ .progress … ─▶ validate               │
///                                didReceive ─▶ process ─▶ .response ─▶ .storage ◀──┘
/// ```
struct PlannedExchange: Sendable {
    /// The target as given, with its wrappers; hooks and rules see the target inside.
    var target: any TargetType
    var plan: CachePlan
    /// The provider's header fields; those of the target replace them.
    let headerFields: HTTPFields
    /// The provider's envelope, for targets without one.
    let envelope: ResponseEnvelope?
    /// The last change to this call's request; nil if there is none.
    var modifier: RequestModifier?
    let transport: any Transport
    let cache: ResponseCache
    /// nil if the provider has no plugins, interceptors or stubs and does not share calls.
    let pipeline: Pipeline?
    /// Revalidations of the HTTP cache that run in the background.
    let revalidations: BackgroundTasks
    /// Reads the caller's values from responses; nil if the caller takes responses as they are.
    var reader: (any ResponseReader)?
    /// The exchange that sent this one; nil if a caller did.
    var parent: RunningExchange?
    /// Whether the caller reads the body while it arrives.
    var isStreaming = false
    /// Receives what the cache holds, however old, before anything else happens; nil if nobody wants it.
    var onHeld: (@Sendable (Response?) -> Void)?

    /// Runs the exchange to its end.
    ///
    /// All events except the terminal one go to `listener`, if there is one.
    func run(_ listener: RunningExchange.Emit?) async -> ExchangeSummary {
        let exchange = RunningExchange(self, listener)
        guard let hooks = exchange.hooks else {
            await exchange.run(plan)
            return exchange.summary()
        }
        return await withTaskCancellationHandler {
            await exchange.run(hooks.plan(plan))
            exchange.endChildren()
            let summary = exchange.summary()
            if !exchange.isEndTold(later: summary) { await hooks.didFinish(summary) }
            return summary
        } onCancel: {
            exchange.endChildren()
        }
    }

    /// Sends the exchange's own requests.
    var carrier: any Transport {
        isStreaming ? StreamingTransport(base: transport) : transport
    }

    /// Applies the caller's change to a request.
    func modify(_ request: inout PreparedRequest) throws(ApusError) {
        guard let modifier else { return }
        do {
            try modifier(&request)
        } catch {
            throw ApusError(hookFault: error, of: "modifying")
        }
    }

    /// Runs the exchange for a caller that needs only the last response.
    func result() async -> Result<Response, ApusError> {
        guard pipeline == nil else { return await run(nil).result }
        let exchange = RunningExchange(self, nil, isTimed: false)
        await exchange.run(plan)
        return exchange.result
    }
}

extension PlannedExchange {
    /// Returns the response that the cache holds in memory, on disk or either, however old.
    ///
    /// This does not count as a use, and nothing is sent.
    func peek(in storage: CachePolicy.Storage) async throws(ApusError) -> Response? {
        try await previewing { exchange, plan throws(ApusError) in
            var prepared = try await exchange.prepared(plan)
            return try await exchange.peek(&prepared, in: storage)
        }
    }

    /// Returns the request as the plugins prepare it; nothing is sent.
    func preparedRequest() async throws(ApusError) -> PreparedRequest {
        try await previewing { exchange, plan throws(ApusError) in
            try await exchange.prepared(plan).request
        }
    }

    /// Does something that sends and delivers nothing, and reports its end to the plugins.
    private func previewing<Value>(
        _ work: (RunningExchange, CachePlan) async throws(ApusError) -> Value
    ) async throws(ApusError) -> Value {
        let exchange = RunningExchange(self, nil, isTimed: false)
        do throws(ApusError) {
            let value = try await work(exchange, exchange.hooks?.plan(plan) ?? plan)
            exchange.endChildren()
            await exchange.hooks?.didPreview(nil)
            return value
        } catch {
            exchange.endChildren()
            await exchange.hooks?.didPreview(error)
            throw error
        }
    }
}

extension RunningExchange {
    /// Returns the response that the cache holds for a prepared request, which does not count as a use.
    func peek(
        _ prepared: inout PreparedExchange,
        in storage: CachePolicy.Storage
    ) async throws(ApusError) -> Response? {
        await prepared.readFilesForKey()
        guard !Task.isCancelled else {
            throw ApusError(.cancelled, request: prepared.request.line)
        }
        return await planned.cache.peek(
            prepared.key,
            policy: prepared.cachePolicy,
            for: prepared.request,
            in: storage
        )
    }
}

/// Changes a request, or throws to reject it.
typealias RequestModifier = @Sendable (inout PreparedRequest) throws -> Void

/// Where an exchange gets its responses and where it keeps them.
public struct CachePlan: Sendable {
    /// Where responses come from.
    public var source: DataSource
    /// Where they are kept; nil for the target's own policy.
    public var policy: CachePolicy?

    /// Makes a plan.
    public init(source: DataSource = .server, policy: CachePolicy? = nil) {
        self.source = source
        self.policy = policy
    }
}

/// The request of an exchange as prepared by the plugins, with its validation and cache policy.
struct PreparedExchange {
    /// Which statuses are accepted.
    let validation: Validation
    /// Where responses are kept.
    let cachePolicy: CachePolicy
    private let cache: ResponseCache
    private var knownKey: CacheKey?

    /// The target's own request; nil until the plugins have prepared it.
    private var original: PreparedRequest?

    /// The request as prepared by the plugins.
    private(set) var request: PreparedRequest

    init(_ endpoint: Endpoint, _ plan: CachePlan, _ cache: ResponseCache) {
        validation = endpoint.validation
        cachePolicy = cache.possible(plan.policy ?? endpoint.cachePolicy)
        self.cache = cache
        request = endpoint.request
    }

    /// Lets the plugins prepare the target's own request.
    mutating func prepare(with hooks: HookRunner) async throws(ApusError) {
        let original = original ?? request
        self.original = original
        request = try await hooks.prepare(original)
        knownKey = nil
    }

    /// The request's cache key.
    ///
    /// Made on first use, because hashing costs more than the rest of a request that does not use the cache.
    var key: CacheKey {
        mutating get {
            if let knownKey { return knownKey }
            let key = cache.key(for: request, policy: cachePolicy)
            knownKey = key
            return key
        }
    }

    /// Makes the key in advance if a file must be read for it.
    mutating func readFilesForKey() async {
        guard request.body.hasFile, knownKey == nil else { return }
        knownKey = await cache.keyReadingFiles(for: request, policy: cachePolicy)
    }
}
