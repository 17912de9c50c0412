import HTTPTypes

/// The cache of an exchange, as its policy has it.
protocol ExchangeCache: Sendable {
    /// Whether `answer` chooses between what is stored and the server.
    ///
    /// A reused answer then passes the hooks as a fresh one. Else what a plugin refuses of it is
    /// a miss, and the server is asked.
    var decidesReuse: Bool { get }

    /// What is stored for the request.
    func stored(_ prepared: inout PreparedExchange) async throws(ApusError) -> CacheLookup

    /// The answer to the request, asked for in a mode; what may not be stored is said by a rule.
    func answer(
        _ mode: CacheMode,
        _ prepared: PreparedExchange,
        storing shouldStore: @escaping @Sendable (Response) -> Bool
    ) async -> Result<Response, ApusError>

    /// Stores an answer that was delivered; nil if `answer` has done that, or has told of it.
    func store(
        _ response: Response?,
        _ prepared: inout PreparedExchange,
        where isWanted: (Response) -> Bool
    ) async -> CacheStoreOutcome?
}

/// How a cache is asked for an answer.
enum CacheMode: Sendable, Hashable {
    /// The origin is asked as the caller wrote it; what is stored does not count.
    case reload
    /// What RFC 9111 allows is reused, else the origin is asked.
    case reuse
    /// What may be served without asking; never the origin.
    case onlyIfCached
    /// What there is, however old; never the origin.
    case stored
    /// The origin is asked whether what is stored is still the current version.
    case validate
}

/// Answers kept under a key for a time (`CachePolicy.keep`).
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

    /// The server's answer: without validators there is nothing to reuse.
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
    /// The private cache of an exchange.
    init(_ exchange: RunningExchange, _ policy: CachePolicy) {
        // Which statuses are an answer is asked of what the cache makes of it.
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

    /// A 304 to a condition of the caller's own is what the caller asked for.
    private func check(_ response: Response, _ prepared: PreparedExchange) throws(ApusError) {
        let fields = prepared.request.head.headerFields
        let isConditional = fields.contains(.ifNoneMatch) || fields.contains(.ifModifiedSince)
        if response.status == 304, isConditional { return }
        try prepared.validation.check(response)
    }
}
