import Synchronization

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
