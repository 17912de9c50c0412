import Synchronization

/// Runs work with a time limit.
enum Timeout {
    private enum First<Value: Sendable>: Sendable {
        case value(Value)
        case alarm(isReal: Bool)
    }

    /// Runs work and cancels it after the limit; the value it then returns is still used.
    ///
    /// - Returns: The value, and whether the limit was reached first.
    static func run<Value: Sendable>(
        _ limit: Duration?,
        _ clock: any Clock<Duration>,
        _ work: @escaping @Sendable () async -> Value
    ) async -> (value: Value, didTimeOut: Bool) {
        guard let limit else { return (await work(), false) }
        return await withTaskGroup(of: First<Value>.self) { group in
            group.addTask { .value(await work()) }
            group.addTask {
                do {
                    try await clock.sleep(for: limit)
                    return .alarm(isReal: true)
                } catch {
                    return .alarm(isReal: false)
                }
            }
            var didTimeOut = false
            while let first = await group.next() {
                switch first {
                case .value(let value):
                    group.cancelAll()
                    return (value, didTimeOut)
                case .alarm(let isReal):
                    didTimeOut = isReal
                    if isReal { group.cancelAll() }
                }
            }
            preconditionFailure("the group has one task that returns a value")
        }
    }
}

/// The first of several possible endings of a hook: its own result, its time limit or a cancellation.
final class FirstOutcome<Value: Sendable>: Sendable {
    enum Ending: Sendable {
        case returned(Value)
        case threw(any Error)
        case timedOut
        case cancelled
    }

    private struct State {
        var ending: Ending?
        var waiter: CheckedContinuation<Ending, Never>?
    }

    private let state = Mutex(State())

    /// How it ended; nil if it has not.
    var ending: Ending? { state.withLock(\.ending) }

    /// Sets the ending, unless there is one already.
    func end(_ ending: Ending) {
        let waiter = state.withLock { state -> CheckedContinuation<Ending, Never>? in
            guard state.ending == nil else { return nil }
            state.ending = ending
            return state.waiter.take()
        }
        waiter?.resume(returning: ending)
    }

    /// Waits for the ending; only one caller may wait.
    func wait() async -> Ending {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                if state.ending == nil { state.waiter = continuation }
                return state.ending
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }
}
