import Documents
public import FoundationEssentials
import Glibc
public import HTTPTypes

/// Repeats requests that failed for reasons that pass.
///
/// The pauses grow exponentially, with a random part so that many clients do not
/// come back at once; `Retry-After` (RFC 9110 section 10.2.3), in seconds or as a
/// date, takes their place. One longer than `maximumPause` ends the retrying.
///
/// A request is repeated if its method is idempotent, or if it certainly never
/// reached the server. `TransportOptions.timeout` is for each attempt: one that took too long is
/// repeated, too, and the pauses, which `maximumPause` limits, do not count.
public struct RetryPolicy: Interceptor {
    /// RFC 9110 section 9.2.2.
    public static let idempotentMethods: Set<HTTPRequest.Method> = [
        .get, .head, .put, .delete, .options, .trace,
    ]
    /// Request Timeout, Too Many Requests, and what servers say when they are ill.
    public static let passingStatuses: Set<Int> = [408, 429, 500, 502, 503, 504]

    /// How often a request is repeated at most.
    public var limit: Int
    /// The pause before the first repetition.
    public var firstPause: Duration
    /// What each pause is multiplied by to get the next.
    public var factor: Double
    /// No pause is longer.
    public var maximumPause: Duration
    /// The part of a pause that chance decides, 0 to 1.
    public var jitter: Double
    /// The methods that may be repeated after they reached the server.
    public var methods: Set<HTTPRequest.Method>
    /// The statuses that are repeated.
    public var statuses: Set<Int>
    private let environment: Environment

    /// Where time and chance come from.
    public struct Environment: Sendable {
        let clock: any Clock<Duration>
        let now: @Sendable () -> Date
        let random: @Sendable () -> Double

        /// Gives them in; `random` is from 0 up to 1.
        public init(
            clock: any Clock<Duration> = ContinuousClock(),
            now: @escaping @Sendable () -> Date = { Date() },
            random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
        ) {
            self.clock = clock
            self.now = now
            self.random = random
        }
    }

    /// Makes a policy; by default two repetitions, after about 0.5 and 1 second.
    public init(
        limit: Int = 2,
        firstPause: Duration = .milliseconds(500),
        factor: Double = 2,
        maximumPause: Duration = .seconds(60),
        jitter: Double = 0.5,
        methods: Set<HTTPRequest.Method> = idempotentMethods,
        statuses: Set<Int> = passingStatuses,
        environment: Environment = Environment()
    ) {
        self.limit = limit
        self.firstPause = firstPause
        self.factor = factor
        self.maximumPause = maximumPause
        self.jitter = jitter
        self.methods = methods
        self.statuses = statuses
        self.environment = environment
    }

    /// Its pauses may be longer than what a hook gets.
    public var hookLimit: Duration? { maximumPause + .seconds(30) }

    /// Asks until there is an answer, or nothing to hope for.
    public func intercept(
        _ request: PreparedRequest,
        in context: ExchangeContext,
        next: Next
    ) async throws -> Response {
        var repetition = 0
        while true {
            let result = await next.result(of: request)
            guard repetition < limit, isWorthRepeating(result, of: request),
                let pause = pause(before: repetition, after: result)
            else { return try result.get() }
            try await environment.clock.sleep(for: pause)
            try RefusedDownload(result, of: request)?.remove()
            repetition += 1
        }
    }

    private func isWorthRepeating(
        _ result: Result<Response, ApusError>,
        of request: PreparedRequest
    ) -> Bool {
        let isIdempotent = methods.contains(request.head.method)
        switch result {
        case .success(let response): return isIdempotent && statuses.contains(response.status)
        case .failure(let error):
            switch error.reason {
            case .nameLookup, .connect, .timeout(.connecting, _):
                // Nothing was sent, unless it was that of a place which a redirect led to.
                return isIdempotent || !error.isAfterRedirect
            case .connectionLost, .timeout: return isIdempotent
            case .unacceptableStatus(let status): return isIdempotent && statuses.contains(status)
            default: return false
            }
        }
    }

    /// Nil if the server wants a longer one than is allowed.
    private func pause(
        before repetition: Int,
        after result: Result<Response, ApusError>
    ) -> Duration? {
        if let wanted = RetryAfter(in: result, now: environment.now())?.pause {
            return wanted <= maximumPause ? wanted : nil
        }
        var pause = firstPause
        for _ in 0..<repetition where pause < maximumPause { pause = pause * factor }
        return min(pause, maximumPause) * (1 - jitter * environment.random())
    }
}

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

/// The file of an answer that is dropped and asked for again: it would be in the
/// way of the next one.
struct RefusedDownload {
    private let path: String

    /// Nil if no file was made, or if the next one replaces it anyway.
    init?(_ result: Result<Response, ApusError>, of request: PreparedRequest) {
        let response: Response? =
            switch result {
            case .success(let response): response
            case .failure(let error): error.response
            }
        guard let destination = request.destination, !destination.replacesExisting,
            case .file(let file) = response?.body, file.ownership == .borrowed
        else { return nil }
        path = file.path
    }

    func remove() throws(ApusError) {
        guard unlink(path) == 0 || errno == ENOENT else {
            throw ApusError(.file(path: path, errno: errno))
        }
    }
}
