import Synchronization

/// Follows the states of all exchanges of a provider, and of its targets.
///
/// An exchange has exactly one final state, and after it none; then it is forgotten. What its target
/// came to is remembered.
public final class StatePlugin: Plugin {
    /// Is told of each new state.
    public typealias Observer =
        @Sendable (_ state: ExchangeState, _ context: ExchangeContext) -> Void

    /// Targets of many types, told apart.
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

    /// Makes a plugin for one provider.
    ///
    /// - Parameters:
    ///   - maximumTargets: the states of how many targets are remembered; those that were not asked for
    ///     or sent for the longest time are forgotten.
    ///   - observer: is told of each new state.
    public init(maximumTargets: Int = 1000, _ observer: @escaping Observer = { _, _ in }) {
        states = Mutex(
            States(targets: LRUCache(costLimit: .max, countLimit: max(0, maximumTargets)))
        )
        self.observer = observer
    }

    /// The states of the exchanges that run.
    public var running: [ExchangeID: ExchangeState] { states.withLock(\.running) }

    /// The state of a target: that of the exchange which was begun for it last, also after its end; nil
    /// if it was never sent, or is forgotten.
    ///
    /// An exchange counts once its request is made, so that to prepare one, or to look into the cache,
    /// changes nothing. A target in a wrapper is asked for without it.
    public func state(of target: some TargetType & Hashable) -> ExchangeState? {
        states.withLock { $0.targets.withValue(TargetKey(target: target)) { $0.state } }
    }

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
        enter(state, context)
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
