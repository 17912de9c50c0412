import HTTPTypes

/// One exchange, from target to terminal event.
///
/// ```
/// target ─▶ endpoint ─▶ key ─▶ data source decides
///                                ├─ cache ──▶ .lookedUp ─▶ .response(cached)
///                                └─ server ─▶ .willSend ─▶ .progress … ─▶ validate
///                                             ─▶ .response(fresh) ─▶ .storage
/// ```
struct Exchange: Sendable {
    typealias Emit = @Sendable (ExchangeEvent) -> Void

    let target: any TargetType
    let source: DataSource
    let transport: any Transport
    let cache: ResponseCache
    let revalidations: HTTPRevalidations

    /// Runs to the end.
    ///
    /// All events but the terminal one go through `emit`.
    func run(_ emit: @escaping Emit) async -> ExchangeSummary {
        let start = ContinuousClock.now
        var course = ExchangeCourse(emit: emit)
        do throws(ApusError) {
            let endpoint = try Endpoint(target)
            if endpoint.cachePolicy.semantics == .http {
                try await followHTTP(source, endpoint, &course)
            } else {
                var stage = Stage(endpoint: endpoint, cache: cache)
                try await follow(source, &stage, &course)
            }
        } catch {
            course.fail(error)
        }
        return course.summary(after: .now - start)
    }

    /// What the steps of an exchange share.
    private struct Stage {
        let endpoint: Endpoint
        let cache: ResponseCache
        /// Made when it is first asked for: hashing costs more than the rest of a
        /// request that neither reads nor fills the cache.
        lazy var key = cache.key(for: endpoint.request, policy: endpoint.cachePolicy)
    }

    private func follow(
        _ source: DataSource,
        _ stage: inout Stage,
        _ course: inout ExchangeCourse
    ) async throws(ApusError) {
        switch source {
        case .server:
            try await askServer(&stage, &course)
        case .cache:
            let lookup = await lookUp(&stage, &course)
            if case .miss(let key, let reason) = lookup {
                throw ApusError(.cacheMiss(key, reason), request: stage.endpoint.request.line)
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
        _ stage: inout Stage,
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
            throw ApusError(.cacheMiss(key, reason), request: stage.endpoint.request.line)
        }
    }

    /// Asks the cache and delivers its answer.
    private func lookUp(_ stage: inout Stage, _ course: inout ExchangeCourse) async -> CacheLookup {
        let policy = stage.endpoint.cachePolicy
        let lookup = await cache.lookup(stage.key, policy: policy, for: stage.endpoint.request)
        course.emit(.lookedUp(lookup))
        if case .hit(let response) = lookup { course.deliver(response) }
        return lookup
    }

    /// Asks the server, delivers its answer (unless it is `isUnseen`) and stores it.
    private func askServer(
        _ stage: inout Stage,
        _ course: inout ExchangeCourse,
        isUnseen: Bool = false,
        updating shouldUpdate: (Response) -> Bool = { _ in true }
    ) async throws(ApusError) {
        let request = stage.endpoint.request
        course.willSend(request)
        let emit = course.emit
        let response: Response
        do throws(ApusError) {
            response = try await transport.send(request) { emit(.progress($0)) }
            try check(response, against: stage.endpoint.validation)
        } catch {
            guard course.hasAnswer, error.reason != .cancelled else { throw error }
            course.emit(.serverFailed(error))
            return
        }
        if !isUnseen { course.deliver(response) }
        course.emit(.storage(await store(response, &stage, shouldUpdate(response))))
    }

    func check(_ response: Response, against validation: Validation) throws(ApusError) {
        guard validation.accepts(response.status) else {
            throw ApusError(
                .unacceptableStatus(response.status),
                request: response.request.line,
                response: response
            )
        }
    }

    private func store(
        _ response: Response,
        _ stage: inout Stage,
        _ isWanted: Bool
    ) async -> CacheStoreOutcome {
        guard stage.endpoint.cachePolicy.storage != .none else { return .notStored(.policyNone) }
        guard isWanted else { return .notStored(.rule) }
        guard response.source == .server else { return .notStored(.notFromServer) }
        return await cache.store(response, key: stage.key, policy: stage.endpoint.cachePolicy)
    }
}

extension PreparedRequest {
    /// The method and URL, as far as they may be shown.
    package var line: ApusError.RequestLine {
        ApusError.RequestLine(method: head.method.rawValue, url: url)
    }
}
