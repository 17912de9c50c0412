// A key is made only when it is needed: hashing costs more than the rest of a request that neither
// reads nor fills the cache. Without plugins, interceptors, stubs and sharing an exchange goes
// straight to the transport, and `response(for:)` without a cache makes no exchange at all
// (`Provider.directResponse`).

import HTTPTypes

/// One exchange before it runs: what is asked for, and where answers come from and are kept.
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
    /// The target as it was given, wrappers and all; hooks and rules are told of what is inside.
    var target: any TargetType
    var plan: CachePlan
    /// The provider's own, which a target's take the place of.
    let headerFields: HTTPFields
    /// What changes the request of this call last; nil for nothing.
    var modifier: RequestModifier?
    let transport: any Transport
    let cache: ResponseCache
    /// Nil in a provider that has no plugins, interceptors, stubs, and shares nothing.
    let pipeline: Pipeline?
    /// Revalidations of HTTP caching that nobody waits for.
    let revalidations: BackgroundTasks
    /// What its caller reads in its answers; nil if they are the caller's as they are.
    var reader: (any AnswerReader)?
    /// The exchange that this one was sent for.
    var parent: RunningExchange?

    /// Runs to the end.
    ///
    /// All events but the terminal one go to `listener`, if there is one.
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

    /// Changes a request as the caller of this exchange wants it.
    func modify(_ request: inout PreparedRequest) throws(ApusError) {
        guard let modifier else { return }
        do {
            try modifier(&request)
        } catch {
            throw ApusError(hookFault: error, of: "modifying")
        }
    }

    /// Runs to the end, for who wants the last answer and nothing else.
    func result() async -> Result<Response, ApusError> {
        guard pipeline == nil else { return await run(nil).result }
        let exchange = RunningExchange(self, nil, isTimed: false)
        await exchange.run(plan)
        return exchange.result
    }
}

extension PlannedExchange {
    /// What the cache holds in these places, however old; it counts as no use, and nothing is sent.
    func peek(in storage: CachePolicy.Storage) async throws(ApusError) -> Response? {
        let exchange = RunningExchange(self, nil, isTimed: false)
        var found: Response?
        let result: Result<Response, ApusError>
        do throws(ApusError) {
            var prepared = try await exchange.prepared(exchange.hooks?.plan(plan) ?? plan)
            await prepared.readFilesForKey()
            guard !Task.isCancelled else {
                throw ApusError(.cancelled, request: prepared.request.line)
            }
            let key = prepared.key
            found = await cache.peek(
                key,
                policy: prepared.cachePolicy,
                for: prepared.request,
                in: storage
            )
            result =
                found.map(Result.success)
                ?? .failure(ApusError(.cacheMiss(key, .notFound), request: prepared.request.line))
        } catch {
            result = .failure(error)
        }
        await exchange.endUnsent(with: result)
        if case .failure(let error) = result, case .cacheMiss = error.reason { return nil }
        _ = try result.get()
        return found
    }

    /// The request as plugins prepare it; nothing is sent.
    func preparedRequest() async throws(ApusError) -> PreparedRequest {
        let exchange = RunningExchange(self, nil, isTimed: false)
        let request: PreparedRequest
        do throws(ApusError) {
            request = try await exchange.prepared(exchange.hooks?.plan(plan) ?? plan).request
        } catch {
            await exchange.endUnsent(with: .failure(error))
            throw error
        }
        await exchange.endUnsent(with: .failure(ApusError(.cancelled, request: request.line)))
        return request
    }
}

extension RunningExchange {
    /// Tells plugins of the end: what they have begun for an exchange they end.
    fileprivate func endUnsent(with result: Result<Response, ApusError>) async {
        endChildren()
        await hooks?.didFinish(summary(of: result))
    }
}

/// Changes a request, or refuses it.
typealias RequestModifier = @Sendable (inout PreparedRequest) throws -> Void

/// Where an exchange takes its answers from, and where it keeps them.
public struct CachePlan: Sendable {
    /// Where answers come from.
    public var source: DataSource
    /// Where they are kept; nil for what the target says.
    public var policy: CachePolicy?

    /// Makes a plan.
    public init(source: DataSource = .server, policy: CachePolicy? = nil) {
        self.source = source
        self.policy = policy
    }
}

/// What is asked for: the target's request, as the plugins made it.
struct PreparedExchange {
    /// Which statuses are an answer.
    let validation: Validation
    /// Where answers are kept.
    let cachePolicy: CachePolicy
    private let cache: ResponseCache
    private var knownKey: CacheKey?

    /// The target's own request, once plugins have made another one of it.
    private var original: PreparedRequest?

    /// What is asked for, as the plugins made it.
    private(set) var request: PreparedRequest

    init(_ endpoint: Endpoint, _ plan: CachePlan, _ cache: ResponseCache) {
        validation = endpoint.validation
        cachePolicy = plan.policy ?? endpoint.cachePolicy
        self.cache = cache
        request = endpoint.request
    }

    /// Lets the plugins make their request out of the target's own.
    mutating func prepare(with hooks: HookRun) async throws(ApusError) {
        let original = original ?? request
        self.original = original
        request = try await hooks.prepare(original)
        knownKey = nil
    }

    /// The request's key.
    ///
    /// Made when it is first asked for: hashing costs more than the rest of a
    /// request that neither reads nor fills the cache.
    var key: CacheKey {
        mutating get {
            if let knownKey { return knownKey }
            let key = cache.key(for: request, policy: cachePolicy)
            knownKey = key
            return key
        }
    }

    /// Makes the key beforehand if a file has to be read for it.
    mutating func readFilesForKey() async {
        guard request.body.hasFile, knownKey == nil else { return }
        knownKey = await cache.keyReadingFiles(for: request, policy: cachePolicy)
    }
}
