import Synchronization

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
