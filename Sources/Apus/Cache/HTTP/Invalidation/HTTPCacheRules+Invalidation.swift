import HTTPTypes

extension HTTPCacheRules {
    /// Which URLs an answer to an unsafe request invalidates (RFC 9111, 4.4).
    ///
    /// The target, and what `Location` and `Content-Location` name if it is of the same origin.
    /// A method that is not known to be safe is not.
    func invalidation(by response: HTTPResponse, to request: HTTPRequest) -> InvalidationPlan {
        var log = DecisionLog()
        log.note(.method(request.method.rawValue))
        log.note(.status(response.status.code))
        let isUnsafe = ![.get, .head, .options, .trace].contains(request.method)
        let isSuccess = (200..<400).contains(response.status.code)
        guard log.consider(.unsafeMethod, isUnsafe && isSuccess), let target = TargetURI(request)
        else {
            let decision = log.decide(.notInvalidated, .nothingChanged)
            return InvalidationPlan(decision: decision, targets: [])
        }
        var targets = [target]
        for name in [HTTPField.Name.location, .contentLocation] {
            for reference in response.headerFields[values: name] {
                guard let other = target.resolve(reference), other.origin == target.origin,
                    !targets.contains(other)
                else { continue }
                targets.append(other)
            }
        }
        for target in targets { log.note(.invalidated(target.text)) }
        return InvalidationPlan(
            decision: log.decide(.invalidated, .unsafeMethod),
            targets: targets
        )
    }
}
