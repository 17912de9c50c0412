import FoundationEssentials
import HTTPTypes

@testable import Apus

/// A cache of one URL on top of the rules, with a clock that is set by hand: what wiring does,
/// without a store and a network.
struct CacheModel {
    enum Source: String, Equatable {
        case cache, origin, validated, gatewayTimeout, cacheAndBackground, failed
    }

    static let start = Date(timeIntervalSince1970: 1_790_000_000)
    static let url = "https://example.com/a"

    var rules = HTTPCacheRules()
    var stored: [StoredHead] = []
    var now = Self.start
    /// The last request that went to the origin.
    var sent: HTTPRequest?
    /// The last response that the caller got.
    var answer: HTTPResponse?
    var decision: CacheDecision?
    private var nextID = 1

    init(rules: HTTPCacheRules = HTTPCacheRules()) { self.rules = rules }

    /// Sends a request; `response` is the origin's response to it, nil for none.
    @discardableResult
    mutating func send(
        _ fields: [(String, String)] = [],
        method: HTTPRequest.Method = .get,
        after seconds: Double = 0,
        response: HTTPResponse? = .make()
    ) -> Source {
        now += seconds
        sent = nil
        let request = HTTPRequest.make(method, fields)
        let plan = rules.reuse(of: stored, for: request, at: now)
        decision = plan.decision
        switch plan.action {
        case .answer(let stored):
            answer = stored.response
            return .cache
        case .answerAndRevalidate(let stored, _):
            answer = stored.response
            return .cacheAndBackground
        case .gatewayTimeout: return .gatewayTimeout
        case .complete(let completion): return fetch(completion.request, response, plan)
        case .fetch: return fetch(request, response, plan)
        case .validate(let conditional): return validate(conditional, response, plan)
        }
    }

    private mutating func fetch(
        _ request: HTTPRequest,
        _ response: HTTPResponse?,
        _ plan: ReusePlan
    ) -> Source {
        sent = request
        let isError = HTTPCacheRules.errorStatuses.contains(response?.status.code ?? 0)
        if response == nil || isError {
            let failure = rules.afterFailure(
                response.map { .status($0.status.code) } ?? .unreachable,
                selected: stored.first { $0.id == plan.selected },
                for: request,
                at: now
            )
            decision = failure.decision
            if let standIn = failure.answer {
                answer = standIn.response
                return .cache
            }
        }
        guard let response else { return .failed }
        keep(response, request)
        return .origin
    }

    private mutating func validate(
        _ conditional: ConditionalRequest,
        _ response: HTTPResponse?,
        _ plan: ReusePlan
    ) -> Source {
        guard let response else { return fetch(conditional.original, nil, plan) }
        sent = conditional.request
        let validation = rules.validation(
            of: stored,
            by: response,
            to: conditional,
            requestTime: now,
            responseTime: now
        )
        decision = validation.decision
        for update in validation.updates { replace(update) }
        stored.removeAll { validation.removals.contains($0.id) }
        if let variant = validation.newVariant { append(variant) }
        switch validation.action {
        case .answer(let answer):
            self.answer = answer.response
            return response.status == .notModified ? .validated : .cache
        case .deliver:
            keep(response, conditional.original)
            return .origin
        case .fetchAgain:
            sent = conditional.original
            return .origin
        }
    }

    private mutating func keep(_ response: HTTPResponse, _ request: HTTPRequest) {
        answer = response
        if rules.invalidation(by: response, to: request).isInvalidating { stored = [] }
        let head = rules.headUpdate(
            of: stored,
            by: response,
            to: request,
            requestTime: now,
            responseTime: now
        )
        for update in head.updates { replace(update) }
        let plan = rules.storing(
            response,
            to: request,
            length: 10,
            requestTime: now,
            responseTime: now
        )
        if plan.removesOlder {
            let old = rules.superseded(by: request, among: stored)
            stored.removeAll { old.contains($0.id) }
        }
        if let new = plan.stored { append(new) }
    }

    private mutating func replace(_ update: StoredHead) {
        for index in stored.indices where stored[index].id == update.id { stored[index] = update }
    }

    private mutating func append(_ head: StoredHead) {
        var head = head
        head.id = nextID
        nextID += 1
        stored.append(head)
    }
}
