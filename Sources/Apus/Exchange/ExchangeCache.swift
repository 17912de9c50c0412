import HTTPTypes

/// The cache of an exchange, according to its policy.
protocol ExchangeCache: Sendable {
    /// Whether `answer` itself chooses between a stored response and the server.
    ///
    /// If so, a reused response passes through the hooks like a fresh one. If not, a stored response that a
    /// plugin rejects counts as a miss, and the server is asked.
    var decidesReuse: Bool { get }

    /// Looks up the request's stored response.
    func stored(_ prepared: inout PreparedExchange) async throws(ApusError) -> CacheLookup

    /// Gets the response to the request in a mode; responses that `shouldStore` rejects are not stored.
    func answer(
        _ mode: CacheMode,
        _ prepared: PreparedExchange,
        storing shouldStore: @escaping @Sendable (Response) -> Bool
    ) async -> Result<Response, ApusError>

    /// Stores a response that was delivered; nil if `answer` has already stored it or reported the outcome.
    func store(
        _ response: Response?,
        _ prepared: inout PreparedExchange,
        where isWanted: (Response) -> Bool
    ) async -> CacheStoreOutcome?
}

/// How a cache is asked for a response.
enum CacheMode: Sendable, Hashable {
    /// Sends the caller's request to the origin; stored responses are ignored.
    case reload
    /// Reuses a stored response if RFC 9111 allows it; otherwise asks the origin.
    case reuse
    /// Returns a stored response that may be served without validation; never asks the origin.
    case onlyIfCached
    /// Returns any stored response, however old; never asks the origin.
    case stored
    /// Asks the origin whether the stored response is still current.
    case validate
}

/// Responses kept under a key for a limited time (`CachePolicy.keep`).
struct KeyedCache: ExchangeCache {
    let exchange: RunningExchange

    private var cache: ResponseCache { exchange.planned.cache }

    var decidesReuse: Bool { false }

    func stored(_ prepared: inout PreparedExchange) async -> CacheLookup {
        await prepared.readFilesForKey()
        return await cache.lookup(
            prepared.key,
            policy: prepared.cachePolicy,
            for: prepared.request
        )
    }

    /// Always asks the server, because there is nothing to validate.
    func answer(
        _ mode: CacheMode,
        _ prepared: PreparedExchange,
        storing shouldStore: @escaping @Sendable (Response) -> Bool
    ) async -> Result<Response, ApusError> {
        let call = ServerCall(exchange: exchange, validation: prepared.validation)
        return await call.send(prepared.request)
    }

    func store(
        _ response: Response?,
        _ prepared: inout PreparedExchange,
        where isWanted: (Response) -> Bool
    ) async -> CacheStoreOutcome? {
        guard prepared.cachePolicy.storage != nil else { return .notStored(.policyNone) }
        guard let response, response.source == .server else { return .notStored(.notFromServer) }
        guard isWanted(response) else { return .notStored(.rule) }
        if let reason = prepared.cachePolicy.reasonNotToKeep(
            response.request,
            keyedAs: prepared.request
        ) {
            return .notStored(reason)
        }
        await prepared.readFilesForKey()
        return await cache.keep(response, key: prepared.key, policy: prepared.cachePolicy)
    }
}

extension HTTPCache: ExchangeCache {
    init(_ exchange: RunningExchange, _ policy: CachePolicy) {
        // The status is validated later, on the response that the cache returns.
        let call = ServerCall(exchange: exchange, validation: .none)
        self.init(
            cache: exchange.planned.cache,
            policy: policy,
            revalidations: exchange.planned.revalidations,
            origin: { request, _ throws(ApusError) in try await call.send(request).get() },
            originBehind: { request, _ throws(ApusError) in
                try await exchange.sendBehind(request)
            },
            tell: exchange.tell
        )
        guard let reader = exchange.planned.reader, policy.shouldStore == nil else { return }
        deferred = DeferredStores()
        canRead = reader.canRead
    }

    var decidesReuse: Bool { true }

    func stored(_ prepared: inout PreparedExchange) async throws(ApusError) -> CacheLookup {
        var cache = self
        do throws(ApusError) {
            return .hit(try await cache.answer(prepared.request, .stored))
        } catch {
            guard case .cacheMiss(let key, let reason) = error.reason else { throw error }
            return .miss(key, reason)
        }
    }

    func answer(
        _ mode: CacheMode,
        _ prepared: PreparedExchange,
        storing shouldStore: @escaping @Sendable (Response) -> Bool
    ) async -> Result<Response, ApusError> {
        var cache = self
        cache.shouldStore = shouldStore
        deferred?.removeAll()
        do throws(ApusError) {
            let response = try await cache.answer(prepared.request, mode)
            if response.source.cacheHit != nil { tell(.lookedUp(.hit(response))) }
            try check(response, prepared)
            return .success(response)
        } catch {
            await deferred?.run()
            if case .cacheMiss(let key, let reason) = error.reason {
                tell(.lookedUp(.miss(key, reason)))
            }
            return .failure(error)
        }
    }

    func store(
        _ response: Response?,
        _ prepared: inout PreparedExchange,
        where isWanted: (Response) -> Bool
    ) async -> CacheStoreOutcome? {
        await deferred?.run()
        return nil
    }

    /// Validates the response; a 304 to a conditional request of the caller's own is valid.
    private func check(_ response: Response, _ prepared: PreparedExchange) throws(ApusError) {
        let fields = prepared.request.head.headerFields
        let isConditional = fields.contains(.ifNoneMatch) || fields.contains(.ifModifiedSince)
        if response.status == 304, isConditional { return }
        try prepared.validation.check(response)
    }
}
