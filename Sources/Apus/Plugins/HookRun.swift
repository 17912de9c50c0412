/// Calls the plugins of one exchange, in their order.
struct HookRun: Sendable {
    let scope: ExchangeScope

    init(_ scope: ExchangeScope) { self.scope = scope }

    private var plugins: [any Plugin] { scope.pipeline.plugins }

    func plan(_ plan: CachePlan) -> CachePlan {
        let context = scope.context(beforeSending: true)
        return plugins.reduce(plan) { $1.plan($0, in: context) }
    }

    func adapt(_ task: RequestTask) async throws(ApusError) -> RequestTask {
        let context = scope.context(beforeSending: true)
        var task = task
        for plugin in plugins {
            task = try await bounded(plugin) { [task] in
                try await plugin.adapt(task, in: context)
            }
        }
        return task
    }

    func prepare(_ request: PreparedRequest) async throws(ApusError) -> PreparedRequest {
        let context = scope.context(beforeSending: true)
        var request = request
        for plugin in plugins {
            request = try await bounded(plugin) { [request] in
                try await plugin.prepare(request, in: context)
            }
        }
        setAccount(of: &request, context)
        scope.note(request)
        return request
    }

    /// Notes whose credentials the interceptors will add, so that the key knows.
    private func setAccount(of request: inout PreparedRequest, _ context: ExchangeContext) {
        let accounts = scope.pipeline.interceptors.compactMap { $0.account(in: context) }
        guard !accounts.isEmpty else { return }
        let own = request.options.account.map { [$0] } ?? []
        request.options.account = (own + accounts).joined(separator: "\n")
    }

    func willSend(_ request: PreparedRequest) async throws(ApusError) {
        let context = scope.context(beforeSending: true)
        for plugin in plugins {
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

    /// `didReceive` of all, then `process` of all.
    func process(
        _ result: Result<Response, ApusError>,
        hasAnswer: Bool,
        mayRetry: Bool
    ) async -> Processed {
        var context = scope.context(beforeSending: false)
        context.hasAnswer = hasAnswer
        context.source = try? result.get().source
        for plugin in plugins {
            await observed(plugin) { [context] in
                await plugin.didReceive(result, in: context)
            }
        }
        var result = result
        for plugin in plugins {
            // A cancelled exchange ends: nothing replaces or repeats it.
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
    ) async -> Processed {
        do throws(ApusError) {
            return try await bounded(plugin) { try await plugin.process(result, in: context) }
        } catch {
            var error = error
            // Evidence of what was refused is not lost.
            if error.response == nil { error.response = try? result.get() }
            return .result(.failure(error))
        }
    }

    func didFinish(_ summary: ExchangeSummary) async {
        var context = scope.context(beforeSending: false)
        context.hasAnswer = summary.responseCount > 0
        context.source = try? summary.result.get().source
        for plugin in plugins {
            await observed(plugin) { [context] in
                await plugin.didFinish(summary, in: context)
            }
        }
    }

    func pause(for duration: Duration) async throws(ApusError) {
        do {
            try await scope.pipeline.clock.sleep(for: duration)
        } catch {
            throw ApusError(.cancelled)
        }
    }
}
