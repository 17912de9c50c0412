// A key is made only when it is needed: hashing costs more than the rest of a request that neither
// reads nor fills the cache. Without plugins, interceptors, stubs and sharing an exchange goes
// straight to the transport, and `response(for:)` without a cache makes no exchange at all
// (`Provider.directResponse`).

import HTTPTypes

/// One exchange, from target to terminal event.
///
/// ```
/// target ─▶ plan ─▶ adapt ─▶ endpoint ─▶ prepare ─▶ key ─▶ data source decides
///                                                          ├─ cache ──▶ .lookedUp ───┐
///                                                          └─ server ─▶ ServerCall ──┤
///                     ServerCall: .willSend ─▶ .progress … ─▶ validate               │
///                                  didReceive ─▶ process ─▶ .response ─▶ .storage ◀──┘
/// ```
struct Exchange: Sendable {
    typealias Emit = @Sendable (ExchangeEvent) -> Void

    /// The target as it was given, wrappers and all: what is sent.
    let givenTarget: any TargetType
    let plan: CachePlan
    let transport: any Transport
    let cache: ResponseCache
    /// Nil in a provider that has no plugins, interceptors, stubs, and shares nothing.
    let pipeline: Pipeline?
    /// Revalidations of HTTP caching that nobody waits for.
    let revalidations: HTTPRevalidations
    /// The exchange that this one was sent for.
    var parent: ExchangeScope?

    /// The target that hooks and rules are told of.
    var target: any TargetType { givenTarget.unwrapped }

    /// Runs to the end.
    ///
    /// All events but the terminal one go to `listener`, if there is one.
    func run(_ listener: Emit?) async -> ExchangeSummary {
        let start = ContinuousClock.now
        guard let pipeline else {
            var course = ExchangeCourse(listener: listener, hooks: nil)
            await run(plan, &course)
            return course.summary(after: .now - start)
        }
        let scope = ExchangeScope(self, pipeline, start: start)
        return await withTaskCancellationHandler {
            var course = ExchangeCourse(listener: listener, hooks: HookRun(scope))
            await run(HookRun(scope).plan(plan), &course)
            scope.end()
            let summary = course.summary(after: .now - start)
            if !scope.isEndTold(later: summary) { await HookRun(scope).didFinish(summary) }
            return summary
        } onCancel: {
            scope.end()
        }
    }

    /// Runs to the end, for who wants the last answer and nothing else.
    func result() async -> Result<Response, ApusError> {
        guard pipeline == nil else { return await run(nil).result }
        var course = ExchangeCourse(listener: nil, hooks: nil)
        await run(plan, &course)
        return course.result
    }

    private func run(_ plan: CachePlan, _ course: inout ExchangeCourse) async {
        do throws(ApusError) {
            var stage: PreparedExchange
            if let hooks = course.hooks {
                // Asked for once, so that the body and the key are made of the same.
                let task = try await hooks.adapt(givenTarget.task)
                stage = PreparedExchange(try Endpoint(givenTarget, task: task), plan, cache)
                try await stage.prepare(with: hooks)
            } else {
                stage = PreparedExchange(try Endpoint(givenTarget), plan, cache)
            }
            if stage.cachePolicy.semantics == .http {
                try await followHTTP(plan.source, &stage, &course)
            } else {
                try await follow(plan.source, &stage, &course)
            }
        } catch {
            await course.end(with: error)
        }
    }

    /// Makes the request out of the endpoint's; again for every attempt that
    /// `process` asks for.
    func prepare(
        _ stage: inout PreparedExchange,
        _ course: ExchangeCourse
    ) async throws(ApusError) {
        if let hooks = course.hooks { try await stage.prepare(with: hooks) }
    }

    func child(
        _ target: any TargetType,
        from source: DataSource,
        parent: ExchangeScope
    ) -> Exchange {
        Exchange(
            givenTarget: target,
            plan: CachePlan(source: source),
            transport: transport,
            cache: cache,
            pipeline: pipeline,
            revalidations: revalidations,
            parent: parent
        )
    }
}

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

/// What the steps of an exchange share.
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
