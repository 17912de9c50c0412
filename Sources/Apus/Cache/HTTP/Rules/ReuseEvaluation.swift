import FoundationEssentials
import HTTPTypes

/// The evaluation of a request and the stored responses, rule by rule.
struct ReuseEvaluation {
    let rules: HTTPCacheRules
    let request: HTTPRequest
    let control: CacheControl
    let stored: [StoredHead]
    let now: Date
    /// Whether the request has a body.
    var hasContent = false
    /// Whether the origin must be asked, whatever is stored.
    var isAsking = false
    /// Whether the origin must not be asked.
    var isOffline = false
    /// The other accounts, if only those have stored responses.
    var otherAccounts: CacheFinding?
    var log: DecisionLog

    init(rules: HTTPCacheRules, request: HTTPRequest, stored: [StoredHead], now: Date) {
        self.rules = rules
        self.request = request
        self.stored = stored
        self.now = now
        log = DecisionLog(rules.mask)
        control = CacheControl(request.headerFields)
        isOffline = control.has("only-if-cached")
    }

    mutating func plan() -> ReusePlan {
        log.note(.method(request.method.rawValue))
        if log.consider(.methodNotCacheable, ![.get, .head].contains(request.method)) {
            return fetch(.methodNotCacheable)
        }
        if hasContent {
            _ = log.consider(.requestHasContent, true)
            return fetch(.requestHasContent)
        }
        if log.consider(.preconditionForOrigin, hasPreconditionForOrigin) {
            return fetch(.preconditionForOrigin)
        }
        let selection = VariantSelection(of: stored, for: request.headerFields)
        let matching = selection.matching.count + selection.parts.count
        log.note(.candidates(stored: stored.count, matching: matching))
        if isRangeRequest { return planRange(selection) }
        guard let chosen = selection.matching.first else { return planMiss(selection) }
        return planUse(of: chosen)
    }

    /// The matching response, fresh or stale; nil if there is none.
    mutating func anyResponse() -> (answer: ServedResponse, decision: CacheDecision)? {
        guard [.get, .head].contains(request.method), !isRangeRequest,
            let chosen = VariantSelection(of: stored, for: request.headerFields).matching.first
        else { return nil }
        let freshness = Freshness(of: chosen, at: now, rules)
        freshness.report(to: &log)
        let decision =
            freshness.isFresh && !chosen.isInvalidated
            ? log.decide(.fresh, .fresh) : log.decide(.staleAllowed, .sourceTakesStale)
        return (answer(from: chosen).0, decision)
    }

    /// Answers with a stored response if the rules allow it, otherwise validates it.
    private mutating func planUse(of chosen: StoredHead) -> ReusePlan {
        switch judge(chosen) {
        case .use(let outcome, let rule):
            let (answer, form) = answer(from: chosen)
            if let form { _ = log.consider(form, true) }
            let decision = log.decide(outcome, form ?? rule)
            return ReusePlan(decision: decision, action: .answer(answer), selected: chosen.id)
        case .useAndRevalidate(let rule):
            let background: ReusePlan.Validation =
                conditional(for: chosen).map { .conditional($0) } ?? .plain
            return ReusePlan(
                decision: log.decide(.staleAllowed, rule),
                action: .answerAndRevalidate(answer(from: chosen).0, background),
                selected: chosen.id
            )
        case .validate(let rule):
            return validate(chosen, rule)
        }
    }

    private mutating func planMiss(_ selection: VariantSelection) -> ReusePlan {
        if !selection.parts.isEmpty { return planCompletion(of: selection.parts) }
        guard !stored.isEmpty else { return fetch(absence()) }
        let isUnmatchable = stored.allSatisfy { $0.vary == .everything }
        let rule: CacheRule = isUnmatchable ? .variesOnEverything : .variantMismatch
        _ = log.consider(rule, true)
        // Another variant's tag may also name the response to this request (4.1).
        guard !isOffline, let conditional = conditional(for: nil) else {
            return fetch(rule)
        }
        return ReusePlan(
            decision: log.decide(.mustFetch, rule),
            action: .validate(conditional),
            selected: nil
        )
    }

    /// The rule to report if nothing is stored for the account.
    mutating func absence() -> CacheRule {
        guard let otherAccounts else { return .nothingStored }
        log.note(otherAccounts)
        _ = log.consider(.otherAccount, true)
        return .otherAccount
    }

    private mutating func planCompletion(of parts: [StoredHead]) -> ReusePlan {
        guard let completion = completion(of: parts) else { return fetch(.rangeNotStored) }
        _ = log.consider(.partCompleted, true)
        return ReusePlan(
            decision: log.decide(.mustFetch, .partCompleted),
            action: .complete(completion),
            selected: nil
        )
    }

    private mutating func validate(_ chosen: StoredHead, _ rule: CacheRule) -> ReusePlan {
        guard !isOffline, let conditional = conditional(for: chosen) else {
            return fetch(rule, standIn: chosen.id)
        }
        for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince] {
            guard let value = conditional.request.headerFields[name] else { continue }
            log.note(.field(name: name.rawName, value: value))
        }
        return ReusePlan(
            decision: log.decide(.revalidate, rule),
            action: .validate(conditional),
            selected: chosen.id
        )
    }

    /// Asks the origin, unless that is forbidden.
    mutating func fetch(_ rule: CacheRule, standIn: Int? = nil) -> ReusePlan {
        if log.consider(.onlyIfCached, isOffline) {
            return ReusePlan(
                decision: log.decide(.onlyIfCached, .onlyIfCached),
                action: .gatewayTimeout,
                selected: nil
            )
        }
        return ReusePlan(
            decision: log.decide(.mustFetch, rule),
            action: .fetch,
            selected: standIn
        )
    }

    /// `If-Match` and `If-Unmodified-Since` are evaluated by the origin (RFC 9111, 4.3.2).
    private var hasPreconditionForOrigin: Bool {
        request.headerFields.contains(.ifMatch) || request.headerFields.contains(.ifUnmodifiedSince)
    }

    /// Only GET has ranges (RFC 9110, 14.2).
    private var isRangeRequest: Bool {
        request.method == .get && request.headerFields.contains(.range)
    }
}

extension ReuseEvaluation {
    /// Whether a stored response may be used.
    enum Judgment {
        case use(CacheDecision.Outcome, CacheRule)
        case useAndRevalidate(CacheRule)
        case validate(CacheRule)
    }

    mutating func judge(_ chosen: StoredHead) -> Judgment {
        let freshness = Freshness(of: chosen, at: now, rules)
        let response = rules.control(chosen.fields)
        freshness.report(to: &log)
        if let reason = reasonToAsk(chosen, response) { return .validate(reason) }
        return freshness.isFresh
            ? judgeFresh(freshness, response) : judgeStale(freshness, response)
    }

    /// The rule that requires asking the origin whatever the age; nil if there is none.
    private mutating func reasonToAsk(_ chosen: StoredHead, _ response: CacheControl) -> CacheRule?
    {
        if isAsking {
            _ = log.consider(.sourceAsks, true)
            return .sourceAsks
        }
        if log.consider(.unsafeRequestSince, chosen.isInvalidated) { return .unsafeRequestSince }
        if log.consider(.responseNoCache, response.isNoCache) { return .responseNoCache }
        if log.consider(.requestNoCache, control.has("no-cache")) { return .requestNoCache }
        if log.consider(.pragmaNoCache, request.headerFields.isPragmaNoCache) {
            return .pragmaNoCache
        }
        return nil
    }

    private mutating func judgeFresh(
        _ freshness: Freshness,
        _ response: CacheControl
    ) -> Judgment {
        if isOverRequestMaxAge(freshness) {
            // A reload has a max-age of 0; `immutable` says that it need not reach the origin.
            let isReload = control.maxAge == .zero
            guard log.consider(.immutable, isReload && response.isImmutable) else {
                return .validate(.requestMaxAge)
            }
            return .use(.fresh, .immutable)
        }
        if isUnderMinFresh(freshness) { return .validate(.minFresh) }
        _ = log.consider(.fresh, true)
        return .use(.fresh, .fresh)
    }

    private mutating func judgeStale(
        _ freshness: Freshness,
        _ response: CacheControl
    ) -> Judgment {
        _ = log.consider(.stale, true)
        if log.consider(.mustRevalidate, response.mustRevalidate) {
            return .validate(.mustRevalidate)
        }
        if isOverRequestMaxAge(freshness) { return .validate(.requestMaxAge) }
        if isUnderMinFresh(freshness) { return .validate(.minFresh) }
        if let maxStale = MaxStale(control) {
            log.note("max-stale", in: control, of: .request)
            if log.consider(.maxStale, maxStale.allows(freshness.staleness)) {
                return .use(.staleAllowed, .maxStale)
            }
        }
        // A request with its own max-age does not accept stale responses (5.2.1.1).
        if let window = response.staleWhileRevalidate, control.maxAge == nil {
            log.note("stale-while-revalidate", in: response, of: .response)
            if log.consider(.staleWhileRevalidate, freshness.staleness <= window && window > .zero)
            {
                return isOffline
                    ? .use(.staleAllowed, .staleWhileRevalidate)
                    : .useAndRevalidate(.staleWhileRevalidate)
            }
        }
        return .validate(.stale)
    }

    private mutating func isOverRequestMaxAge(_ freshness: Freshness) -> Bool {
        guard let limit = control.maxAge else { return false }
        log.note("max-age", in: control, of: .request)
        return log.consider(.requestMaxAge, limit == .zero || freshness.age.current > limit)
    }

    private mutating func isUnderMinFresh(_ freshness: Freshness) -> Bool {
        guard let wanted = control.greatest("min-fresh", invalid: DeltaSeconds.largest) else {
            return false
        }
        log.note("min-fresh", in: control, of: .request)
        return log.consider(.minFresh, freshness.remaining < wanted)
    }
}
