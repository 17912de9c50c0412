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

    let target: any TargetType
    let plan: CachePlan
    let transport: any Transport
    let cache: ResponseCache
    /// Nil in a provider that has no plugins, interceptors, stubs, and shares nothing.
    let pipeline: Pipeline?
    /// Revalidations of HTTP caching that nobody waits for.
    let revalidations: HTTPRevalidations
    /// The exchange that this one was sent for.
    var parent: ExchangeScope?

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
            var stage: ExchangeStage
            if let hooks = course.hooks {
                // Asked for once, so that the body and the key are made of the same.
                let task = try await hooks.adapt(target.task)
                stage = ExchangeStage(try Endpoint(target, task: task), plan, cache)
                try await stage.prepare(with: hooks)
            } else {
                stage = ExchangeStage(try Endpoint(target), plan, cache)
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
        _ stage: inout ExchangeStage,
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
            target: MultiTarget.unwrapped(target),
            plan: CachePlan(source: source),
            transport: transport,
            cache: cache,
            pipeline: pipeline,
            revalidations: revalidations,
            parent: parent
        )
    }
}
