import FoundationEssentials
package import HTTPTypes

/// An HTTP cache in front of an origin whose responses may be passed on while they arrive.
package final class CachingGateway: Sendable {
    private let cache: ResponseCache
    private let policy: CachePolicy
    private let transport: any Transport
    private let revalidations: BackgroundTasks

    /// Makes a private cache in memory; `transport` sends the revalidations in the background.
    package init(_ cache: ResponseCache, transport: any Transport) {
        self.cache = cache
        self.transport = transport
        policy = .http(in: .memory)
        revalidations = BackgroundTasks(
            limit: transport.backgroundLimit,
            timeLimit: .seconds(30)
        )
    }

    /// Answers a request, from the cache where RFC 9111 allows it.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - origin: asks the origin; the cache may have made the request conditional. If `isDelivered` is true
    ///     for a head, that response will be delivered and may be passed on before `origin` returns. The body
    ///     of any other error response is not needed.
    /// - Returns: the response, whatever its status.
    /// - Throws: the error of `origin`, unless a stale response may stand in.
    package func answer(
        _ request: PreparedRequest,
        origin:
            @escaping @Sendable (
                PreparedRequest, _ isDelivered: (HTTPResponse) -> Bool
            ) async throws(ApusError) -> Response
    ) async throws(ApusError) -> Response {
        let transport = transport
        var flow = HTTPCache(
            cache: cache,
            policy: policy,
            revalidations: revalidations,
            origin: origin,
            originBehind: { request, _ throws(ApusError) in
                try await transport.send(request, progress: nil)
            },
            tell: { _ in },
            // A stored response that sets a cookie would set it for the next client.
            shouldStore: { !$0.head.headerFields.contains(.setCookie) }
        )
        return try await flow.answer(request, .reuse)
    }
}

/// The flow of a request through the cache to the origin and back.
///
/// ```
/// request ─▶ heads of all that is stored ─▶ rules.reuse
///     response ◀── stored body                  │
///     response ◀── stored body, and revalidate ─┤
///     504    ◀────────────────────────────────┤
///                        validate / fetch ◀───┘
///                              │
///     origin ─▶ 304: update stored, answer from it
///            ─▶ failure: stale stands in, if allowed
///            ─▶ else: invalidate, update by HEAD, store, deliver
/// ```
/// Redirects are followed here, so that each hop goes through the cache.
struct HTTPCache: Sendable {
    /// Sends a request to the origin.
    ///
    /// If `isDelivered` is true for a head, the caller gets that response whatever its body is.
    typealias Origin =
        @Sendable (
            PreparedRequest, _ isDelivered: (HTTPResponse) -> Bool
        ) async throws(ApusError) -> Response

    let cache: ResponseCache
    /// Where responses are stored, and under which keys.
    let policy: CachePolicy
    let revalidations: BackgroundTasks
    var origin: Origin
    /// Sends a revalidation in the background.
    var originBehind: Origin
    /// Called in order with each decision and with the storage outcome of each origin response.
    let tell: RunningExchange.Emit
    /// An additional condition for storing the response to the last hop.
    var shouldStore: @Sendable (Response) -> Bool = { _ in true }
    /// Collects what is stored only after the caller has read the response; nil to store at once.
    var deferred: DeferredStores?
    /// Whether the requested value can be read from a response as stored; nil if none is requested.
    var canRead: (@Sendable (Response) -> Bool)?
    /// Where stored responses are searched.
    var storage = CachePolicy.Storage.memoryAndDisk
    /// Whether serving an entry counts as a use.
    var isUse = true
    /// The time that the origin has taken so far, over all redirects.
    var timeTaken = Duration.zero

    /// Answers a request, following redirects as its options say.
    ///
    /// - Throws: `ApusError`: the origin's failure, `tooManyRedirects`, or `cacheMiss` if `asking` rules out
    ///   the origin.
    mutating func answer(
        _ request: PreparedRequest,
        _ asking: CacheMode
    ) async throws(ApusError) -> Response {
        var follower = RedirectFollower(request)
        while true {
            let response: Response
            do throws(ApusError) {
                response = try await hop(follower.next, asking)
            } catch {
                throw follower.failure(error)
            }
            guard try follower.follow(response) else { return follower.finished(response) }
        }
    }

    /// Answers one request, whatever the status.
    private mutating func hop(
        _ request: PreparedRequest,
        _ asking: CacheMode
    ) async throws(ApusError) -> Response {
        guard let jar = request.options.shared?.value.activeJar else {
            return try await ruledHop(request, asking)
        }
        return try await hop(request, asking, with: jar)
    }

    /// Answers a request that has the fields that the rules must see.
    mutating func ruledHop(
        _ request: PreparedRequest,
        _ asking: CacheMode
    ) async throws(ApusError) -> Response {
        // A body that goes to a file of the caller's is not stored.
        guard request.destination == nil, asking != .reload else {
            return try await fetch(request, standIn: nil, nil)
        }
        let stored = await cache.stored(for: request, policy: policy, in: storage)
        var variants = stored.variants
        if asking == .stored { return try await anyStored(request, variants) }
        var plan = reuse(
            of: variants,
            by: rules(for: request),
            request,
            asking,
            stored.otherAccounts
        )
        if !plan.isAnswered, asking != .validate, storage == .memoryAndDisk, isUse {
            await askShared(&plan, &variants, request, asking)
        }
        tell(.decided(plan.decision))
        return try await follow(plan, request, variants, asking)
    }

    private func reuse(
        of variants: [CachedVariant],
        by rules: HTTPCacheRules,
        _ request: PreparedRequest,
        _ asking: CacheMode,
        _ otherAccounts: CacheFinding? = nil
    ) -> ReusePlan {
        rules.reuse(
            of: variants.map(\.head),
            for: request.head,
            at: cache.now,
            hasContent: request.hasContent,
            isAsking: asking == .validate,
            isOffline: asking == .onlyIfCached,
            otherAccounts: otherAccounts
        )
    }

    /// Plans again with what the shared store has, by the rules of a cache that many use; changes nothing but
    /// the findings if it has nothing of use.
    private func askShared(
        _ plan: inout ReusePlan,
        _ variants: inout [CachedVariant],
        _ request: PreparedRequest,
        _ asking: CacheMode
    ) async {
        let rules = rules(for: request)
        guard
            let shared = await cache.sharedVariants(for: request, policy: policy, rules)
        else { return }
        defer { plan.decision.findings.append(shared.finding) }
        guard !shared.variants.isEmpty else { return }
        let sharedPlan = reuse(of: shared.variants, by: rules.asShared, request, asking)
        if sharedPlan.isAnswered {
            (plan, variants) = (sharedPlan, shared.variants)
        } else {
            // What is stale may be validated.
            let ids = Set(shared.variants.map(\.head.id))
            variants = variants.filter { !ids.contains($0.head.id) } + shared.variants
            plan = reuse(of: variants, by: rules, request, asking)
        }
    }

    private mutating func follow(
        _ plan: ReusePlan,
        _ request: PreparedRequest,
        _ variants: [CachedVariant],
        _ asking: CacheMode
    ) async throws(ApusError) -> Response {
        switch plan.action {
        case .answer(let answer):
            if let response = await response(answer, variants, request, plan.decision) {
                return response
            }
            guard asking != .onlyIfCached else { throw miss(request, .notFound) }
            return try await fetch(request, standIn: nil, nil)
        case .answerAndRevalidate(let answer, let validation):
            guard let response = await response(answer, variants, request, plan.decision) else {
                return try await fetch(request, standIn: nil, nil)
            }
            revalidate(request, validation, variants, behind: response)
            return response
        case .validate(let conditional):
            return try await validate(conditional, request, variants)
        case .complete(let completion):
            return try await complete(completion, request, variants, plan.decision)
        case .fetch:
            let standIn = variants.first { $0.head.id == plan.selected }
            return try await fetch(request, standIn: standIn, plan.decision)
        case .gatewayTimeout:
            guard asking != .onlyIfCached else {
                throw miss(request, missReason(plan.decision))
            }
            return gatewayTimeout(request, plan.decision)
        }
    }

    private func anyStored(
        _ request: PreparedRequest,
        _ variants: [CachedVariant]
    ) async throws(ApusError) -> Response {
        guard !request.hasContent,
            let (answer, decision) = rules(for: request).stored(
                of: variants.map(\.head),
                for: request.head,
                at: cache.now
            ),
            let response = await response(answer, variants, request, decision)
        else { throw miss(request, .notFound) }
        tell(.decided(decision))
        return response
    }

    /// The rules, which mask the request's secrets in their decisions.
    func rules(for request: PreparedRequest) -> HTTPCacheRules {
        HTTPCacheRules(mask: request.mask, options: policy.httpOptions)
    }

    /// The responses stored for a request's URL and account.
    func variants(for request: PreparedRequest) async -> [CachedVariant] {
        await cache.stored(for: request, policy: policy, in: storage).variants
    }

    private func miss(_ request: PreparedRequest, _ reason: CacheMissReason) -> ApusError {
        let key = cache.key(for: request, policy: policy)
        return ApusError(.cacheMiss(key, reason), request: request.line)
    }

    /// The reason of a miss: the first rule against using what is stored.
    private func missReason(_ decision: CacheDecision) -> CacheMissReason {
        for finding in decision.findings {
            guard case .considered(let rule, holds: true) = finding else { continue }
            if rule == .onlyIfCached || rule == .nothingStored { break }
            return .mustAsk(rule)
        }
        return .notFound
    }
}
