import FoundationEssentials
import HTTPTypes

extension HTTPCacheRules {
    /// Decides whether a response invalidates the request's URL, and which others (RFC 9111, 4.4).
    ///
    /// The others are those in `Location` and `Content-Location` with the same origin. A method counts as
    /// unsafe unless it is known to be safe.
    func invalidation(by response: HTTPResponse, to request: HTTPRequest) -> InvalidationPlan {
        var log = DecisionLog(mask)
        log.note(.method(request.method.rawValue))
        log.note(.status(response.status.code))
        let isUnsafe = ![.get, .head, .options, .trace].contains(request.method)
        let isSuccess = (200..<400).contains(response.status.code)
        guard log.consider(.unsafeMethod, isUnsafe && isSuccess) else {
            let decision = log.decide(.notInvalidated, .nothingChanged)
            return InvalidationPlan(decision: decision, others: [])
        }
        var targets = TargetURI(request).map { [$0] } ?? []
        if let target = targets.first {
            for name in [HTTPField.Name.location, .contentLocation] {
                for reference in response.headerFields[values: name] {
                    guard let other = target.resolve(reference), other.origin == target.origin,
                        !targets.contains(other)
                    else { continue }
                    targets.append(other)
                }
            }
        }
        for target in targets { log.note(.invalidated(target.text)) }
        return InvalidationPlan(
            decision: log.decide(.invalidated, .unsafeMethod),
            others: Array(targets.dropFirst())
        )
    }
}

/// The URLs that a response invalidates.
struct InvalidationPlan: Sendable, Equatable {
    let decision: CacheDecision
    /// The URLs to invalidate in addition to the request's own.
    let others: [TargetURI]

    /// Whether anything is invalidated.
    var isInvalidating: Bool { decision.outcome == .invalidated }
}

extension HTTPCacheRules {
    /// Decides how a 200 to HEAD changes the stored responses to GET (RFC 9111, 4.3.5).
    ///
    /// Matching responses with the same validators and length are updated; other matching ones must be
    /// validated before their next use.
    func headUpdate(
        of stored: [StoredHead],
        by response: HTTPResponse,
        to request: HTTPRequest,
        requestTime: Date,
        responseTime: Date
    ) -> HeadUpdatePlan {
        var log = DecisionLog(mask)
        log.note(.method(request.method.rawValue))
        log.note(.status(response.status.code))
        let matching = VariantSelection(of: stored, for: request.headerFields).matching
            .filter { $0.response.status == .ok }
        guard request.method == .head, response.status == .ok, !matching.isEmpty else {
            return HeadUpdatePlan(
                decision: log.decide(.notInvalidated, .nothingChanged),
                updates: []
            )
        }
        let isNoStore =
            control(response.headerFields).forbidsStoring(status: response.status.code)
            || CacheControl(request.headerFields).isNoStore
        var hasDifferent = false
        let updates = matching.map { stored in
            if !isNoStore, Self.isSame(stored, response.headerFields),
                let updated = stored.updated(
                    with: response.headerFields,
                    in: request,
                    requestTime: requestTime,
                    responseTime: responseTime
                )
            {
                return updated
            }
            hasDifferent = true
            var outdated = stored
            outdated.isInvalidated = true
            return outdated
        }
        _ = log.consider(.headDiffers, hasDifferent)
        let decision =
            hasDifferent
            ? log.decide(.invalidated, .headDiffers) : log.decide(.updated, .headUpdates)
        return HeadUpdatePlan(decision: decision, updates: updates)
    }

    private static func isSame(_ stored: StoredHead, _ received: HTTPFields) -> Bool {
        if let tag = received.entityTag, stored.fields.entityTag != tag { return false }
        if let modified = received[.lastModified], stored.fields[.lastModified] != modified {
            return false
        }
        guard let length = received[.contentLength],
            let storedLength = stored.fields[.contentLength]
        else { return true }
        return length == storedLength
    }
}

/// How a response to HEAD changes the stored responses to GET.
struct HeadUpdatePlan: Sendable, Equatable {
    let decision: CacheDecision
    /// The changed heads, with the ids of the stored responses.
    let updates: [StoredHead]
}
