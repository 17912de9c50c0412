import Documents
import FoundationEssentials
import HTTPTypes

extension HTTPCacheRules {
    /// Decides whether and how a response is stored (RFC 9111, 3).
    ///
    /// `request` is the caller's, without the cache's conditions. `hasContent` tells whether it has a body,
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
        log.note(.method(request.method.rawValue))
        log.note(.status(response.status.code))
        // The response to a GET with content says nothing about the one without.
        if hasContent, request.method == .get {
            _ = log.consider(.requestHasContent, true)
            return StoragePlan(
                decision: log.decide(.notStored, .requestHasContent),
                stored: nil,
                removesOlder: false
            )
        }
        let isFinalAnswer =
            request.method == .get && isComplete
            && ![206, 304].contains(response.status.code)
            && (200..<500).contains(response.status.code)
        let reason =
            reasonNotToStore(response, request, isComplete, &log)
            ?? reasonNotToShare(response, hasCredentials, &log)
        if let reason {
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

/// The fields that are stored (RFC 9111, 3.1), and those that a later response updates (3.2).
enum StorableFields {
    /// The fields of a single connection or a proxy (RFC 9110, 7.6.1 and 11.7).
    private static let hopByHop: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// The fields that `Connection` and `no-cache` cannot remove, because the cache's decisions use them.
    private static let decisive: Set<String> = [
        "age", "cache-control", "date", "etag", "expires", "last-modified", "vary",
    ]

    /// The fields that describe how the body was received, before it was decoded or a range was cut out.
    private static let boundToBody: Set<String> = [
        "content-encoding", "content-length", "content-range",
    ]

    /// The head to store.
    static func response(_ response: HTTPResponse, receivedAt received: Date) -> HTTPResponse {
        var stored = response
        stored.headerFields = storable(response.headerFields)
        if stored.headerFields.date(.date, now: received) == nil {
            // RFC 9110, 6.6.1: if the date is missing or invalid, the time of receipt counts.
            stored.headerFields[.date] = HTTPDate.format(received)
        }
        return stored
    }

    /// The stored fields updated by a response that confirms them; nil if they exceed the limits of a head.
    ///
    /// Each response may add new names, which stay. Fields must not be left out when storing (RFC 9111, 3.1
    /// and 3.2), but what is stored need not be used.
    static func merged(
        _ stored: HTTPFields,
        with update: HTTPFields,
        receivedAt received: Date
    ) -> HTTPFields? {
        let changes = storable(update).filter { !boundToBody.contains($0.name.canonicalName) }
        let changed = Set(changes.map(\.name))
        // The old `Age` belongs to the old response; with the new times it would count twice.
        var merged = HTTPFields(stored.filter { !changed.contains($0.name) && $0.name != .age })
        guard merged.count + changes.count < FieldLimits.mostLines else { return nil }
        merged.append(contentsOf: changes)
        if update.date(.date, now: received) == nil {
            merged[.date] = HTTPDate.format(received)
        }
        // Drops the fields that the update's `no-cache` names (RFC 9111, 5.2.2.4).
        let stored = storable(merged)
        return (try? FieldLimits.check(stored)) != nil ? stored : nil
    }

    private static func storable(_ fields: HTTPFields) -> HTTPFields {
        let listed = FieldList(.connection, in: fields).members.map { $0.lowercased() }
        let control = CacheControl(fields)
        let withheld = control.noCacheFields.map(\.canonicalName)
        let dropped = hopByHop.union(Set(listed + withheld).subtracting(decisive))
        return HTTPFields(fields.filter { !dropped.contains($0.name.canonicalName) })
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
