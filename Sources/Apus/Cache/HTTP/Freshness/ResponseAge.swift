import FoundationEssentials
import HTTPTypes

/// How old a stored response is, step by step (RFC 9111, 4.2.3).
struct ResponseAge: Sendable, Equatable {
    let apparent: Duration
    /// Nil if there is no valid `Age`.
    let ageField: Duration?
    let responseDelay: Duration
    let correctedInitial: Duration
    let resident: Duration
    let current: Duration
    /// Whether it came later than now, because the clock has been set back since: nobody knows for
    /// how long it has been here, and `current` is the least that it can be.
    let isUnknown: Bool

    init(of stored: StoredHead, at now: Date) {
        // Dates have whole seconds: a fraction is not age.
        let apparentSeconds =
            stored.responseTime.timeIntervalSince1970.rounded(.down)
            - stored.date.timeIntervalSince1970.rounded(.down)
        apparent = .seconds(max(0, apparentSeconds))
        ageField = stored.fields.age
        responseDelay = .between(stored.requestTime, stored.responseTime)
        let corrected = (ageField ?? .zero) + responseDelay
        correctedInitial = max(apparent, corrected)
        resident = .between(stored.responseTime, now)
        isUnknown = stored.responseTime.isFuture(at: now)
        current = correctedInitial + resident
    }

    /// As `Age` gives it: whole seconds, at most 2^31.
    var fieldValue: String {
        String(min(current, DeltaSeconds.largest).components.seconds)
    }

    func report(to log: inout DecisionLog) {
        log.note(.apparentAge(apparent))
        if let ageField { log.note(.ageField(ageField)) }
        log.note(.responseDelay(responseDelay))
        log.note(.correctedInitialAge(correctedInitial))
        log.note(.residentTime(resident))
        log.note(.currentAge(current))
    }
}

extension Duration {
    /// From one moment to the next; zero if the clock was set back.
    static func between(_ start: Date, _ end: Date) -> Duration {
        // Microseconds: what a Date of this century can tell apart.
        .microseconds(max(0, (end.timeIntervalSince(start) * 1e6).rounded()))
    }
}
