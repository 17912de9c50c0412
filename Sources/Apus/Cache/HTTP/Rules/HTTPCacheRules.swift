import FoundationEssentials
import HTTPTypes

/// The decisions of an HTTP cache, as functions of what is known.
///
/// ```
/// request ─▶ reuse(of:for:at:) ─▶ answer | answerAndRevalidate | validate | fetch | 504
///                                                │
/// answer of the origin ─▶ validation(…) ─▶ update stored, answer from it
///        │                              └▶ storing(…) ─▶ store or not
///        └ unsafe method ─▶ invalidation(…)      HEAD ─▶ headUpdate(…)
/// ```
///
/// RFC 9111, with RFC 5861 (serving stale) and RFC 8246 (immutable). Nothing
/// here waits, reads a clock or knows where responses are kept.
struct HTTPCacheRules: Sendable {
    /// The part of the time since the last change for which a response is taken
    /// to stay the same (RFC 9111, 4.2.2).
    var heuristicFraction = 0.1
    /// The longest lifetime that nobody gave.
    var heuristicLimit: Duration = .seconds(86_400)
    /// Whether a 206 is stored, as the part that it is.
    ///
    /// A part is never served for the whole.
    var storesParts = true
    /// What takes the request's secrets out of the decisions.
    var mask = CredentialMask()
    /// Whether the cache is a shared one, and what else it does.
    var options: HTTPCacheOptions = []

    /// The statuses that RFC 9110 defines, without those that have rules of
    /// their own for caches: 206 and 304.
    static let understoodStatuses: Set<Int> = Set(200...205).union(300...303).union([305, 307, 308])
        .union(400...417).union([421, 422, 426]).union(500...505)

    /// The statuses that are cacheable without being told (RFC 9110, 15.1).
    static let heuristicStatuses: Set<Int> = [
        200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501,
    ]

    /// How many answers to one URL and account are kept: a server can say that they depend on a
    /// field that no two requests have in common.
    static let variantLimit = 32

    /// The errors that a stale response may stand in for (RFC 5861, 4).
    static let errorStatuses: Set<Int> = [500, 502, 503, 504]
}

extension HTTPCacheRules {
    /// The directives of a response, as this cache reads them.
    func control(_ response: HTTPFields) -> CacheControl {
        CacheControl(response, isShared: options.contains(.shared))
    }

    /// How a request is answered, given all that is stored for its URL (RFC 9111, 4).
    ///
    /// With `hasContent` the request's meaning is not in its head. With `isAsking` nothing is served
    /// before the origin has been asked; with `isOffline` the origin is not, as if the request said
    /// `only-if-cached`. `otherAccounts` is what is known if all that is stored is for others.
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

    /// The answer that is stored for a request, however old; nil if there is none.
    func stored(
        of stored: [StoredHead],
        for request: HTTPRequest,
        at now: Date
    ) -> (answer: StoredAnswer, decision: CacheDecision)? {
        var deliberation = ReuseEvaluation(
            rules: self,
            request: request,
            stored: stored,
            now: now
        )
        return deliberation.anyAnswer()
    }
}

/// How a request is answered.
struct ReusePlan: Sendable, Equatable {
    /// What is done.
    enum Action: Sendable, Equatable {
        /// From the cache.
        case answer(StoredAnswer)
        /// From the cache, while the origin is asked in the background.
        ///
        /// The request is sent by itself; it is not a condition if there is no validator.
        case answerAndRevalidate(StoredAnswer, Validation)
        /// By the origin or from the cache, as the origin says.
        case validate(ConditionalRequest)
        /// By the origin, which is asked only for what a stored part lacks.
        case complete(PartCompletion)
        /// By the origin, with the caller's request as it is.
        case fetch
        /// By a 504 of the cache's own.
        case gatewayTimeout
    }

    /// How the origin is asked in the background.
    enum Validation: Sendable, Equatable {
        case conditional(ConditionalRequest)
        case plain
    }

    let decision: CacheDecision
    let action: Action
    /// The stored response that may stand in if the origin fails; nil if there is none.
    let selected: Int?
}

/// An answer made from a stored response.
struct StoredAnswer: Sendable, Equatable {
    /// What of the stored body goes with it.
    enum Body: Sendable, Equatable {
        case whole
        /// None: an answer to HEAD, or a 304.
        case none
        /// These of the stored bytes.
        case slice(Range<Int>)
    }

    /// The id of the stored response.
    let id: Int
    /// Status and fields for the caller, with `Age`.
    let response: HTTPResponse
    let body: Body
}

/// A request that asks whether stored responses are still current (RFC 9111, 4.3.1).
struct ConditionalRequest: Sendable, Equatable {
    /// What is sent.
    let request: HTTPRequest
    /// What the caller asked.
    let original: HTTPRequest
    /// The stored response that would answer; nil if none fits the request's fields.
    let selected: Int?
    /// The stored responses that are asked about, the selected one first.
    let validated: [Int]
}

/// Which of the responses stored for a URL fits a request (RFC 9111, 4.1).
struct VariantSelection: Sendable, Equatable {
    /// The whole responses that fit, the best first.
    let matching: [StoredHead]
    /// The parts that fit.
    let parts: [StoredHead]

    init(of stored: [StoredHead], for request: HTTPFields) {
        let fitting = stored.filter { $0.vary.matches(request, $0.selecting) }
        matching = fitting.filter(\.isWhole).sorted(by: Self.isBetter)
        parts = fitting.filter { !$0.isWhole }.sorted(by: Self.isBetter)
    }

    /// A response with `Vary` first: one without may be a default that should have had it;
    /// then the most recent, by `Date` and then by when it was received.
    private static func isBetter(_ one: StoredHead, _ other: StoredHead) -> Bool {
        let ones = one.vary != .nothing
        let others = other.vary != .nothing
        if ones != others { return ones }
        return (one.date, one.responseTime) > (other.date, other.responseTime)
    }
}
