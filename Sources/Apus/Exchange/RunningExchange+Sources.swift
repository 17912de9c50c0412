extension RunningExchange {
    /// Asks the cache and the server, as the data source says (the tables at `DataSource`).
    ///
    /// - Throws: what ends the exchange.
    func follow(
        _ source: DataSource,
        _ prepared: inout PreparedExchange,
        _ cache: some ExchangeCache
    ) async throws(ApusError) {
        switch source {
        case .server: try await answer(.reload, &prepared, cache)
        case .cache where cache.decidesReuse:
            try await answer(.onlyIfCached, &prepared, cache)
        case .cache:
            if case .miss(let key, let reason) = try await stored(&prepared, cache) {
                throw missed(key, reason, prepared)
            }
        case .cacheIfPossible where cache.decidesReuse:
            try await answer(.reuse, &prepared, cache)
        case .cacheIfPossible:
            if case .miss = try await stored(&prepared, cache) {
                try await answer(.validate, &prepared, cache)
            }
        case .cacheAndServer:
            _ = try await stored(&prepared, cache)
            try await answer(.validate, &prepared, cache)
        case .cacheThenRefresh:
            let cached = try await stored(&prepared, cache).response
            try await answer(.validate, &prepared, cache, isUnseen: cached != nil)
        case .cacheOnFirstUse:
            await prepared.readFilesForKey()
            if planned.cache.isFirstUse(prepared.key) {
                _ = try await stored(&prepared, cache)
            } else {
                emit(.lookedUp(.miss(prepared.key, .notFirstUse)))
            }
            try await answer(.validate, &prepared, cache)
        case .custom(let rule):
            try await follow(rule, &prepared, cache)
        }
    }

    private func follow(
        _ rule: any DataSourceRule,
        _ prepared: inout PreparedExchange,
        _ cache: some ExchangeCache
    ) async throws(ApusError) {
        let target = planned.target.unwrapped
        let lookup = try await stored(&prepared, cache)
        let cached = lookup.response
        guard rule.shouldSendRequest(target, cached: cached) else {
            guard case .miss(let key, let reason) = lookup else { return }
            throw missed(key, reason, prepared)
        }
        try await answer(.validate, &prepared, cache) { fresh in
            rule.shouldUpdateCache(target, cached: cached, fresh: fresh)
        }
    }

    /// What ends an exchange that asks the cache only: the failure that a plugin
    /// made of the cached answer, if one did, or why that cannot be read.
    private func missed(
        _ key: CacheKey,
        _ reason: CacheMissReason,
        _ prepared: PreparedExchange
    ) -> ApusError {
        takeRefusal() ?? ApusError(.cacheMiss(key, reason), request: prepared.request.line)
    }

    /// Delivers what is stored.
    ///
    /// - Returns: a miss also for an answer that a plugin refused, or that cannot be read.
    private func stored(
        _ prepared: inout PreparedExchange,
        _ cache: some ExchangeCache
    ) async throws(ApusError) -> CacheLookup {
        let lookup = try await cache.stored(&prepared)
        emit(.lookedUp(lookup))
        guard case .hit(let response) = lookup else { return lookup }
        // Asked here: each call that waits costs a switch of executors.
        guard planned.pipeline != nil || planned.reader != nil else {
            deliver(response)
            return lookup
        }
        guard let accepted = await accept(response) else { return .miss(prepared.key, .refused) }
        deliver(accepted)
        return .hit(accepted)
    }

    /// Delivers the answer that the cache gets or gives (unless it is `isUnseen`) and stores it;
    /// a failure stands beside an answer that was delivered before.
    private func answer(
        _ mode: CacheMode,
        _ prepared: inout PreparedExchange,
        _ cache: some ExchangeCache,
        isUnseen: Bool = false,
        storing shouldStore: @escaping @Sendable (Response) -> Bool = { _ in true }
    ) async throws(ApusError) {
        var answer = await cache.answer(mode, prepared, storing: shouldStore)
        var result = answer
        while let hooks, let pause = await process(&result) {
            try await hooks.pause(for: pause)
            try await prepared.prepare(with: hooks)
            answer = await cache.answer(mode, prepared, storing: shouldStore)
            result = answer
        }
        switch result {
        case .success(let response):
            let isReadable = await isReadable(response, prepared)
            if !isReadable, mode == .reuse || mode == .validate, response.isFromCache,
                cache.decidesReuse
            {
                // Neither reused nor validated is it of any use.
                return try await self.answer(
                    .reload,
                    &prepared,
                    cache,
                    isUnseen: isUnseen,
                    storing: shouldStore
                )
            }
            if !isUnseen { deliver(response) }
            guard isReadable || prepared.cachePolicy.shouldStore != nil else {
                return emit(.storage(.notStored(.unreadable)))
            }
            // What the server said, not what plugins made of it; nil if it said nothing.
            let outcome = await cache.store(try? answer.get(), &prepared, where: shouldStore)
            if let outcome { emit(.storage(outcome)) }
        case .failure(let error):
            guard hasAnswer, error.reason != .cancelled else { throw error }
            noteServerFailure(error)
        }
    }

    /// Whether the caller can read an answer; that of others does not matter here.
    private func isReadable(_ response: Response, _ prepared: PreparedExchange) async -> Bool {
        guard let reader = planned.reader, prepared.cachePolicy.storage != nil else { return true }
        return await reader.fault(in: response) == nil
    }
}

extension CacheLookup {
    fileprivate var response: Response? {
        if case .hit(let response) = self { response } else { nil }
    }
}
