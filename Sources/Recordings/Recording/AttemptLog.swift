package import Apus
import FoundationEssentials
import Synchronization

/// Collects the attempts of one request with their results, each as an exchange of its own.
package final class AttemptLog: Interceptor {
    private let log = Mutex<[ExchangeRecord]>([])
    private let hasShownBody: @Sendable () -> Bool

    /// Makes a log.
    ///
    /// - Parameter hasShownBody: Whether some of the last attempt's body is already shown, so that another attempt
    ///   would show it a second time.
    package init(hasShownBody: @escaping @Sendable () -> Bool) {
        self.hasShownBody = hasShownBody
    }

    /// Why the last attempt failed after some of its body was shown; nil if that did not happen.
    package var broken: ApusError? {
        guard hasShownBody(), case .failure(let error)? = log.withLock(\.last)?.result else {
            return nil
        }
        return error
    }

    /// The exchanges to record for a request: those that were retried, and the last one, whose result is that of
    /// the request as a whole.
    package func records(endingWith whole: ExchangeRecord) -> [ExchangeRecord] {
        let attempts = log.withLock(\.self)
        guard attempts.count > 1, let last = attempts.last else { return [whole] }
        return attempts.dropLast() + [
            ExchangeRecord(
                started: last.started,
                request: whole.request,
                result: whole.result,
                duration: last.duration
            )
        ]
    }

    package func intercept(
        _ request: PreparedRequest,
        in context: ExchangeContext,
        next: NextCall
    ) async throws -> Response {
        let (started, clock) = (Date(), ContinuousClock.now)
        let result: Result<Response, ApusError>
        do throws(ApusError) {
            result = .success(try await next(request))
        } catch {
            result = .failure(error)
        }
        let record = ExchangeRecord(
            started: started,
            request: request,
            result: result,
            duration: .now - clock
        )
        log.withLock { $0.append(record) }
        // Nothing cancelled is repeated.
        if broken != nil { throw ApusError(.cancelled, request: request.line) }
        return try result.get()
    }
}
