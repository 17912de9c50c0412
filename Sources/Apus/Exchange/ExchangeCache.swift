import HTTPTypes

/// An exchange under `CachePolicy.http`: the data source says how the private
/// cache is asked (the table at `CacheMode`), and the cache asks the server.
extension Exchange {
    /// Asks the private cache, as the data source says.
    ///
    /// - Throws: what ends the exchange.
    func followHTTP(
        _ source: DataSource,
        _ stage: inout PreparedExchange,
        _ course: inout ExchangeCourse
    ) async throws(ApusError) {
        switch source {
        case .server: try await answerHTTP(.reload, &stage, &course)
        case .cache: try await answerHTTP(.onlyIfCached, &stage, &course)
        case .cacheIfPossible: try await answerHTTP(.reuse, &stage, &course)
        case .cacheAndServer:
            _ = try await storedHTTP(&stage, &course)
            try await answerHTTP(.validate, &stage, &course)
        case .cacheThenRefresh:
            let cached = try await storedHTTP(&stage, &course)
            try await answerHTTP(.validate, &stage, &course, isUnseen: cached != nil)
        case .cacheOnFirstUse:
            if cache.isFirstUse(stage.key) {
                _ = try await storedHTTP(&stage, &course)
            } else {
                course.emit(.lookedUp(.miss(stage.key, .notFirstUse)))
            }
            try await answerHTTP(.validate, &stage, &course)
        case .custom(let rule):
            try await followHTTP(rule, &stage, &course)
        }
    }

    private func followHTTP(
        _ rule: any DataSourceRule,
        _ stage: inout PreparedExchange,
        _ course: inout ExchangeCourse
    ) async throws(ApusError) {
        let cached = try await storedHTTP(&stage, &course)
        guard rule.shouldSendRequest(target, cached: cached) else {
            guard cached == nil else { return }
            throw missed(stage.key, .notFound, stage, &course)
        }
        try await answerHTTP(.validate, &stage, &course) { [target] fresh in
            rule.shouldUpdateCache(target, cached: cached, fresh: fresh)
        }
    }

    /// Delivers what is stored, however old; nil if nothing is, or a plugin refused it.
    private func storedHTTP(
        _ stage: inout PreparedExchange,
        _ course: inout ExchangeCourse
    ) async throws(ApusError) -> Response? {
        let response: Response
        do throws(ApusError) {
            response = try await httpFlow(stage, course).answer(stage.request, .stored)
        } catch {
            guard case .cacheMiss(let key, let reason) = error.reason else { throw error }
            course.emit(.lookedUp(.miss(key, reason)))
            return nil
        }
        course.emit(.lookedUp(.hit(response)))
        guard let accepted = await course.accept(response) else { return nil }
        course.deliver(accepted)
        return accepted
    }

    /// Delivers the answer that the cache gives or gets; a failure stands beside an answer
    /// that was delivered before.
    private func answerHTTP(
        _ asking: CacheMode,
        _ stage: inout PreparedExchange,
        _ course: inout ExchangeCourse,
        isUnseen: Bool = false,
        storing shouldStore: @escaping @Sendable (Response) -> Bool = { _ in true }
    ) async throws(ApusError) {
        var result = await httpResult(asking, stage, &course, shouldStore)
        while course.hooks != nil, case .retry(let pause) = await course.process(&result) {
            try await course.hooks?.pause(for: pause)
            try await prepare(&stage, course)
            result = await httpResult(asking, stage, &course, shouldStore)
        }
        switch result {
        case .success(let response):
            if !isUnseen { course.deliver(response) }
        case .failure(let error):
            guard course.hasAnswer, error.reason != .cancelled else { throw error }
            course.emit(.serverFailed(error))
        }
    }

    private func httpResult(
        _ asking: CacheMode,
        _ stage: PreparedExchange,
        _ course: inout ExchangeCourse,
        _ shouldStore: @escaping @Sendable (Response) -> Bool
    ) async -> Result<Response, ApusError> {
        let cost = CallCost()
        var flow = httpFlow(stage, course, cost)
        flow.shouldStore = shouldStore
        defer { course.note(attempts: cost.attempts, sharedBy: cost.sharedBy) }
        do throws(ApusError) {
            let response = try await flow.answer(stage.request, asking)
            if response.source.cacheHit != nil { course.emit(.lookedUp(.hit(response))) }
            try checkHTTP(response, stage)
            return .success(response)
        } catch {
            if case .cacheMiss(let key, let reason) = error.reason {
                course.emit(.lookedUp(.miss(key, reason)))
            }
            return .failure(error)
        }
    }

    private func httpFlow(
        _ stage: PreparedExchange,
        _ course: ExchangeCourse,
        _ cost: CallCost = CallCost()
    ) -> HTTPCache {
        let emit = course.tell
        return HTTPCache(
            cache: cache,
            policy: stage.cachePolicy,
            revalidations: revalidations,
            origin: origin(course.hooks, emit, cost),
            decided: { emit(.decided($0)) },
            stored: { emit(.storage($0)) },
            originBehind: originBehind(course.hooks)
        )
    }

    /// Sends a request through the interceptors; which statuses are an answer is asked of
    /// what the cache makes of it.
    private func origin(
        _ hooks: HookRun?,
        _ emit: @escaping Emit,
        _ cost: CallCost
    ) -> HTTPCache.Origin {
        guard let hooks else {
            return { [transport] request throws(ApusError) in
                emit(.willSend(request, attempt: cost.countAttempt()))
                return try await transport.carry(request) { emit(.progress($0)) }
            }
        }
        let call = ServerCall(exchange: self, validation: .none)
        return { request throws(ApusError) in
            let (outcome, sharedBy) = await call.send(request, hooks, emit)
            cost.note(attempts: outcome.attempts, sharedBy: sharedBy)
            return try outcome.result.get()
        }
    }

    /// Sends a request that outlives this exchange, whose events have ended by then.
    ///
    /// For plugins it is an exchange of its own, so that each that begins also ends.
    private func originBehind(_ hooks: HookRun?) -> HTTPCache.Origin {
        guard let scope = hooks?.scope else { return origin(nil, { _ in }, CallCost()) }
        let call = ServerCall(exchange: self, validation: .none)
        return { request throws(ApusError) in
            let child = call.exchange.child(target, from: .server, parent: scope)
            let own = ExchangeScope(child, scope.pipeline, start: .now)
            let (outcome, sharedBy) = await call.send(request, HookRun(own), { _ in })
            own.end()
            await HookRun(own).didFinish(
                ExchangeSummary(
                    result: outcome.result,
                    responseCount: 0,
                    attempts: outcome.attempts,
                    duration: ContinuousClock.now - own.start,
                    sharedBy: sharedBy,
                    children: outcome.children
                )
            )
            return try outcome.result.get()
        }
    }

    /// A 304 to a condition of the caller's own is what the caller asked for.
    private func checkHTTP(_ response: Response, _ stage: PreparedExchange) throws(ApusError) {
        let fields = stage.request.head.headerFields
        let isConditional = fields.contains(.ifNoneMatch) || fields.contains(.ifModifiedSince)
        if response.status == 304, isConditional { return }
        try stage.validation.check(response)
    }
}
