public import Dispatch
import Synchronization

extension AnyProvider {
    /// Sends a target and calls back.
    ///
    /// - Parameters:
    ///   - target: the target to send.
    ///   - source: where responses come from.
    ///   - caching: where to store responses this time; nil for the target's policy.
    ///   - executor: calls the callbacks, one after the other.
    ///   - progress: is called with the transfer's progress.
    ///   - completion: is called once for each response, so twice with `.cacheAndServer`, and once with the
    ///     failure if the exchange ends with one.
    /// - Returns: a token that cancels the request.
    @_disfavoredOverload
    @discardableResult
    public func request(
        _ target: any TargetType,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        on executor: CallbackExecutor = .pool,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        completion: @escaping @Sendable (Result<Response, ApusError>) -> Void
    ) -> RequestToken {
        request(
            target,
            using: WholeResponse(),
            from: source,
            caching: caching,
            on: executor,
            progress: progress
        ) { completion($0.result) }
    }

    /// Sends a target and calls back with values, which are decoded in order, off the executor.
    ///
    /// - Parameters:
    ///   - target: the target to send.
    ///   - serializer: reads each response. One that needs an envelope and has none uses the target's, or
    ///     else the provider's.
    ///   - source: where responses come from.
    ///   - caching: where to store responses this time; nil for the target's policy.
    ///   - executor: calls the callbacks, one after the other.
    ///   - progress: is called with the transfer's progress.
    ///   - completion: is called once for each response with its value, so twice with `.cacheAndServer`, and
    ///     once with the failure if the exchange ends with one.
    /// - Returns: a token that cancels the request.
    @discardableResult
    public func request<S: ResponseSerializer>(
        _ target: any TargetType,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        on executor: CallbackExecutor = .pool,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        completion: @escaping @Sendable (MappedResponse<S.Value>) -> Void
    ) -> RequestToken where S.Value: Sendable {
        begin(
            events(for: target, from: source, caching: caching),
            reading(serializer, for: target)
        ) { step in
            executor.run { step.tell({ progress?($0) }, completion) }
        }
    }

    /// Sends a target and calls back on the main actor: `on: .main { result in … }`.
    ///
    /// Otherwise it works as with the other executors. The callbacks may use main-actor state.
    @_disfavoredOverload
    @discardableResult
    public func request(
        _ target: any TargetType,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        on executor: CallbackExecutor.Main,
        progress: (@MainActor (TransferProgress) -> Void)? = nil,
        completion: @escaping @MainActor (Result<Response, ApusError>) -> Void
    ) -> RequestToken {
        request(
            target,
            using: WholeResponse(),
            from: source,
            caching: caching,
            on: executor,
            progress: progress
        ) { completion($0.result) }
    }

    /// Sends a target and calls back on the main actor with values, which are decoded off it.
    @discardableResult
    public func request<S: ResponseSerializer>(
        _ target: any TargetType,
        using serializer: S,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        on executor: CallbackExecutor.Main,
        progress: (@MainActor (TransferProgress) -> Void)? = nil,
        completion: @escaping @MainActor (MappedResponse<S.Value>) -> Void
    ) -> RequestToken where S.Value: Sendable {
        begin(
            events(for: target, from: source, caching: caching),
            reading(serializer, for: target)
        ) { @MainActor step in
            step.tell({ progress?($0) }, { completion($0) })
        }
    }

    private func begin<S: ResponseSerializer>(
        _ events: ExchangeEvents,
        _ serializer: S,
        tell: @escaping @Sendable (CallbackStep<S.Value>) async -> Void
    ) -> RequestToken where S.Value: Sendable {
        let token = RequestToken()
        let reader = ValueReader(serializer)
        let events = events.read(by: reader)
        token.own(
            Task {
                for await event in events {
                    let mapped = await Self.mapped(event, reader)
                    await tell(CallbackStep(event: event, mapped: mapped, token: token))
                }
            }
        )
        return token
    }

    private static func mapped<S: ResponseSerializer>(
        _ event: ExchangeEvent,
        _ reader: ValueReader<S>
    ) async -> MappedResponse<S.Value>? where S.Value: Sendable {
        switch event {
        case .response(let response): return await reader.mapped(response)
        case .finished(let summary):
            guard case .failure(let error) = summary.result else { return nil }
            return MappedResponse(response: error.response, result: .failure(error))
        default: return nil
        }
    }
}

/// An event for the callbacks, with the value that was read from its response.
private struct CallbackStep<Value: Sendable>: Sendable {
    let event: ExchangeEvent
    let mapped: MappedResponse<Value>?
    let token: RequestToken

    func tell(
        _ progress: (TransferProgress) -> Void,
        _ completion: (MappedResponse<Value>) -> Void
    ) {
        var isLast = false
        switch event {
        case .willSend(let request, _): token.note(request)
        case .progress(let step): if !token.isCancelled { progress(step) }
        case .finished: isLast = true
        default: break
        }
        guard mapped != nil || isLast else { return }
        let verdict = token.admit(isLast: isLast)
        // A successful end is not reported.
        guard let mapped else { return }
        switch verdict {
        case .pass: completion(mapped)
        case .cancelled:
            completion(MappedResponse(response: nil, result: .failure(ApusError(.cancelled))))
        case .drop: break
        }
    }
}

private struct WholeResponse: ResponseSerializer {
    func serialize(_ response: Response) throws(ApusError) -> Response { response }
}

/// Where callbacks are called.
public struct CallbackExecutor: Sendable {
    /// Runs a piece of work, now or later; pieces must keep their order.
    let run: @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

    /// Hands each callback to a closure, which decides where it runs.
    public init(_ run: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void) {
        self.run = run
    }

    /// A thread of Swift's cooperative pool, never the caller's; the default.
    ///
    /// Unlike the main queue it needs no run loop. Callbacks must not block.
    public static let pool = CallbackExecutor { $0() }

    /// The main actor: a type of its own, because its callbacks are `@MainActor` closures.
    public enum Main: Sendable {
        /// Runs callbacks on the main actor.
        case main
    }

    /// A dispatch queue; a concurrent queue does not keep the order.
    public static func queue(_ queue: DispatchQueue) -> CallbackExecutor {
        CallbackExecutor { work in queue.async { work() } }
    }
}

/// A request that was started with a callback; it can be cancelled.
///
/// Releasing the token cancels nothing.
public final class RequestToken: Sendable, CustomStringConvertible {
    /// What happens to a result before the callback gets it.
    enum Verdict {
        case pass
        /// The request was cancelled in the meantime, and the callback gets `.cancelled` instead.
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

    /// Cancels the request: the callback gets `.cancelled` once, unless it has got everything.
    ///
    /// It may be called at any time, from any thread, and more than once.
    public func cancel() {
        let task = state.withLock { state -> Task<Void, Never>? in
            guard !state.isOver else { return nil }
            state.isCancelled = true
            return state.task.take()
        }
        task?.cancel()
    }

    /// The request as it was last sent, as a `curl` command without credentials; nil if nothing was sent.
    public var curlCommand: String? { state.withLock(\.request).map { CurlCommand($0).text } }

    /// The `curl` command, or "nothing sent yet".
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

    /// Decides what happens to a result; the last one ends the token.
    func admit(isLast: Bool) -> Verdict {
        state.withLock { state in
            guard !state.isOver else { return .drop }
            state.isOver = isLast || state.isCancelled
            if state.isOver { state.task = nil }
            return state.isCancelled ? .cancelled : .pass
        }
    }
}
