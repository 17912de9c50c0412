import FoundationEssentials
import HTTPTypes

extension HTTPCacheRules {
    /// What a 200 to HEAD does to the stored answers to GET (RFC 9111, 4.3.5).
    ///
    /// Those that the request could have got and whose validators and length are the same are
    /// updated; the others are validated before their next use.
    func headUpdate(
        of stored: [StoredHead],
        by response: HTTPResponse,
        to request: HTTPRequest,
        requestTime: Date,
        responseTime: Date
    ) -> HeadUpdatePlan {
        var log = DecisionLog()
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
            CacheControl(response.headerFields).isNoStore
            || CacheControl(request.headerFields).isNoStore
        var hasDifferent = false
        let updates = matching.map { stored in
            let isSame = !isNoStore && Self.isSame(stored, response.headerFields)
            hasDifferent = hasDifferent || !isSame
            if isSame {
                return stored.updated(
                    with: response.headerFields,
                    in: request,
                    requestTime: requestTime,
                    responseTime: responseTime
                )
            }
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
