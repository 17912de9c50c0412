import FoundationEssentials
import HTTPTypes

/// The questions that are asked of a request and of what is stored, in their order.
struct ReuseDeliberation {
    let rules: HTTPCacheRules
    let request: HTTPRequest
    let control: CacheControl
    let stored: [StoredHead]
    let now: Date
    /// Whether the origin is asked whatever is stored.
    var isAsking = false
    /// Whether the origin may not be asked.
    var isOffline = false
    var log = DecisionLog()

    init(rules: HTTPCacheRules, request: HTTPRequest, stored: [StoredHead], now: Date) {
        self.rules = rules
        self.request = request
        self.stored = stored
        self.now = now
        control = CacheControl(request.headerFields)
        isOffline = control.has("only-if-cached")
    }

    mutating func plan() -> ReusePlan {
        log.note(.method(request.method.rawValue))
        if log.consider(.methodNotCacheable, ![.get, .head].contains(request.method)) {
            return fetch(.methodNotCacheable)
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

    /// The answer that fits, fresh or not.
    mutating func anyAnswer() -> (answer: StoredAnswer, decision: CacheDecision)? {
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

    /// Answers with it if it may be used, whatever form the answer has.
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
        guard !stored.isEmpty else { return fetch(.nothingStored) }
        let isUnmatchable = stored.allSatisfy { Vary($0.fields) == .everything }
        let rule: CacheRule = isUnmatchable ? .variesOnEverything : .variantMismatch
        _ = log.consider(rule, true)
        // Another variant's tag may name what this request gets, too (4.1).
        guard !isOffline, let conditional = conditional(for: nil) else {
            return fetch(rule)
        }
        return ReusePlan(
            decision: log.decide(.mustFetch, rule),
            action: .validate(conditional),
            selected: nil
        )
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

    /// Asks the origin, unless the request forbids it.
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

    /// `If-Match` and `If-Unmodified-Since` are not for a cache to judge (RFC 9111, 4.3.2).
    private var hasPreconditionForOrigin: Bool {
        request.headerFields.contains(.ifMatch) || request.headerFields.contains(.ifUnmodifiedSince)
    }

    /// Only GET has ranges (RFC 9110, 14.2).
    private var isRangeRequest: Bool {
        request.method == .get && request.headerFields.contains(.range)
    }
}
