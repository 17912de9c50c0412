import FoundationEssentials
import HTTPTypes

/// When a server wants to be asked again (RFC 9110 section 10.2.3).
struct RetryAfter {
    /// The time until then, not negative.
    let pause: Duration

    /// Nil if an answer, or the one in a failure, does not say it.
    init?(in result: Result<Response, ApusError>, now: Date) {
        let response: Response? =
            switch result {
            case .success(let response): response
            case .failure(let error): error.response
            }
        guard let response,
            let text = response.head.headerFields[.retryAfter],
            let pause = Self.parse(text, now: now)
        else { return nil }
        self.pause = pause
    }

    private static func parse(_ text: String, now: Date) -> Duration? {
        if let seconds = DeltaSeconds.parse(text) { return seconds }
        guard let date = HTTPDate.parse(text, now: now) else { return nil }
        return .seconds(max(0, date.timeIntervalSince(now)))
    }
}
