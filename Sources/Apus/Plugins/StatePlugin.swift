import Synchronization

/// Tracks the states of all exchanges of a provider, and of its targets.
///
/// An exchange has exactly one final state, after which it is forgotten. The last state of its target is
/// remembered.
public final class StatePlugin: Plugin {
    /// Is called for each new state.
    public typealias Observer =
        @Sendable (_ state: ExchangeState, _ context: ExchangeContext) -> Void

    /// Distinguishes targets of many types.
    private struct TargetKey: Hashable {
        let target: any TargetType & Hashable

        static func == (a: TargetKey, b: TargetKey) -> Bool {
            AnyHashable(a.target) == AnyHashable(b.target)
        }

        func hash(into hasher: inout Hasher) { AnyHashable(target).hash(into: &hasher) }
    }

    private struct States {
        var running: [ExchangeID: ExchangeState] = [:]
        var targets: LRUCache<TargetKey, (id: ExchangeID, state: ExchangeState)>
    }

    private let states: Mutex<States>
    private let observer: Observer

    /// Creates a plugin for one provider.
    ///
    /// - Parameters:
    ///   - maximumTargets: how many targets' states are remembered; the least recently used are forgotten.
    ///   - observer: is called for each new state.
    public init(maximumTargets: Int = 1000, _ observer: @escaping Observer = { _, _ in }) {
        states = Mutex(
            States(targets: LRUCache(costLimit: .max, countLimit: max(0, maximumTargets)))
        )
        self.observer = observer
    }

    /// The states of the running exchanges.
    public var running: [ExchangeID: ExchangeState] { states.withLock(\.running) }

    /// The state of a target's latest exchange, even after its end; nil if it was never sent or is forgotten.
    ///
    /// An exchange counts once its request is prepared, so that preparing a request or looking into the cache
    /// changes nothing. Pass a target without the wrapper that it was sent in.
    public func state(of target: some TargetType & Hashable) -> ExchangeState? {
        states.withLock { $0.targets.withValue(TargetKey(target: target)) { $0.state } }
    }

    /// Records that the request is being prepared.
    public func prepare(
        _ request: PreparedRequest,
        in context: ExchangeContext
    ) async throws -> PreparedRequest {
        enter(.preparing, context)
        return request
    }

    /// Records an attempt.
    public func willSend(_ request: PreparedRequest, in context: ExchangeContext) async throws {
        enter(.sending(attempt: context.attempt), context)
    }

    /// Records a response or a failure.
    public func didReceive(
        _ result: Result<Response, ApusError>,
        in context: ExchangeContext
    ) async {
        enter(.processing, context)
    }

    /// Records the end.
    public func didFinish(_ summary: ExchangeSummary, in context: ExchangeContext) async {
        let state: ExchangeState =
            switch summary.result {
            case .success(let response): .succeeded(response.source)
            case .failure(let error): .failed(error.reason)
            }
        enter(state, context)
    }

    /// Records the end of a call that sent nothing.
    public func didPreview(_ error: ApusError?, in context: ExchangeContext) async {
        enter(error.map { .failed($0.reason) } ?? .previewed, context)
    }

    private func enter(_ state: ExchangeState, _ context: ExchangeContext) {
        let target = (context.target as? any TargetType & Hashable)
            .map { TargetKey(target: $0) }
        states.withLock { states in
            let earlier = states.running.removeValue(forKey: context.id)
            if !state.isFinal { states.running[context.id] = state }
            let isPreparing = state == .preparing || state.isFinal && earlier == .preparing
            guard let target, !isPreparing else { return }
            let newest = states.targets.withValue(target) { $0.id.number } ?? 0
            guard newest <= context.id.number else { return }
            _ = states.targets.insert((context.id, state), for: target, cost: 0)
        }
        observer(state, context)
    }
}

/// Reports when requests are running, for a spinner or a counter.
///
/// An exchange begins with its first attempt and ends once, also after a veto, a failure or a cancellation.
/// An exchange that only the cache answers does not count.
public final class ActivityPlugin: Plugin {
    /// The beginning or the end of an exchange's activity.
    public enum Change: Sendable, Hashable {
        /// An exchange sends its first request.
        case began
        /// An exchange has ended.
        case ended
    }

    /// Is called for each change, with the number of active exchanges after it.
    public typealias Observer =
        @Sendable (_ change: Change, _ count: Int, _ context: ExchangeContext) -> Void

    private let active = Mutex<Set<ExchangeID>>([])
    private let observer: Observer

    /// Creates a plugin for one provider.
    public init(_ observer: @escaping Observer = { _, _, _ in }) { self.observer = observer }

    /// The number of active exchanges.
    public var count: Int { active.withLock(\.count) }

    /// Counts the exchange if this is its first attempt.
    public func willSend(_ request: PreparedRequest, in context: ExchangeContext) async throws {
        let count = active.withLock { active in
            active.insert(context.id).inserted ? active.count : nil
        }
        if let count { observer(.began, count, context) }
    }

    /// Counts the exchange out if it was counted.
    public func didFinish(_ summary: ExchangeSummary, in context: ExchangeContext) async {
        let count = active.withLock { active in
            active.remove(context.id) == nil ? nil : active.count
        }
        if let count { observer(.ended, count, context) }
    }
}

/// The state of an exchange.
public enum ExchangeState: Sendable, Hashable {
    /// The request is being prepared.
    case preparing
    /// The request is being sent; `attempt` counts from 1.
    case sending(attempt: Int)
    /// A response or a failure is passing through the plugins.
    case processing
    /// The exchange ended with a response.
    case succeeded(ResponseSource)
    /// The exchange ended without a response.
    case failed(ApusError.Reason)
    /// The request was only prepared, or the cache only looked into: nothing was sent.
    case previewed

    /// Whether no other state follows.
    public var isFinal: Bool {
        switch self {
        case .preparing, .sending, .processing: false
        case .succeeded, .failed, .previewed: true
        }
    }
}
