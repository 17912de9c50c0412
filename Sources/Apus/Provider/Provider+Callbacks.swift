public import Dispatch
import Synchronization

extension Provider {
    /// Sends a target and calls back.
    ///
    /// - Parameters:
    ///   - target: what is asked.
    ///   - source: where answers come from.
    ///   - caching: where they are kept this time; nil for what the target says.
    ///   - executor: where the callbacks are called, one after the other.
    ///   - progress: hears of the transfer's progress.
    ///   - completion: gets each answer once, so two from `.cacheAndServer`, and a failure
    ///     once if the exchange ends with one.
    /// - Returns: what cancels it.
    @discardableResult
    public func request(
        _ target: Target,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        on executor: CallbackExecutor = .pool,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        completion: @escaping @Sendable (Result<Response, ApusError>) -> Void
    ) -> RequestToken {
        let token = RequestToken()
        let events = events(for: target, from: source, caching: caching)
        token.own(
            Task {
                for await event in events {
                    executor.run {
                        Self.tell(event, token, progress: progress, completion: completion)
                    }
                }
            }
        )
        return token
    }

    private static func tell(
        _ event: ExchangeEvent,
        _ token: RequestToken,
        progress: (@Sendable (TransferProgress) -> Void)?,
        completion: (Result<Response, ApusError>) -> Void
    ) {
        switch event {
        case .willSend(let request, _): token.note(request)
        case .progress(let step): if !token.isCancelled { progress?(step) }
        case .response(let response): pass(.success(response), isLast: false, token, completion)
        case .finished(let summary):
            if case .failure = summary.result {
                pass(summary.result, isLast: true, token, completion)
            } else {
                _ = token.admit(isLast: true)
            }
        default: break
        }
    }

    private static func pass(
        _ result: Result<Response, ApusError>,
        isLast: Bool,
        _ token: RequestToken,
        _ completion: (Result<Response, ApusError>) -> Void
    ) {
        switch token.admit(isLast: isLast) {
        case .pass: completion(result)
        case .cancelled: completion(.failure(ApusError(.cancelled)))
        case .drop: break
        }
    }
}

/// Where callbacks are called.
public struct CallbackExecutor: Sendable {
    /// Runs a piece of work, now or later; pieces must keep their order.
    let run: @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

    /// Hands each callback to a closure, which runs it where it likes.
    public init(_ run: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void) {
        self.run = run
    }

    /// A thread of Swift's own pool, never the caller's; the default.
    ///
    /// Unlike the main queue it needs nobody to drain it. Callbacks must not block there.
    public static let pool = CallbackExecutor { $0() }

    /// The main actor.
    public static let main = CallbackExecutor { work in
        Task { @MainActor in work() }
    }

    /// A dispatch queue; one that is concurrent does not keep the order.
    public static func queue(_ queue: DispatchQueue) -> CallbackExecutor {
        CallbackExecutor { work in queue.async { work() } }
    }
}

/// A request that was begun with a callback; it can be cancelled.
///
/// Letting go of it cancels nothing.
public final class RequestToken: Sendable, CustomStringConvertible {
    /// What may happen to a result on its way to the callback.
    enum Verdict {
        case pass
        /// The request was cancelled meanwhile: the callback hears of that instead.
        case cancelled
        case drop
    }

    private struct State {
        var isCancelled = false
        var isOver = false
        var request: PreparedRequest?
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())

    init() {}

    /// Whether `cancel` was called before the end.
    public var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// Whether the callback has been called for the last time.
    public var isFinished: Bool { state.withLock(\.isOver) }

    /// Ends the request: the callback gets `.cancelled`, once, unless it has got
    /// everything already.
    ///
    /// It may be called at any time, from anywhere and more than once.
    public func cancel() {
        let task = state.withLock { state -> Task<Void, Never>? in
            guard !state.isOver else { return nil }
            state.isCancelled = true
            return state.task.take()
        }
        task?.cancel()
    }

    /// The request as it was last sent, as a `curl` command without credentials.
    public var curlCommand: String? { state.withLock(\.request).map { CurlCommand($0).text } }

    /// The `curl` command, or words that nothing was sent yet.
    public var description: String { curlCommand ?? "nothing sent yet" }

    func own(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            guard !state.isCancelled else { return true }
            state.task = state.isOver ? nil : task
            return false
        }
        if isCancelled { task.cancel() }
    }

    func note(_ request: PreparedRequest) { state.withLock { $0.request = request } }

    /// Says what becomes of a result; the last one ends the token.
    func admit(isLast: Bool) -> Verdict {
        state.withLock { state in
            guard !state.isOver else { return .drop }
            state.isOver = isLast || state.isCancelled
            if state.isOver { state.task = nil }
            return state.isCancelled ? .cancelled : .pass
        }
    }
}
