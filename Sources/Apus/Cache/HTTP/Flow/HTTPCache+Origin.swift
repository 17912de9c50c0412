import FoundationEssentials
import HTTPTypes
import Synchronization

extension HTTPCache {
    /// Sends the caller's request to the origin; `standIn` may be served instead of a failure.
    mutating func fetch(
        _ request: PreparedRequest,
        standIn: CachedVariant?,
        _ decision: CacheDecision?
    ) async throws(ApusError) -> Response {
        let flow = self
        var answer: OriginResponse
        do throws(ApusError) {
            answer = try await ask(request.head, request) {
                !flow.mayStandIn(standIn, for: $0, to: request)
            }
        } catch {
            return try await afterFailure(error, standIn, request)
        }
        let status = answer.response.status
        if HTTPCacheRules.errorStatuses.contains(status), let standIn {
            let plan = rules(for: request).afterFailure(
                .status(status),
                selected: standIn.head,
                for: request.head,
                at: cache.now
            )
            tell(.decided(plan.decision))
            if let stale = plan.answer,
                let response = await response(stale, [standIn], request, plan.decision)
            {
                return response
            }
        }
        answer.response.decision = decision
        await keep(answer, request)
        return answer.response
    }

    /// Validates a stored response, and serves it if it is still current.
    mutating func validate(
        _ conditional: ConditionalRequest,
        _ request: PreparedRequest,
        _ variants: [CachedVariant]
    ) async throws(ApusError) -> Response {
        let standIn = variants.first { $0.head.id == conditional.selected }
        let flow = self
        var answer: OriginResponse
        do throws(ApusError) {
            answer = try await ask(conditional.request, request) {
                $0.status != .notModified && !flow.mayStandIn(standIn, for: $0, to: request)
            }
        } catch {
            return try await afterFailure(error, standIn, request)
        }
        // Reads the entries again, because they may have changed since the request was sent.
        var current = await self.variants(for: request)
        let plan = rules(for: request).validation(
            of: current.map(\.head),
            by: answer.response.head,
            to: conditional,
            requestTime: answer.requestTime,
            responseTime: answer.responseTime
        )
        tell(.decided(plan.decision))
        update(&current, plan, request)
        switch plan.action {
        case .answer(let stored):
            // Loads the body before the entry is removed. A body file is the caller's until it is released.
            let response = await response(stored, current, request, plan.decision)
            cache.remove(current.filter { plan.removals.contains($0.head.id) }.map(\.entry))
            if let response {
                shareConfirmed(stored, current, response, request)
                await keepVariant(plan.newVariant, response, request, answer.mark)
                return response
            }
            return try await fetch(request, standIn: nil, plan.decision)
        case .deliver:
            answer.response.decision = plan.decision
            await keep(answer, request)
            return answer.response
        case .fetchAgain:
            return try await fetch(request, standIn: nil, plan.decision)
        }
    }

    /// Requests the missing bytes of a stored part, and serves the whole.
    mutating func complete(
        _ completion: PartCompletion,
        _ request: PreparedRequest,
        _ variants: [CachedVariant],
        _ decision: CacheDecision
    ) async throws(ApusError) -> Response {
        var asking = request
        // A part of encoded bytes could not be decoded.
        asking.options.decodesContent = false
        // A server may encode unasked. That is not delivered, because this caller expects decoded bytes.
        var answer = try await ask(completion.request, asking) {
            !Self.completing.contains($0.status.code) && $0.headerFields[.contentEncoding] == nil
        }
        answer.response.request = request
        answer.response.decision = decision
        guard Self.completing.contains(answer.response.status) else {
            guard answer.response.head.headerFields[.contentEncoding] == nil else {
                return try await fetch(request, standIn: nil, decision)
            }
            await keep(answer, request)
            return answer.response
        }
        guard let whole = await whole(answer, completion, request, variants) else {
            return try await fetch(request, standIn: nil, decision)
        }
        return whole
    }

    /// The statuses of responses about a part.
    private static let completing = [206, 304, 416]

    /// Whether a stored response may stand in for this one.
    private func mayStandIn(
        _ standIn: CachedVariant?,
        for answer: HTTPResponse,
        to request: PreparedRequest
    ) -> Bool {
        let status = answer.status.code
        guard HTTPCacheRules.errorStatuses.contains(status), let standIn else { return false }
        return rules(for: request).afterFailure(
            .status(status),
            selected: standIn.head,
            for: request.head,
            at: cache.now
        ).answer != nil
    }

    /// Revalidates in the background, after the caller has been served; only the cache gets the response.
    ///
    /// An unreadable response must not replace a readable one. If the caller's response is not readable as
    /// stored, plugins make it readable, so that nothing can be said about either.
    func revalidate(
        _ request: PreparedRequest,
        _ validation: ReusePlan.Validation,
        _ variants: [CachedVariant],
        behind stored: Response
    ) {
        let key = cache.key(for: request, policy: policy).digest
        let account = policy.account(of: request)
        let behind = behind
        revalidations.run("\(key) \(account)") { [canRead] in
            var behind = behind
            if let canRead, canRead(stored) {
                behind.shouldStore = { [shouldStore = behind.shouldStore] in
                    shouldStore($0) && canRead($0)
                }
            }
            // A failure changes nothing; the entry's age decides whether it is served.
            switch validation {
            case .conditional(let conditional):
                _ = try? await behind.validate(conditional, request, variants)
            case .plain:
                _ = try? await behind.fetch(request, standIn: nil, nil)
            }
        }
    }

    /// The flow of a background revalidation.
    private var behind: HTTPCache {
        HTTPCache(
            cache: cache,
            policy: policy,
            revalidations: revalidations,
            origin: originBehind,
            originBehind: originBehind,
            tell: { _ in },
            shouldStore: shouldStore
        )
    }

    /// Sends a request with the remaining time.
    ///
    /// What interceptors do, such as pausing before a retry, does not count; each attempt has all of it.
    private mutating func ask(
        _ head: HTTPRequest,
        _ request: PreparedRequest,
        _ isDelivered: (HTTPResponse) -> Bool
    ) async throws(ApusError) -> OriginResponse {
        var sent = request.asHop
        sent.head = head
        if let limit = request.options.timeout, timeTaken > .zero {
            sent.options.timeout = max(limit - timeTaken, .milliseconds(1))
        }
        let mark = cache.invalidations.withLock { $0.mark }
        let start = cache.now
        let response: Response
        do throws(ApusError) {
            response = try await origin(sent, isDelivered)
        } catch {
            throw error.naming(request.options.timeout, for: sent.options.timeout)
        }
        if response.source == .server { timeTaken += response.metrics?.phases.total ?? .zero }
        var answer = OriginResponse(response, requestTime: start, end: cache.now, mark)
        answer.note(response.request, sent)
        answer.reasonNotToKeep = policy.reasonNotToKeep(response.request, keyedAs: sent)
        answer.response.request = request
        return answer
    }

    private func afterFailure(
        _ error: ApusError,
        _ standIn: CachedVariant?,
        _ request: PreparedRequest
    ) async throws(ApusError) -> Response {
        guard error.isUnreachable, let standIn else { throw error }
        let plan = rules(for: request).afterFailure(
            .unreachable,
            selected: standIn.head,
            for: request.head,
            at: cache.now
        )
        tell(.decided(plan.decision))
        if plan.decision.outcome == .gatewayTimeout {
            var response = gatewayTimeout(request, plan.decision)
            response.serverFailure = error
            return response
        }
        guard let stale = plan.answer,
            let response = await response(stale, [standIn], request, plan.decision)
        else { throw error }
        return response
    }

    private func update(
        _ variants: inout [CachedVariant],
        _ plan: ValidationPlan,
        _ request: PreparedRequest
    ) {
        for head in plan.updates {
            guard let index = variants.firstIndex(where: { $0.head.id == head.id }) else {
                continue
            }
            variants[index].head = head.hidingSecrets(of: request)
            variants[index].entry.update(variants[index].head)
            cache.update([variants[index].entry])
        }
    }
}

extension ApusError {
    /// Whether the origin is unreachable, so that a stale response may stand in (RFC 9111, 4.2.4; RFC 5861,
    /// 4).
    ///
    /// A wrong certificate, a protocol violation or a refusing proxy means that something was reached. It
    /// must not be able to keep an old response alive unnoticed.
    var isUnreachable: Bool {
        switch reason {
        case .nameLookup, .connect, .timeout, .connectionLost: true
        case .proxy(_, let proxy?): proxy.failure != .refused
        default: false
        }
    }

    /// Reports the full time limit if the remaining time has run out.
    fileprivate func naming(_ limit: Duration?, for left: Duration?) -> ApusError {
        guard let limit, case .timeout(let phase, left) = reason else { return self }
        return ApusError(.timeout(phase, limit: limit), request: request, response: response)
    }
}

/// A response from the origin, with the times that its age is computed from.
struct OriginResponse: Sendable {
    var response: Response
    /// When the request was sent.
    let requestTime: Date
    /// When the response's head arrived.
    let responseTime: Date
    /// The fields that interceptors changed, as sent.
    var changedFields = HTTPFields()
    /// Why it must not be stored, if the request sent is not the one that its key covers; nil if it may.
    var reasonNotToKeep: NotStoredReason?
    /// The mark of when the request was sent: the URL may have been invalidated since.
    var mark: InvalidationLog.Mark

    /// `end` is when the last byte arrived; `mark` was taken at `requestTime`.
    init(_ response: Response, requestTime: Date, end: Date, _ mark: InvalidationLog.Mark) {
        self.response = response
        self.requestTime = requestTime
        self.mark = mark
        // Time spent on the body does not make the head younger.
        let phases = response.metrics?.phases
        let body = phases.map { max(.zero, $0.total - $0.firstByte) } ?? .zero
        responseTime = max(requestTime, end.addingTimeInterval(-body.seconds))
    }

    /// A copy with another response and the times of this one.
    func with(_ response: Response) -> OriginResponse {
        var other = self
        other.response = response
        return other
    }

    /// Notes the fields that interceptors changed between `sent`, as the cache passed it on, and `out`.
    mutating func note(_ out: PreparedRequest, _ sent: PreparedRequest) {
        guard out.head.headerFields != sent.head.headerFields else { return }
        let new = Self.values(of: out.head.headerFields)
        let old = Self.values(of: sent.head.headerFields)
        changedFields = out.head.headerFields.filter { new[$0.name] != old[$0.name] }
    }

    private static func values(of fields: HTTPFields) -> [HTTPField.Name: [String]] {
        Dictionary(grouping: fields, by: \.name).mapValues { $0.map(\.value) }
    }

    /// The request's head as sent, which `Vary` is about (RFC 9111, 4.1).
    func varyingHead(_ request: HTTPRequest) -> HTTPRequest {
        var head = request
        let changed = Set(changedFields.map(\.name))
        head.headerFields.removeAll { changed.contains($0.name) }
        head.headerFields.append(contentsOf: changedFields)
        return head
    }
}
