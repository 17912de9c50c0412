extension RunningExchange {
    /// Asks the cache and the server in the order of the data source (see the tables at `DataSource`).
    ///
    /// - Throws: The error that ends the exchange.
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

    /// The error of an exchange that asks only the cache: the failure with which a plugin rejected the
    /// cached response, or why it cannot be read, or else the miss.
    private func missed(
        _ key: CacheKey,
        _ reason: CacheMissReason,
        _ prepared: PreparedExchange
    ) -> ApusError {
        takeRefusal() ?? ApusError(.cacheMiss(key, reason), request: prepared.request.line)
    }

    /// Delivers the stored response.
    ///
    /// - Returns: The lookup; also a miss if a plugin rejected the response or it cannot be read.
    private func stored(
        _ prepared: inout PreparedExchange,
        _ cache: some ExchangeCache
    ) async throws(ApusError) -> CacheLookup {
        let lookup = try await cache.stored(&prepared)
        emit(.lookedUp(lookup))
        guard case .hit(let response) = lookup else { return lookup }
        // Checked here, because each asynchronous call costs an executor switch.
        guard planned.pipeline != nil || planned.reader != nil else {
            deliver(response)
            return lookup
        }
        guard let accepted = await accept(response) else { return .miss(prepared.key, .refused) }
        deliver(accepted)
        return .hit(accepted)
    }

    /// Delivers the response that the cache returns (unless it is `isUnseen`) and stores it; a failure is
    /// only noted if a response was delivered before.
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
                // The caller cannot read the cached response, so validating it is useless.
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
            // The server's own response, not the one changed by plugins; nil if there is none.
            let outcome = await cache.store(try? answer.get(), &prepared, where: shouldStore)
            if let outcome { emit(.storage(outcome)) }
        case .failure(let error):
            guard hasResponse, error.reason != .cancelled else { throw error }
            noteServerFailure(error)
        }
    }

    /// Whether the caller can read the response; always true if it may not be stored.
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
