import Documents
public import FoundationEssentials
import Glibc
public import HTTPTypes

/// Repeats requests that failed for temporary reasons.
///
/// The pauses grow exponentially, with a random part so that many clients do not come back at once.
/// `Retry-After` (RFC 9110 section 10.2.3), in seconds or as a date, replaces them. If it is longer than
/// `maximumPause`, the request is not repeated.
///
/// A request is repeated if its method is idempotent, or if it certainly never reached the server.
/// `TransportOptions.timeout` applies to each attempt: an attempt that timed out is repeated too. Pauses do
/// not count toward it.
public struct RetryPolicy: Interceptor {
    /// The idempotent methods of RFC 9110 section 9.2.2.
    public static let idempotentMethods = HTTPRequest.Method.idempotentMethods
    /// Request Timeout, Too Many Requests, and temporary errors of servers.
    public static let temporaryStatuses: Set<Int> = [408, 429, 500, 502, 503, 504]

    /// The most repetitions of a request.
    public var limit: Int
    /// The pause before the first repetition.
    public var firstPause: Duration
    /// The factor from one pause to the next.
    public var factor: Double
    /// The longest pause between two attempts, however many there were.
    public var maximumPause: Duration
    /// The random part of a pause, from 0 to 1.
    public var jitter: Double
    /// The methods that may be repeated after a request reached the server.
    public var methods: Set<HTTPRequest.Method>
    /// The statuses that lead to a repetition.
    public var statuses: Set<Int>
    private let environment: Environment

    /// The sources of time and randomness.
    public struct Environment: Sendable {
        let clock: any Clock<Duration>
        let now: @Sendable () -> Date
        let random: @Sendable () -> Double

        /// Creates an environment; `random` returns a number from 0 up to 1.
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

    /// Creates a policy; by default two repetitions, after about 0.5 and 1 second.
    public init(
        limit: Int = 2,
        firstPause: Duration = .milliseconds(500),
        factor: Double = 2,
        maximumPause: Duration = .seconds(60),
        jitter: Double = 0.5,
        methods: Set<HTTPRequest.Method> = idempotentMethods,
        statuses: Set<Int> = temporaryStatuses,
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

    /// Longer than the longest pause.
    public var hookLimit: Duration? { maximumPause + .seconds(30) }

    /// Repeats the request until it succeeds or another attempt is pointless.
    public func intercept(
        _ request: PreparedRequest,
        in context: ExchangeContext,
        next: NextCall
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
            case .nameLookup, .connect:
                // Nothing was sent, unless the failure came after a redirect.
                return isIdempotent || !error.isAfterRedirect
            case .proxy(_, let proxy?) where proxy.failure != .refused:
                return isIdempotent || !error.isAfterRedirect
            case .timeout(let phase, _) where phase.isConnecting:
                return isIdempotent || !error.isAfterRedirect
            case .connectionLost, .timeout: return isIdempotent
            case .unacceptableStatus(let status): return isIdempotent && statuses.contains(status)
            default: return false
            }
        }
    }

    /// Nil if the server wants a longer pause than is allowed.
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

/// When a server wants the next request (RFC 9110 section 10.2.3).
struct RetryAfter {
    /// The time until then, never negative.
    let pause: Duration

    /// Nil if the response, or the one in the failure, does not say when.
    init?(in result: Result<Response, ApusError>, now: Date) {
        guard let response = result.receivedResponse,
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

/// The file of a response that is dropped and requested again; the next download could not replace it.
struct RefusedDownload {
    private let path: String

    /// Nil if there is no file, or if the next download may replace it.
    init?(_ result: Result<Response, ApusError>, of request: PreparedRequest) {
        guard let destination = request.destination, !destination.replacesExisting,
            case .file(let file) = result.receivedResponse?.body, file.ownership == .borrowed
        else { return nil }
        path = file.path
    }

    func remove() throws(ApusError) {
        guard unlink(path) == 0 || errno == ENOENT else {
            throw ApusError(.file(path: path, errno: errno))
        }
    }
}
