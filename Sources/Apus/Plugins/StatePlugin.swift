import Synchronization

/// Follows the states of all exchanges of a provider.
///
/// An exchange has exactly one final state, and after it none; then it is
/// forgotten.
public final class StatePlugin: Plugin {
    /// Is told of each new state.
    public typealias Observer =
        @Sendable (_ state: ExchangeState, _ context: ExchangeContext) -> Void

    private let states = Mutex<[ExchangeID: ExchangeState]>([:])
    private let observer: Observer

    /// Makes a plugin for one provider.
    public init(_ observer: @escaping Observer = { _, _ in }) { self.observer = observer }

    /// The states of the exchanges that run.
    public var running: [ExchangeID: ExchangeState] { states.withLock { $0 } }

    /// Notes that the request is being made.
    public func prepare(
        _ request: PreparedRequest,
        in context: ExchangeContext
    ) async throws -> PreparedRequest {
        enter(.preparing, context)
        return request
    }

    /// Notes a sending.
    public func willSend(_ request: PreparedRequest, in context: ExchangeContext) async throws {
        enter(.sending(attempt: context.attempt), context)
    }

    /// Notes an answer or a failure.
    public func didReceive(
        _ result: Result<Response, ApusError>,
        in context: ExchangeContext
    ) async {
        enter(.processing, context)
    }

    /// Notes the end.
    public func didFinish(_ summary: ExchangeSummary, in context: ExchangeContext) async {
        let state: ExchangeState =
            switch summary.result {
            case .success(let response): .succeeded(response.source)
            case .failure(let error): .failed(error.reason)
            }
        states.withLock { _ = $0.removeValue(forKey: context.id) }
        observer(state, context)
    }

    private func enter(_ state: ExchangeState, _ context: ExchangeContext) {
        states.withLock { $0[context.id] = state }
        observer(state, context)
    }
}

/// Tells when requests are on their way, for a spinner or a counter.
///
/// An exchange begins with its first sending and ends once, whatever becomes of
/// it: after a veto, a failure or a cancellation too. What the cache answers alone
/// is no activity.
public final class ActivityPlugin: Plugin {
    /// What has changed.
    public enum Change: Sendable, Hashable {
        /// An exchange sends its first request.
        case began
        /// It has ended.
        case ended
    }

    /// Is told of a change, and how many exchanges are active after it.
    public typealias Observer =
        @Sendable (_ change: Change, _ count: Int, _ context: ExchangeContext) -> Void

    private let active = Mutex<Set<ExchangeID>>([])
    private let observer: Observer

    /// Makes a plugin for one provider.
    public init(_ observer: @escaping Observer = { _, _, _ in }) { self.observer = observer }

    /// How many exchanges are active.
    public var count: Int { active.withLock(\.count) }

    /// Begins, if it is the first attempt.
    public func willSend(_ request: PreparedRequest, in context: ExchangeContext) async throws {
        let count = active.withLock { active in
            active.insert(context.id).inserted ? active.count : nil
        }
        if let count { observer(.began, count, context) }
    }

    /// Ends, if it had begun.
    public func didFinish(_ summary: ExchangeSummary, in context: ExchangeContext) async {
        let count = active.withLock { active in
            active.remove(context.id) == nil ? nil : active.count
        }
        if let count { observer(.ended, count, context) }
    }
}

/// How far an exchange has come.
public enum ExchangeState: Sendable, Hashable {
    /// Its request is being made.
    case preparing
    /// It is on its way for the so many-th time.
    case sending(attempt: Int)
    /// An answer or a failure is there and goes through the plugins.
    case processing
    /// It ended with an answer.
    case succeeded(ResponseSource)
    /// It ended without one.
    case failed(ApusError.Reason)

    /// Whether nothing follows.
    public var isFinal: Bool {
        switch self {
        case .preparing, .sending, .processing: false
        case .succeeded, .failed: true
        }
    }
}
