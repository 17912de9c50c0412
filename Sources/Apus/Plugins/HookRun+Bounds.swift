extension HookRun {
    /// Runs a hook that may throw.
    func bounded<Value: Sendable>(
        _ plugin: any Plugin,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws(ApusError) -> Value {
        do {
            return try await operation()
        } catch {
            throw ApusError(hookFault: error, of: plugin.name)
        }
    }

    /// Runs a hook that only looks on.
    func observed(
        _ plugin: any Plugin,
        _ operation: @escaping @Sendable () async -> Void
    ) async {
        await operation()
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
}
