import FoundationEssentials
import HTTPTypes

extension HTTPCacheRules {
    /// Whether and how an answer is stored (RFC 9111, 3).
    ///
    /// `request` is as the caller made it, before the cache added conditions; `length` is that of
    /// the body as it is stored; `isComplete` is false if the connection was cut.
    func storing(
        _ response: HTTPResponse,
        to request: HTTPRequest,
        length: Int?,
        isComplete: Bool = true,
        requestTime: Date,
        responseTime: Date
    ) -> StoragePlan {
        var log = DecisionLog()
        log.note(.method(request.method.rawValue))
        log.note(.status(response.status.code))
        let isFinalAnswer =
            request.method == .get && isComplete
            && ![206, 304].contains(response.status.code)
            && (200..<500).contains(response.status.code)
        if let reason = reasonNotToStore(response, request, isComplete, &log) {
            return StoragePlan(
                decision: log.decide(.notStored, reason),
                stored: nil,
                removesOlder: isFinalAnswer
            )
        }
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
            return StoragePlan(
                decision: log.decide(.notStored, .neverUsable),
                stored: nil,
                removesOlder: isFinalAnswer
            )
        }
        let control = CacheControl(response.headerFields)
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
        let control = CacheControl(response.headerFields)
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
        // must-understand tells caches that know the status to pass over no-store (5.2.2.3).
        let isNoStore = control.isNoStore && !(control.mustUnderstand && understands)
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

    /// Whether the answer to a POST may serve later GETs (RFC 9110, 9.3.3): it says for how
    /// long, and that what it holds is the content of the target.
    private func answersGet(
        _ response: HTTPResponse,
        _ request: HTTPRequest,
        _ control: CacheControl
    ) -> Bool {
        guard response.status == .ok,
            control.maxAge != nil || response.headerFields.contains(.expires),
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
        let control = CacheControl(stored.fields)
        if stored.fields.hasValidator { return false }
        if control.isNoCache { return true }
        return lifetime.duration == .zero && control.staleWhileRevalidate == nil
            && control.staleIfError == nil
    }
}
