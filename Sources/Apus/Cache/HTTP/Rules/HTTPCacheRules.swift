import FoundationEssentials
import HTTPTypes
import Secrets

/// The decisions of an HTTP cache, as pure functions.
///
/// ```
/// request ─▶ reuse(of:for:at:) ─▶ response | answerAndRevalidate | validate | fetch | 504
///                                                │
/// response of the origin ─▶ validation(…) ─▶ update stored, answer from it
///        │                              └▶ storing(…) ─▶ store or not
///        └ unsafe method ─▶ invalidation(…)      HEAD ─▶ headUpdate(…)
/// ```
///
/// They follow RFC 9111, RFC 5861 (serving stale) and RFC 8246 (immutable). Nothing here waits, reads a clock
/// or knows where responses are stored.
struct HTTPCacheRules: Sendable {
    /// The fraction of the time since the last change that is taken as heuristic lifetime (RFC 9111, 4.2.2).
    static let heuristicFraction = 0.1
    /// The longest heuristic lifetime.
    static let heuristicLimit: Duration = .seconds(86_400)
    /// Whether a 206 is stored, as a part; a part is never served as the whole.
    var storesParts = true
    /// Masks the request's secrets in decisions.
    var mask = CredentialMask()
    /// The cache's options, for example whether it is shared.
    var options: HTTPCacheOptions = []

    /// The statuses that RFC 9110 defines, except 206 and 304, which have their own rules.
    static let understoodStatuses: Set<Int> = Set(200...205).union(300...303).union([305, 307, 308])
        .union(400...417).union([421, 422, 426]).union(500...505)

    /// The statuses that are cacheable by default (RFC 9110, 15.1).
    static let heuristicStatuses: Set<Int> = [
        200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501,
    ]

    /// The most responses stored per URL and account.
    ///
    /// A limit is needed because a server may name a field in `Vary` that differs in every request.
    static let variantLimit = 32

    /// The error statuses that a stale response may stand in for (RFC 5861, 4).
    static let errorStatuses: Set<Int> = [500, 502, 503, 504]
}

extension HTTPCacheRules {
    /// A response's directives, as this cache reads them.
    func control(_ response: HTTPFields) -> CacheControl {
        CacheControl(response, isShared: options.contains(.shared))
    }

    /// Decides how a request is answered, given everything stored for its URL (RFC 9111, 4).
    ///
    /// `hasContent` means that the head alone does not define the request. With `isAsking` nothing is served
    /// before the origin has been asked. With `isOffline` the origin is not asked, as if the request said
    /// `only-if-cached`. `otherAccounts` names the accounts that have responses, if this one has none.
    func reuse(
        of stored: [StoredHead],
        for request: HTTPRequest,
        at now: Date,
        hasContent: Bool = false,
        isAsking: Bool = false,
        isOffline: Bool = false,
        otherAccounts: CacheFinding? = nil
    ) -> ReusePlan {
        var deliberation = ReuseEvaluation(
            rules: self,
            request: request,
            stored: stored,
            now: now
        )
        deliberation.hasContent = hasContent
        deliberation.isAsking = isAsking
        deliberation.otherAccounts = otherAccounts
        deliberation.isOffline = isOffline || deliberation.control.has("only-if-cached")
        return deliberation.plan()
    }

    /// The stored response for a request, however old; nil if there is none.
    func stored(
        of stored: [StoredHead],
        for request: HTTPRequest,
        at now: Date
    ) -> (answer: ServedResponse, decision: CacheDecision)? {
        var deliberation = ReuseEvaluation(
            rules: self,
            request: request,
            stored: stored,
            now: now
        )
        return deliberation.anyResponse()
    }
}

/// How a request is answered.
struct ReusePlan: Sendable, Equatable {
    /// The action to take.
    enum Action: Sendable, Equatable {
        /// Answer from the cache.
        case answer(ServedResponse)
        /// Answer from the cache, and revalidate in the background.
        ///
        /// The background request is conditional only if there is a validator.
        case answerAndRevalidate(ServedResponse, Validation)
        /// Send a conditional request; its result decides whether the cache or the origin answers.
        case validate(ConditionalRequest)
        /// Request only the missing bytes of a stored part.
        case complete(PartCompletion)
        /// Send the caller's request unchanged.
        case fetch
        /// Answer with a 504 made by the cache.
        case gatewayTimeout
    }

    /// How a response is revalidated in the background.
    enum Validation: Sendable, Equatable {
        case conditional(ConditionalRequest)
        case plain
    }

    var decision: CacheDecision
    let action: Action
    /// Whether the origin need not be asked before the caller has a response.
    var isAnswered: Bool {
        switch action {
        case .answer, .answerAndRevalidate: true
        case .validate, .complete, .fetch, .gatewayTimeout: false
        }
    }
    /// The stored response that may stand in if the origin fails; nil if there is none.
    let selected: Int?
}

/// A response made from a stored one.
struct ServedResponse: Sendable, Equatable {
    /// The part of the stored body that is delivered.
    enum Body: Sendable, Equatable {
        case whole
        /// None, for a HEAD request or a 304.
        case none
        /// These bytes of the stored body.
        case slice(Range<Int>)
    }

    /// The id of the stored response.
    let id: Int
    /// Status and fields for the caller, including `Age`.
    let response: HTTPResponse
    let body: Body
}

/// A request that validates stored responses (RFC 9111, 4.3.1).
struct ConditionalRequest: Sendable, Equatable {
    /// The request to send.
    let request: HTTPRequest
    /// The caller's request.
    let original: HTTPRequest
    /// The stored response that would answer; nil if none matches the request's fields.
    let selected: Int?
    /// The stored responses being validated, the selected one first.
    let validated: [Int]
}

/// The responses stored for a URL that match a request (RFC 9111, 4.1).
struct VariantSelection: Sendable, Equatable {
    /// The matching whole responses, best first.
    let matching: [StoredHead]
    /// The matching parts, best first.
    let parts: [StoredHead]

    init(of stored: [StoredHead], for request: HTTPFields) {
        let fitting = stored.filter { $0.vary.matches(request, $0.selecting) }
        matching = fitting.filter(\.isWhole).sorted(by: Self.isBetter)
        parts = fitting.filter { !$0.isWhole }.sorted(by: Self.isBetter)
    }

    /// Prefers a response with `Vary`, because one without may be a default that lacks it by mistake; then
    /// the most recent by `Date`, then by time of receipt.
    private static func isBetter(_ one: StoredHead, _ other: StoredHead) -> Bool {
        let ones = one.vary != .nothing
        let others = other.vary != .nothing
        if ones != others { return ones }
        return (one.date, one.responseTime) > (other.date, other.responseTime)
    }
}
