import Secrets

/// Calls the plugins of one exchange, in their order.
struct HookRunner: Sendable {
    let exchange: RunningExchange
    let pipeline: Pipeline

    init(_ exchange: RunningExchange, _ pipeline: Pipeline) {
        self.exchange = exchange
        self.pipeline = pipeline
    }

    private var plugins: [any Plugin] { pipeline.plugins }
    private var actingPlugins: [any Plugin] { pipeline.actingPlugins }

    func plan(_ plan: CachePlan) -> CachePlan {
        let context = exchange.context(beforeSending: true)
        return actingPlugins.reduce(plan) { $1.plan($0, in: context) }
    }

    func adapt(_ task: RequestTask) async throws(ApusError) -> RequestTask {
        let context = exchange.context(beforeSending: true)
        var task = task
        for plugin in actingPlugins {
            task = try await bounded(plugin) { [task] in
                try await plugin.adapt(task, in: context)
            }
        }
        return task
    }

    func prepare(_ request: PreparedRequest) async throws(ApusError) -> PreparedRequest {
        let context = exchange.context(beforeSending: true)
        var request = request
        for plugin in actingPlugins {
            request = try await bounded(plugin) { [request] in
                try await plugin.prepare(request, in: context)
            }
        }
        try exchange.planned.modify(&request)
        setAccount(of: &request, context)
        exchange.note(request)
        return request
    }

    /// Stores the accounts whose credentials the interceptors will add, so that the cache key contains them.
    private func setAccount(of request: inout PreparedRequest, _ context: ExchangeContext) {
        guard !pipeline.interceptors.isEmpty else { return }
        // Interceptors must know the request, because whether they add credentials depends on its
        // destination.
        exchange.note(request)
        let accounts = pipeline.interceptors.compactMap { $0.account(in: context) }
        guard !accounts.isEmpty else { return }
        let own = request.options.account.map { [$0] } ?? []
        request.options.account = (own + accounts).joined(separator: "\n")
    }

    func willSend(_ request: PreparedRequest) async throws(ApusError) {
        let context = exchange.context(beforeSending: true)
        for plugin in actingPlugins {
            do throws(ApusError) {
                try await bounded(plugin) { try await plugin.willSend(request, in: context) }
            } catch {
                throw ApusError(
                    request.mask.masking(error.reason),
                    request: request.line,
                    response: error.response
                )
            }
        }
    }

    /// Calls `didReceive` of all plugins, then `process` of all.
    func process(
        _ result: Result<Response, ApusError>,
        hasResponse: Bool,
        mayRetry: Bool
    ) async -> ProcessingResult {
        var context = exchange.context(beforeSending: false)
        context.hasResponse = hasResponse
        context.source = try? result.get().source
        for (plugin, isObserving) in zip(plugins, pipeline.areObserving) {
            await observed(plugin, isObserving) { [context] in
                await plugin.didReceive(result, in: context)
            }
        }
        var result = result
        for plugin in actingPlugins {
            // A cancelled exchange ends; nothing may replace or repeat it.
            if case .failure(let error) = result, error.reason == .cancelled { break }
            switch await processed(result, by: plugin, context) {
            case .retry(let pause) where mayRetry: return .retry(after: pause)
            case .retry: break
            case .result(let replaced): result = replaced
            }
            context.source = try? result.get().source
        }
        return .result(result)
    }

    private func processed(
        _ result: Result<Response, ApusError>,
        by plugin: any Plugin,
        _ context: ExchangeContext
    ) async -> ProcessingResult {
        do throws(ApusError) {
            return try await bounded(plugin) { try await plugin.process(result, in: context) }
        } catch {
            var error = error
            // Keep the response that was refused as evidence.
            if error.response == nil { error.response = try? result.get() }
            return .result(.failure(error))
        }
    }

    func didFinish(_ summary: ExchangeSummary) async {
        var context = exchange.context(beforeSending: false)
        context.hasResponse = summary.responseCount > 0
        context.source = try? summary.result.get().source
        for (plugin, isObserving) in zip(plugins, pipeline.areObserving) {
            await observed(plugin, isObserving) { [context] in
                await plugin.didFinish(summary, in: context)
            }
        }
    }

    func didPreview(_ error: ApusError?) async {
        let context = exchange.context(beforeSending: false)
        for (plugin, isObserving) in zip(plugins, pipeline.areObserving) where !isObserving {
            await observed(plugin, false) { await plugin.didPreview(error, in: context) }
        }
    }

    func pause(for duration: Duration) async throws(ApusError) {
        do {
            try await pipeline.clock.sleep(for: duration)
        } catch {
            throw ApusError(.cancelled)
        }
    }
}

extension HookRunner {
    /// Runs a hook that may throw; cancelling the exchange or reaching the time limit ends it.
    func bounded<Value: Sendable>(
        _ plugin: any Plugin,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws(ApusError) -> Value {
        let limit = plugin.hookLimit ?? pipeline.limits.time
        let ending = await race(limit, endsWhenCancelled: true, operation)
        switch ending {
        case .returned(let value): return value
        case .threw(let error): throw ApusError(hookFault: error, of: plugin.name)
        case .timedOut: throw .hookTimeout(plugin.name, limit)
        case .cancelled: throw ApusError(.cancelled)
        }
    }

    /// Runs a hook that only observes, even if the exchange is cancelled, because it has to see that.
    func observed(
        _ plugin: any Plugin,
        _ isObserving: Bool,
        _ operation: @escaping @Sendable () async -> Void
    ) async {
        guard !isObserving else { return await operation() }
        let limit = plugin.hookLimit ?? pipeline.limits.time
        _ = await race(limit, endsWhenCancelled: false) { await operation() }
    }

    private func race<Value: Sendable>(
        _ limit: Duration?,
        endsWhenCancelled: Bool,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async -> FirstOutcome<Value>.Ending {
        let race = FirstOutcome<Value>()
        // A task of its own can be abandoned if it never returns. It starts at once on this thread, because
        // most hooks end without waiting.
        let task = Task.immediate {
            do { race.end(.returned(try await operation())) } catch { race.end(.threw(error)) }
        }
        if let ending = race.ending { return ending }
        let timers = pipeline.timers
        let alarm = limit.map { timers.set(after: $0) { race.end(.timedOut) } }
        let ending = await withTaskCancellationHandler {
            await race.wait()
        } onCancel: {
            guard endsWhenCancelled else { return }
            task.cancel()
            race.end(.cancelled)
        }
        if let alarm { timers.remove(alarm) }
        if case .timedOut = ending { task.cancel() }
        return ending
    }
}

extension ApusError {
    /// Converts an error that a hook threw.
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

/// The limits for the hooks of a provider.
public struct HookLimits: Sendable, Hashable {
    /// How long a hook may take; 30 s by default, nil for no limit.
    public var time: Duration?
    /// How often `process` may ask for another attempt in one exchange; 3 by default.
    public var retries: Int

    /// Creates limits.
    public init(time: Duration? = .seconds(30), retries: Int = 3) {
        self.time = time
        self.retries = retries
    }
}
