extension HookRun {
    /// Runs a hook that may throw; it ends with the exchange's cancellation, and
    /// with its time limit.
    func bounded<Value: Sendable>(
        _ plugin: any Plugin,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws(ApusError) -> Value {
        let limit = plugin.hookLimit ?? scope.pipeline.limits.time
        let ending = await race(limit, endsWhenCancelled: true, operation)
        switch ending {
        case .returned(let value): return value
        case .threw(let error): throw ApusError(hookFault: error, of: plugin.name)
        case .timedOut: throw .hookTimeout(plugin.name, limit)
        case .cancelled: throw ApusError(.cancelled)
        }
    }

    /// Runs a hook that only looks on: also when the exchange is cancelled, for it
    /// has to see that.
    func observed(
        _ plugin: any Plugin,
        _ operation: @escaping @Sendable () async -> Void
    ) async {
        let limit = plugin.hookLimit ?? scope.pipeline.limits.time
        _ = await race(limit, endsWhenCancelled: false) { await operation() }
    }

    private func race<Value: Sendable>(
        _ limit: Duration?,
        endsWhenCancelled: Bool,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async -> HookRace<Value>.Ending {
        let race = HookRace<Value>()
        // A task of its own can be left behind if it never returns. It starts at
        // once, on this thread: most hooks end without waiting for anything.
        let task = Task.immediate {
            do { race.end(.returned(try await operation())) } catch { race.end(.threw(error)) }
        }
        if let ending = race.ending { return ending }
        let watchdog = scope.pipeline.watchdog
        let alarm = limit.map { watchdog.set(after: $0) { race.end(.timedOut) } }
        let ending = await withTaskCancellationHandler {
            await race.wait()
        } onCancel: {
            guard endsWhenCancelled else { return }
            task.cancel()
            race.end(.cancelled)
        }
        if let alarm { watchdog.remove(alarm) }
        if case .timedOut = ending { task.cancel() }
        return ending
    }
}

extension ApusError {
    /// What an error that a hook threw does to the exchange.
    init(hookFault error: any Error, of name: String) {
        switch error {
        case let error as ApusError: self = error
        case let veto as Veto: self.init(.vetoed(reason: veto.reason))
        case is CancellationError: self.init(.cancelled)
        default: self.init(.hookFailed(plugin: name, detail: String(describing: error)))
        }
    }

    static func hookTimeout(_ name: String, _ limit: Duration?) -> ApusError {
        ApusError(.hookTimeout(plugin: name, limit: limit ?? .zero))
    }
}
