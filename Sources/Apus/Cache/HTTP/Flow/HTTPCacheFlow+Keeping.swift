import FoundationEssentials
import HTTPTypes

extension HTTPCacheFlow {
    /// What an answer of the origin's does to what is stored (RFC 9111, 3, 4.3.5 and 4.4).
    func keep(_ answer: OriginAnswer, _ request: PreparedRequest) async {
        // A stub or a recording says nothing about the origin.
        guard answer.response.source == .server else {
            return stored(.notStored(.notFromServer))
        }
        // Before storing: the answer to an unsafe request may be stored itself.
        invalidate(answer, request)
        if request.head.method == .head { await updateByHead(answer, request) }
        stored(await store(answer, request))
    }

    private func invalidate(_ answer: OriginAnswer, _ request: PreparedRequest) {
        let plan = rules.invalidation(by: answer.response.head, to: request.head)
        guard !plan.targets.isEmpty else { return }
        decided(plan.decision)
        for target in plan.targets {
            cache.invalidate(cache.httpKey(for: target.request, policy: policy))
        }
    }

    private func updateByHead(_ answer: OriginAnswer, _ request: PreparedRequest) async {
        let variants = await variants(for: request)
        let plan = rules.headUpdate(
            of: variants.map(\.head),
            by: answer.response.head,
            to: request.head,
            requestTime: answer.requestTime,
            responseTime: answer.responseTime
        )
        guard !plan.updates.isEmpty else { return }
        decided(plan.decision)
        let updated = plan.updates.compactMap { head in
            variants.first { $0.head.id == head.id }.map { variant in
                var entry = variant.entry
                entry.update(head)
                return entry
            }
        }
        cache.update(updated)
    }

    private func store(
        _ answer: OriginAnswer,
        _ request: PreparedRequest
    ) async -> CacheStoreOutcome {
        let response = answer.response
        guard policy.storage != .none else { return .notStored(.policyNone) }
        guard request.destination == nil else { return .notStored(.downloaded) }
        let plan = rules.storing(
            response.head,
            to: request.head,
            length: response.body.count,
            isComplete: response.isComplete,
            requestTime: answer.requestTime,
            responseTime: answer.responseTime
        )
        decided(plan.decision)
        guard let head = plan.stored else {
            if plan.removesOlder { removeOlder(request) }
            return .notStored(.http(plan.decision.rule))
        }
        guard shouldStore(response) else { return .notStored(.rule) }
        guard policy.shouldStore?(response) ?? true else { return .notStored(.predicate) }
        return put(response, head, request, removesOlder: plan.removesOlder)
    }

    /// Keeps a confirmed answer for this request's fields, too (RFC 9111, 4.1).
    func keepVariant(_ head: StoredHead?, _ response: Response, _ request: PreparedRequest) async {
        guard let head, request.head.method == .get, response.status != 304 else { return }
        _ = put(response, head, request, removesOlder: true)
    }

    private func put(
        _ response: Response,
        _ head: StoredHead,
        _ request: PreparedRequest,
        removesOlder: Bool
    ) -> CacheStoreOutcome {
        guard let life = EntryLife(storedAt: cache.now, policy) else { return .notStored(.expired) }
        let primary = cache.key(for: request, policy: policy)
        let account = HTTPEntry.account(of: request.head.headerFields)
        let key = primary.variant(
            .random(in: .min ... .max),
            selecting: head.selecting,
            account: account
        )
        var entry = StoredResponse(
            response,
            key: key,
            life: life,
            http: HTTPEntry(primary: primary.digest, account: account, head)
        )
        entry.head = head.response
        return cache.store(
            entry,
            policy: policy,
            inPlaceOf: superseding(removesOlder ? request : nil)
        )
    }

    private func removeOlder(_ request: PreparedRequest) {
        cache.removeVariants(
            of: cache.key(for: request, policy: policy),
            account: HTTPEntry.account(of: request.head.headerFields),
            superseding(request)
        )
    }

    private func superseding(_ request: PreparedRequest?) -> @Sendable ([StoredHead]) -> [Int] {
        { [rules] heads in
            request.map { rules.superseded(by: $0.head, among: heads) } ?? []
        }
    }
}
