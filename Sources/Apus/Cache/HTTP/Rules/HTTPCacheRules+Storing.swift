import FoundationEssentials
import HTTPTypes

extension HTTPCacheRules {
    /// Decides whether and how a response is stored (RFC 9111, 3).
    ///
    /// `request` is the caller's, without the cache's conditions. `hasContent` says whether it has a body,
    /// `hasCredentials` whether the response may be meant for its account alone. `length` is the size of the
    /// stored body. `isComplete` is false if the connection was cut.
    func storing(
        _ response: HTTPResponse,
        to request: HTTPRequest,
        hasContent: Bool = false,
        hasCredentials: Bool = false,
        length: Int?,
        isComplete: Bool = true,
        requestTime: Date,
        responseTime: Date
    ) -> StoragePlan {
        var log = DecisionLog(mask)
        func notStored(_ rule: CacheRule, removesOlder: Bool) -> StoragePlan {
            StoragePlan(
                decision: log.decide(.notStored, rule),
                stored: nil,
                removesOlder: removesOlder
            )
        }
        log.note(.method(request.method.rawValue))
        log.note(.status(response.status.code))
        // The response to a GET with content says nothing about the one without.
        if hasContent, request.method == .get {
            _ = log.consider(.requestHasContent, true)
            return notStored(.requestHasContent, removesOlder: false)
        }
        let isFinalResponse =
            request.method == .get && isComplete
            && ![206, 304].contains(response.status.code)
            && (200..<500).contains(response.status.code)
        let reason =
            reasonNotToStore(response, request, isComplete, &log)
            ?? reasonNotToShare(response, hasCredentials, &log)
        if let reason { return notStored(reason, removesOlder: isFinalResponse) }
        let stored = StoredHead(
            id: 0,
            selecting: Vary(response.headerFields).selecting(from: request.headerFields),
            response: StorableFields.response(response, receivedAt: responseTime),
            content: content(of: response, length: length),
            requestTime: requestTime,
            responseTime: responseTime
        )
        let lifetime = FreshnessLifetime(of: response, receivedAt: responseTime, self)
        log.note(.lifetime(lifetime.duration, lifetime.source))
        if log.consider(.neverUsable, isNeverUsable(stored, lifetime)) {
            return notStored(.neverUsable, removesOlder: isFinalResponse)
        }
        let control = control(response.headerFields)
        let isExplicit = control.allowsStoring || response.headerFields.contains(.expires)
        let rule: CacheRule =
            request.method == .post
            ? .postAnswersGet : isExplicit ? .explicitlyCacheable : .heuristicallyCacheable
        return StoragePlan(
            decision: log.decide(.stored, rule),
            stored: stored,
            removesOlder: stored.isWhole
        )
    }

    private func reasonNotToStore(
        _ response: HTTPResponse,
        _ request: HTTPRequest,
        _ isComplete: Bool,
        _ log: inout DecisionLog
    ) -> CacheRule? {
        let control = control(response.headerFields)
        let status = response.status.code
        let understands = Self.understoodStatuses.contains(status)
        if log.consider(.methodNotStored, ![.get, .post].contains(request.method)) {
            return .methodNotStored
        }
        if log.consider(.statusNotFinal, status < 200) { return .statusNotFinal }
        if log.consider(.incomplete, !isComplete) { return .incomplete }
        if status == 304 { return .notModifiedOnly }
        if status == 206, !isStorablePart(response, request) { return .partialContent }
        if log.consider(.mustUnderstand, control.mustUnderstand && !understands && status != 206) {
            return .mustUnderstand
        }
        let requestControl = CacheControl(request.headerFields)
        if log.consider(.requestNoStore, requestControl.isNoStore) { return .requestNoStore }
        if control.isShared, log.consider(.responsePrivate, control.isPrivate) {
            return .responsePrivate
        }
        let isNoStore = control.forbidsStoring(status: status)
        if log.consider(.responseNoStore, isNoStore) { return .responseNoStore }
        if request.method == .post, !answersGet(response, request, control) {
            return .methodNotStored
        }
        let isCacheable =
            control.allowsStoring || response.headerFields.contains(.expires)
            || Self.heuristicStatuses.contains(status)
        if log.consider(.notCacheable, !isCacheable) { return .notCacheable }
        let cannotMatch =
            Vary(response.headerFields) == .everything && response.headerFields.entityTag == nil
        return log.consider(.variesOnEverything, cannotMatch) ? .variesOnEverything : nil
    }

    /// The rule by which a shared cache must not serve the response to others; nil if it may (RFC 9111, 3.5).
    private func reasonNotToShare(
        _ response: HTTPResponse,
        _ hasCredentials: Bool,
        _ log: inout DecisionLog
    ) -> CacheRule? {
        let control = control(response.headerFields)
        guard control.isShared, hasCredentials else { return nil }
        return log.consider(.requestHasCredentials, !control.allowsSharing)
            ? .requestHasCredentials : nil
    }

    /// Whether the response to a POST may be stored for later GETs (RFC 9110, 9.3.3): it has an explicit
    /// lifetime and says that it is the target's content.
    private func answersGet(
        _ response: HTTPResponse,
        _ request: HTTPRequest,
        _ control: CacheControl
    ) -> Bool {
        guard response.status == .ok,
            control.maxAge ?? control.sharedMaxAge != nil
                || response.headerFields.contains(.expires),
            let location = response.headerFields[.contentLocation],
            let target = TargetURI(request)
        else { return false }
        return target.resolve(location) == target
    }

    private func isStorablePart(_ response: HTTPResponse, _ request: HTTPRequest) -> Bool {
        storesParts && request.method == .get && request.headerFields.contains(.range)
            && response.headerFields[.contentEncoding] == nil
            && response.headerFields[.contentRange].flatMap { ContentRange($0) } != nil
    }

    private func content(of response: HTTPResponse, length: Int?) -> StoredHead.Content {
        if response.status == .partialContent,
            let range = response.headerFields[.contentRange].flatMap({ ContentRange($0) })
        {
            return .part(range)
        }
        return .whole(length: length)
    }

    private func isNeverUsable(_ stored: StoredHead, _ lifetime: FreshnessLifetime) -> Bool {
        let control = control(stored.fields)
        if stored.fields.hasValidator { return false }
        if control.isNoCache { return true }
        return lifetime.duration == .zero && control.staleWhileRevalidate == nil
            && control.staleIfError == nil
    }
}

extension HTTPCacheRules {
    /// The ids of the stored responses that a newer whole response to `request` replaces: those that the
    /// request matches, and those that no request can match.
    func superseded(by request: HTTPRequest, among stored: [StoredHead]) -> [Int] {
        stored.filter { head in
            head.vary == .everything || head.vary.matches(request.headerFields, head.selecting)
        }.map(\.id)
    }
}

/// Whether a response is stored.
struct StoragePlan: Sendable, Equatable {
    let decision: CacheDecision
    /// The head to store, with the id 0; nil to store nothing.
    let stored: StoredHead?
    /// Whether older responses that match the request are removed, because this newer one is known (RFC 9111,
    /// 4: the most recent one counts).
    let removesOlder: Bool
}
