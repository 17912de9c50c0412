public import Dispatch

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
