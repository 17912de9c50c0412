import FoundationEssentials
package import HTTPTypes

/// HTTP's cache in front of what asks the origin itself, and may pass an answer on as it comes.
package final class CachingGateway: Sendable {
    private let cache: ResponseCache
    private let policy: CachePolicy
    private let transport: any Transport
    private let revalidations: BackgroundTasks

    /// A private cache in memory; `transport` asks what nobody waits for.
    package init(_ cache: ResponseCache, transport: any Transport) {
        self.cache = cache
        self.transport = transport
        policy = .http(in: .memory)
        revalidations = BackgroundTasks(
            limit: transport.backgroundLimit,
            timeLimit: .seconds(30)
        )
    }

    /// The answer, from the cache where RFC 9111 allows it.
    ///
    /// - Parameters:
    ///   - request: what is asked.
    ///   - origin: asks the origin; the request may have been made conditional. It may pass on an answer
    ///     with a head that will be delivered before it returns; of another error no body is needed.
    /// - Returns: the answer, whatever its status.
    /// - Throws: what `origin` throws, unless something stale may stand in.
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
            // One that sets a cookie would give it to the next client.
            shouldStore: { !$0.head.headerFields.contains(.setCookie) }
        )
        return try await flow.answer(request, .reuse)
    }
}

/// A request's way through the cache to the origin and back.
///
/// ```
/// request ─▶ heads of all that is stored ─▶ rules.reuse
///     answer ◀── stored body                  │
///     answer ◀── stored, and validate behind ─┤
///     504    ◀────────────────────────────────┤
///                        validate / fetch ◀───┘
///                              │
///     origin ─▶ 304: update stored, answer from it
///            ─▶ failure: stale stands in, if allowed
///            ─▶ else: invalidate, update by HEAD, store, deliver
/// ```
/// Redirects are followed here, so that each hop goes through the cache.
struct HTTPCache: Sendable {
    /// Sends a request to the origin: everything below the cache.
    ///
    /// An answer with a head that `isDelivered` is what the caller gets, whatever its body is.
    typealias Origin =
        @Sendable (
            PreparedRequest, _ isDelivered: (HTTPResponse) -> Bool
        ) async throws(ApusError) -> Response

    let cache: ResponseCache
    /// Where answers are kept, and under which names.
    let policy: CachePolicy
    let revalidations: BackgroundTasks
    var origin: Origin
    /// Sends a request that nobody waits for.
    var originBehind: Origin
    /// Is told each decision, and what became of each of the origin's answers, in order.
    let tell: RunningExchange.Emit
    /// Whether the answer to the last hop may be stored, beside what HTTP says.
    var shouldStore: @Sendable (Response) -> Bool = { _ in true }
    /// What is stored once the caller has read the answer; nil if it is stored as it comes.
    var deferred: DeferredStores?
    /// Whether the value that is asked for can be read in an answer as it is stored.
    var canRead: (@Sendable (Response) -> Bool)?
    /// Where is looked for what is stored.
    var storage = CachePolicy.Storage.memoryAndDisk
    /// Whether an answer counts as a use of what it is made of.
    var isUse = true
    /// How long the origin's answers to the request and to its redirects have taken.
    var timeTaken = Duration.zero

    /// Gives the answer to a request, redirects followed as its options say.
    ///
    /// - Throws: `ApusError`: the origin's failure, `tooManyRedirects`, or `cacheMiss` if the
    ///   origin was not to be asked.
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

    /// Gives the answer to one request, whatever its status.
    private mutating func hop(
        _ request: PreparedRequest,
        _ asking: CacheMode
    ) async throws(ApusError) -> Response {
        guard let jar = request.options.shared?.value.activeJar else {
            return try await ruledHop(request, asking)
        }
        return try await hop(request, asking, with: jar)
    }

    /// Gives the answer to a request that is as the rules are to see it.
    mutating func ruledHop(
        _ request: PreparedRequest,
        _ asking: CacheMode
    ) async throws(ApusError) -> Response {
        // A body that goes to a file of the caller's is not the cache's to keep.
        guard request.destination == nil, asking != .reload else {
            return try await fetch(request, standIn: nil, nil)
        }
        let stored = await cache.stored(for: request, policy: policy, in: storage)
        let variants = stored.variants
        if asking == .stored { return try await anyStored(request, variants) }
        let plan = rules(for: request).reuse(
            of: variants.map(\.head),
            for: request.head,
            at: cache.now,
            hasContent: request.hasContent,
            isAsking: asking == .validate,
            isOffline: asking == .onlyIfCached,
            otherAccounts: stored.otherAccounts
        )
        tell(.decided(plan.decision))
        return try await follow(plan, request, variants, asking)
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

    /// The rules, whose decisions tell no secret of the request.
    func rules(for request: PreparedRequest) -> HTTPCacheRules {
        HTTPCacheRules(mask: request.mask, options: policy.httpOptions)
    }

    /// What is stored for a request's URL, and for its account.
    func variants(for request: PreparedRequest) async -> [CachedVariant] {
        await cache.stored(for: request, policy: policy, in: storage).variants
    }

    private func miss(_ request: PreparedRequest, _ reason: CacheMissReason) -> ApusError {
        let key = cache.key(for: request, policy: policy)
        return ApusError(.cacheMiss(key, reason), request: request.line)
    }

    /// The first rule that speaks against what is stored.
    private func missReason(_ decision: CacheDecision) -> CacheMissReason {
        for finding in decision.findings {
            guard case .considered(let rule, holds: true) = finding else { continue }
            if rule == .onlyIfCached || rule == .nothingStored { break }
            return .mustAsk(rule)
        }
        return .notFound
    }
}
