extension Exchange {
    /// Asks the cache and the server, as the data source says.
    ///
    /// - Throws: what ends the exchange.
    func follow(
        _ source: DataSource,
        _ stage: inout PreparedExchange,
        _ course: inout ExchangeCourse
    ) async throws(ApusError) {
        switch source {
        case .server:
            try await askServer(&stage, &course)
        case .cache:
            let lookup = await lookUp(&stage, &course)
            if case .miss(let key, let reason) = lookup {
                throw missed(key, reason, stage, &course)
            }
        case .cacheIfPossible:
            if case .miss = await lookUp(&stage, &course) { try await askServer(&stage, &course) }
        case .cacheAndServer:
            _ = await lookUp(&stage, &course)
            try await askServer(&stage, &course)
        case .cacheThenRefresh:
            if case .hit = await lookUp(&stage, &course) {
                try await askServer(&stage, &course, isUnseen: true)
            } else {
                try await askServer(&stage, &course)
            }
        case .cacheOnFirstUse:
            await stage.readFilesForKey()
            if cache.isFirstUse(stage.key) {
                _ = await lookUp(&stage, &course)
            } else {
                course.emit(.lookedUp(.miss(stage.key, .notFirstUse)))
            }
            try await askServer(&stage, &course)
        case .custom(let rule):
            try await follow(rule, &stage, &course)
        }
    }

    private func follow(
        _ rule: any DataSourceRule,
        _ stage: inout PreparedExchange,
        _ course: inout ExchangeCourse
    ) async throws(ApusError) {
        var cached: Response?
        let lookup = await lookUp(&stage, &course)
        if case .hit(let response) = lookup { cached = response }
        if rule.shouldSendRequest(target, cached: cached) {
            try await askServer(&stage, &course) { [cached] fresh in
                rule.shouldUpdateCache(target, cached: cached, fresh: fresh)
            }
        } else if case .miss(let key, let reason) = lookup {
            throw missed(key, reason, stage, &course)
        }
    }

    /// What ends an exchange that asks the cache only: the failure that a plugin
    /// made of the cached answer, if one did.
    func missed(
        _ key: CacheKey,
        _ reason: CacheMissReason,
        _ stage: PreparedExchange,
        _ course: inout ExchangeCourse
    ) -> ApusError {
        guard let refusal = course.refusal else {
            return ApusError(.cacheMiss(key, reason), request: stage.request.line)
        }
        course.settle()
        return refusal
    }

    /// Asks the cache and delivers its answer.
    ///
    /// - Returns: a miss also for an answer that a plugin refused.
    private func lookUp(
        _ stage: inout PreparedExchange,
        _ course: inout ExchangeCourse
    ) async -> CacheLookup {
        await stage.readFilesForKey()
        let lookup = await cache.lookup(stage.key, policy: stage.cachePolicy, for: stage.request)
        course.emit(.lookedUp(lookup))
        guard case .hit(let response) = lookup else { return lookup }
        guard course.hooks != nil else {
            course.deliver(response)
            return lookup
        }
        guard let processed = await course.accept(response) else {
            return .miss(stage.key, .refused)
        }
        course.deliver(processed)
        return .hit(processed)
    }

    /// Asks the server, delivers its answer (unless it is `isUnseen`) and stores it.
    private func askServer(
        _ stage: inout PreparedExchange,
        _ course: inout ExchangeCourse,
        isUnseen: Bool = false,
        updating shouldUpdate: (Response) -> Bool = { _ in true }
    ) async throws(ApusError) {
        let call = ServerCall(exchange: self, validation: stage.validation)
        var answer = await call.send(stage.request, &course)
        var result = answer
        while course.hooks != nil, case .retry(let pause) = await course.process(&result) {
            try await course.hooks?.pause(for: pause)
            try await prepare(&stage, course)
            answer = await call.send(stage.request, &course)
            result = answer
        }
        switch result {
        case .success(let response):
            if !isUnseen { course.deliver(response) }
            let outcome = await store(try? answer.get(), &stage, shouldUpdate)
            course.emit(.storage(outcome))
        case .failure(let error):
            guard course.hasAnswer, error.reason != .cancelled else { throw error }
            course.emit(.serverFailed(error))
        }
    }

    /// Stores what the server said; nil if it said nothing that can be kept.
    private func store(
        _ response: Response?,
        _ stage: inout PreparedExchange,
        _ isWanted: (Response) -> Bool
    ) async -> CacheStoreOutcome {
        guard stage.cachePolicy.storage != nil else { return .notStored(.policyNone) }
        guard let response, response.source == .server else { return .notStored(.notFromServer) }
        guard isWanted(response) else { return .notStored(.rule) }
        if stage.cachePolicy.separatesAccounts,
            RequestAccount.isUnknown(response.request, keyedAs: stage.request)
        {
            return .notStored(.unknownAccount)
        }
        await stage.readFilesForKey()
        return await cache.keep(response, key: stage.key, policy: stage.cachePolicy)
    }
}
