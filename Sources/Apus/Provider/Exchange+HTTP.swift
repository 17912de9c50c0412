import HTTPTypes
import Synchronization

/// An exchange under `CachePolicy.http`: the data source says how the private
/// cache is asked (the table at `HTTPAsking`), and the cache asks the server.
extension Exchange {
    func followHTTP(
        _ source: DataSource,
        _ endpoint: Endpoint,
        _ course: inout ExchangeCourse
    ) async throws(ApusError) {
        let attempts = Mutex(0)
        let flow = httpFlow(endpoint, course.emit) { attempts.withLock { $0 += 1; return $0 } }
        defer { course.attempts = attempts.withLock { $0 } }
        switch source {
        case .server: try await deliver(.reload, flow, endpoint, &course)
        case .cache: try await deliver(.onlyIfCached, flow, endpoint, &course)
        case .cacheIfPossible: try await deliver(.reuse, flow, endpoint, &course)
        case .cacheAndServer:
            _ = try await deliverStored(flow, endpoint, &course)
            try await deliverValidated(flow, endpoint, &course)
        case .cacheThenRefresh:
            let cached = try await deliverStored(flow, endpoint, &course)
            try await deliverValidated(flow, endpoint, &course, isUnseen: cached != nil)
        case .cacheOnFirstUse:
            let key = cache.key(for: endpoint.request, policy: endpoint.cachePolicy)
            if cache.isFirstUse(key) {
                _ = try await deliverStored(flow, endpoint, &course)
            } else {
                course.emit(.lookedUp(.miss(key, .notFirstUse)))
            }
            try await deliverValidated(flow, endpoint, &course)
        case .custom(let rule):
            let cached = try await deliverStored(flow, endpoint, &course)
            guard rule.shouldSendRequest(target, cached: cached) else {
                guard cached == nil else { return }
                let key = cache.key(for: endpoint.request, policy: endpoint.cachePolicy)
                throw ApusError(.cacheMiss(key, .notFound), request: endpoint.request.line)
            }
            var asking = flow
            asking.shouldStore = { [target] fresh in
                rule.shouldUpdateCache(target, cached: cached, fresh: fresh)
            }
            try await deliverValidated(asking, endpoint, &course)
        }
    }

    private func httpFlow(
        _ endpoint: Endpoint,
        _ emit: @escaping Emit,
        _ nextAttempt: @escaping @Sendable () -> Int
    ) -> HTTPCacheFlow {
        HTTPCacheFlow(
            cache: cache,
            policy: endpoint.cachePolicy,
            revalidations: revalidations,
            origin: { [transport] request throws(ApusError) in
                emit(.willSend(request, attempt: nextAttempt()))
                return try await transport.send(request) { emit(.progress($0)) }
            },
            decided: { emit(.decided($0)) },
            stored: { emit(.storage($0)) }
        )
    }

    /// Delivers the one answer of an exchange.
    private func deliver(
        _ asking: HTTPAsking,
        _ flow: HTTPCacheFlow,
        _ endpoint: Endpoint,
        _ course: inout ExchangeCourse
    ) async throws(ApusError) {
        let response: Response
        do throws(ApusError) {
            response = try await flow.answer(endpoint.request, asking)
        } catch {
            if case .cacheMiss(let key, let reason) = error.reason {
                course.emit(.lookedUp(.miss(key, reason)))
            }
            throw error
        }
        if response.source.cacheHit != nil { course.emit(.lookedUp(.hit(response))) }
        try checkHTTP(response, endpoint)
        course.deliver(response)
    }

    /// Delivers what is stored, however old; nil if nothing is.
    private func deliverStored(
        _ flow: HTTPCacheFlow,
        _ endpoint: Endpoint,
        _ course: inout ExchangeCourse
    ) async throws(ApusError) -> Response? {
        let response: Response
        do throws(ApusError) {
            response = try await flow.answer(endpoint.request, .stored)
        } catch {
            guard case .cacheMiss(let key, let reason) = error.reason else { throw error }
            course.emit(.lookedUp(.miss(key, reason)))
            return nil
        }
        course.emit(.lookedUp(.hit(response)))
        course.deliver(response)
        return response
    }

    /// Delivers what the server says, or has confirmed; its failure stands beside an answer
    /// that was delivered before.
    private func deliverValidated(
        _ flow: HTTPCacheFlow,
        _ endpoint: Endpoint,
        _ course: inout ExchangeCourse,
        isUnseen: Bool = false
    ) async throws(ApusError) {
        do throws(ApusError) {
            let response = try await flow.answer(endpoint.request, .validate)
            try checkHTTP(response, endpoint)
            if !isUnseen { course.deliver(response) }
        } catch {
            guard course.hasAnswer, error.reason != .cancelled else { throw error }
            course.emit(.serverFailed(error))
        }
    }

    /// A 304 to a condition of the caller's own is what the caller asked for.
    private func checkHTTP(_ response: Response, _ endpoint: Endpoint) throws(ApusError) {
        let fields = endpoint.request.head.headerFields
        let isConditional = fields.contains(.ifNoneMatch) || fields.contains(.ifModifiedSince)
        if response.status == 304, isConditional { return }
        try check(response, against: endpoint.validation)
    }
}
