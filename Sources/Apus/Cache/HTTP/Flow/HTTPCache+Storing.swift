import FoundationEssentials
import HTTPTypes
import Synchronization

extension HTTPCache {
    /// Applies an origin response to the cache: invalidates, updates and stores (RFC 9111, 3, 4.3.5 and 4.4).
    func keep(_ answer: OriginResponse, _ request: PreparedRequest) async {
        // A stub or a recording says nothing about the origin.
        guard answer.response.source == .server else {
            return tell(.storage(.notStored(.notFromServer)))
        }
        // Before storing, because the response to an unsafe request may be stored itself.
        var answer = answer
        invalidate(&answer, request)
        if request.head.method == .head, !request.hasContent { await updateByHead(answer, request) }
        guard let deferred else { return await storeNow(answer, request) }
        deferred.add { [self, answer] in await storeNow(answer, request) }
    }

    private func storeNow(_ answer: OriginResponse, _ request: PreparedRequest) async {
        tell(.storage(await store(answer, request)))
        await cache.disk.catchUp()
    }

    private func invalidate(_ answer: inout OriginResponse, _ request: PreparedRequest) {
        let plan = rules(for: request).invalidation(by: answer.response.head, to: request.head)
        guard plan.isInvalidating else { return }
        tell(.decided(plan.decision))
        // Uses the key that a lookup would make, because Foundation may change the URL.
        let own = cache.key(for: request, policy: policy)
        for other in plan.others.flatMap({ $0.requests(like: request.head) }) {
            let key = cache.httpKey(for: other, policy: policy)
            if key != own {
                _ = cache.invalidate(key, after: answer.mark)
                cache.removeShared([key], request, policy)
            }
        }
        answer.mark = cache.invalidate(own, after: answer.mark)
        cache.removeShared([own], request, policy)
    }

    private func updateByHead(_ answer: OriginResponse, _ request: PreparedRequest) async {
        let variants = await variants(for: request)
        let plan = rules(for: request).headUpdate(
            of: variants.map(\.head),
            by: answer.response.head,
            to: request.head,
            requestTime: answer.requestTime,
            responseTime: answer.responseTime
        )
        guard !plan.updates.isEmpty else { return }
        tell(.decided(plan.decision))
        let updated = plan.updates.compactMap { head in
            variants.first { $0.head.id == head.id }.map { variant in
                var entry = variant.entry
                entry.update(head.hidingSecrets(of: request))
                return entry
            }
        }
        cache.update(updated)
    }

    private func store(
        _ answer: OriginResponse,
        _ request: PreparedRequest
    ) async -> CacheStoreOutcome {
        let response = answer.response
        guard policy.storage != nil else { return .notStored(.policyNone) }
        guard request.destination == nil else { return .notStored(.downloaded) }
        if let reason = answer.reasonNotToKeep { return .notStored(reason) }
        let asked = answer.varyingHead(request.head)
        var varying = request
        varying.head = asked
        let plan = rules(for: request).storing(
            response.head,
            to: asked,
            hasContent: request.hasContent,
            hasCredentials: policy.hasCredentials(varying),
            length: response.body.count,
            isComplete: response.isSurelyWhole,
            requestTime: answer.requestTime,
            responseTime: answer.responseTime
        )
        tell(.decided(plan.decision))
        guard var head = plan.stored else {
            if plan.removesOlder { removeOlder(request) }
            return .notStored(.http(plan.decision.rule))
        }
        // The account may be in the body of the POST, which the key of a GET does not include.
        if policy.accounts != .none, request.head.method == .post, request.bodyHoldsSecret {
            return .notStored(.unknownAccount)
        }
        head = head.hidingSecrets(of: varying)
        guard shouldStore(response) else { return .notStored(.rule) }
        guard policy.shouldStore?(response) ?? true else { return .notStored(.predicate) }
        guard head.isWhole else { return await putPart(answer, head, request) }
        let rules = rules(for: request)
        let (outcome, entry) = put(response, head, request, answer.mark) { heads in
            rules.superseded(by: asked, among: heads)
        }
        if case .stored = outcome, let entry {
            cache.shareVariant(entry, of: varying, policy, rules)
        }
        return outcome
    }

    /// Shares a response that the origin has confirmed, with its new times.
    func shareConfirmed(
        _ served: ServedResponse,
        _ variants: [CachedVariant],
        _ response: Response,
        _ request: PreparedRequest
    ) {
        guard served.body == .whole, request.head.method == .get,
            var entry = variants.first(where: { $0.head.id == served.id })?.entry
        else { return }
        entry.body = response.body
        cache.shareVariant(entry, of: request, policy, rules(for: request))
    }

    /// Stores a part, combined with a stored one if they overlap or touch.
    private func putPart(
        _ answer: OriginResponse,
        _ head: StoredHead,
        _ request: PreparedRequest
    ) async -> CacheStoreOutcome {
        var response = answer.response
        guard Self.hasAllBytes(head, response.body) else { return .notStored(.incomplete) }
        let variants = await variants(for: request)
        let combined = await combined(response, head, request, variants)
        let (part, body) = combined ?? (head.wholeIfComplete, response.body)
        response.body = body
        return put(response, part, request, answer.mark) { [rules = rules(for: request)] heads in
            rules.superseded(byPart: part, to: request.head, among: heads)
        }.outcome
    }

    private static func hasAllBytes(_ head: StoredHead, _ body: ResponseBody) -> Bool {
        if case .part(let range) = head.content { range.bytes.count == body.count } else { true }
    }

    /// Combines a part with a stored one that it overlaps or touches; nil if there is none.
    private func combined(
        _ response: Response,
        _ head: StoredHead,
        _ request: PreparedRequest,
        _ variants: [CachedVariant]
    ) async -> (StoredHead, ResponseBody)? {
        guard
            let plan = rules(for: request).combination(
                of: head,
                with: variants.map(\.head),
                for: request.head
            ),
            let base = variants.first(where: { $0.head.id == plan.base }),
            let used = await cache.use(base, for: request, policy: policy),
            case .bytes(let old) = used.entry.body, case .bytes(let new) = response.body,
            let bytes = plan.body(old, new)
        else { return nil }
        return (plan.head, .bytes(bytes))
    }

    /// Combines a stored part and a response to the whole; nil if bytes are missing.
    func whole(
        _ answer: OriginResponse,
        _ completion: PartCompletion,
        _ request: PreparedRequest,
        _ variants: [CachedVariant]
    ) async -> Response? {
        guard answer.response.source == .server, answer.response.isSurelyWhole,
            let text = answer.response.head.headerFields[.contentRange],
            let range = ContentRange(text),
            answer.response.head.headerFields[.contentEncoding] == nil
        else { return nil }
        let part = StoredHead(
            id: 0,
            response: StorableFields.response(
                answer.response.head,
                receivedAt: answer.responseTime
            ),
            content: .part(range),
            requestTime: answer.requestTime,
            responseTime: answer.responseTime
        )
        let base = variants.filter { $0.head.id == completion.part }
        guard Self.hasAllBytes(part, answer.response.body),
            let (head, body) = await combined(answer.response, part, request, base), head.isWhole
        else { return nil }
        var response = answer.response
        response.head = head.response
        response.body = body
        await keep(answer.with(response), request)
        return response
    }

    /// Also stores a confirmed response for this request's fields (RFC 9111, 4.1).
    func keepVariant(
        _ head: StoredHead?,
        _ response: Response,
        _ request: PreparedRequest,
        _ mark: InvalidationLog.Mark
    ) async {
        guard let head, request.head.method == .get, response.status != 304 else { return }
        _ = put(response, head.hidingSecrets(of: request), request, mark) {
            [rules = rules(for: request)] heads in
            rules.superseded(by: request.head, among: heads)
        }
    }

    private func put(
        _ response: Response,
        _ head: StoredHead,
        _ request: PreparedRequest,
        _ mark: InvalidationLog.Mark,
        inPlaceOf superseded: @escaping @Sendable ([StoredHead]) -> [Int]
    ) -> (outcome: CacheStoreOutcome, entry: StoredResponse?) {
        let now = cache.now
        guard let life = EntryLifetime(storedAt: now, policy) else {
            return (.notStored(.expired), nil)
        }
        let primary = cache.key(for: request, policy: policy)
        let account = policy.account(of: request)
        let key = primary.variant(
            .random(in: .min ... .max),
            selecting: head.selecting,
            way: RequestRoute(request),
            account: account,
            mask: request.mask
        )
        var entry = StoredResponse(
            response,
            key: key,
            life: life,
            http: HTTPEntry(primary: primary.name, account: account, head)
        )
        entry.head = head.response
        let outcome = cache.store(entry, policy: policy, after: mark) { heads in
            let old = superseded(heads)
            let isOutdated = heads.contains {
                old.contains($0.id) && $0.isNewer(than: head, at: now)
            }
            return isOutdated ? nil : old
        }
        return (outcome, entry)
    }

    private func removeOlder(_ request: PreparedRequest) {
        cache.removeVariants(
            of: cache.key(for: request, policy: policy),
            account: policy.account(of: request),
            { [rules = rules(for: request)] heads in
                rules.superseded(by: request.head, among: heads)
            }
        )
    }
}

/// Stores that wait until the caller has read its response, which shows whether it is readable.
final class DeferredStores: Sendable {
    private let stores = Mutex<[@Sendable () async -> Void]>([])

    func add(_ store: @escaping @Sendable () async -> Void) { stores.withLock { $0.append(store) } }

    /// Performs the stores, in order.
    func run() async {
        let all = stores.withLock { stores in
            defer { stores = [] }
            return stores
        }
        for store in all { await store() }
    }

    func removeAll() { stores.withLock { $0 = [] } }
}
