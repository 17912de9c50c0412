import HTTPTypes

/// Asks the server, or what stands in for it, and checks the answer.
///
/// ```
/// [interceptor … ─▶] willSend ─▶ stub | replay | transport ─▶ validation
/// ```
struct ServerCall: Sendable {
    /// What a call that several may wait for came to.
    struct Outcome: Sendable {
        let result: Result<Response, ApusError>
        /// How often something was sent.
        let attempts: Int
        /// What interceptors sent beside it.
        let children: [ChildExchange]
    }

    /// What makes two calls the same: everything that is sent, how it travels, where the answer
    /// goes and which statuses are one.
    struct Fingerprint: Hashable, Sendable {
        let request: PreparedRequest
        let validation: Validation
    }

    let exchange: RunningExchange
    let validation: Validation

    /// The answer to a request, or why there is none.
    ///
    /// It has passed the interceptors and the validation, but neither
    /// `didReceive` nor `process`.
    func send(_ request: PreparedRequest) async -> Result<Response, ApusError> {
        guard !Task.isCancelled else {
            return .failure(ApusError(.cancelled, request: request.line))
        }
        guard let hooks = exchange.hooks else { return await sendPlain(request) }
        guard hooks.pipeline.coalescing.shares(request.head.method) else {
            return await InterceptorChain(call: self, hooks: hooks).run(request)
        }
        return await sendShared(request, hooks.pipeline)
    }

    private func sendPlain(_ request: PreparedRequest) async -> Result<Response, ApusError> {
        exchange.willSend(request)
        do throws(ApusError) {
            let response = try await exchange.planned.transport.carry(
                request,
                progress: exchange.progress
            )
            try validation.check(response)
            return .success(response)
        } catch {
            return .failure(error)
        }
    }

    private func sendShared(
        _ request: PreparedRequest,
        _ pipeline: Pipeline
    ) async -> Result<Response, ApusError> {
        let fingerprint = Fingerprint(request: request, validation: validation)
        let shared = await pipeline.calls.value(for: fingerprint, telling: exchange.tell) {
            exchange.beginSharedCall()
            return { tell in await sharedOutcome(of: request, pipeline, tell) }
        }
        guard let shared else { return .failure(ApusError(.cancelled, request: request.line)) }
        exchange.note(shared.value, sharedBy: shared.sharedBy)
        return shared.value.result
    }

    private func sharedOutcome(
        of request: PreparedRequest,
        _ pipeline: Pipeline,
        _ tell: @escaping RunningExchange.Emit
    ) async -> Outcome {
        // Not the caller's own: the call may outlive it.
        let shared = exchange.forSharedCall(tell)
        let before = shared.attempts
        let call = ServerCall(exchange: shared, validation: validation)
        let result = await InterceptorChain(call: call, hooks: HookRun(shared, pipeline))
            .run(request)
        let outcome = Outcome(
            result: result,
            attempts: shared.attempts - before,
            children: shared.children
        )
        shared.endChildren()
        if let summary = exchange.endSharedCall() {
            // The others who wait for the outcome do not wait for this.
            pipeline.lateEnds.run { [exchange] in
                await HookRun(exchange, pipeline).didFinish(summary)
            }
        }
        return outcome
    }
}

/// Asks a content delivery network, and the target's own server when the
/// network does not do its work.
struct CDNCall {
    let transport: any Transport
    let base: CDNBase

    /// The answer of one or the other.
    ///
    /// Its `request` is the one to the target's own server in both cases, so that
    /// both are kept under one key; its `finalURL` says who answered.
    func send(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response {
        guard let first = base.request(for: request) else {
            return try await transport.send(request, progress: progress)
        }
        let result: Result<Response, ApusError>
        do throws(ApusError) {
            var response = try await transport.send(first, progress: progress)
            response.request = request
            result = .success(response)
        } catch {
            result = .failure(error)
        }
        guard CDNFallback.asksOrigin(after: result, of: request), !Task.isCancelled else {
            return try result.get()
        }
        return try await transport.send(request, progress: progress)
    }
}

extension Transport {
    /// Sends a request, through a content delivery network if it has one.
    func carry(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response {
        // Most requests have no rare option at all: one comparison.
        guard let base = request.options.shared?.value.cdn else {
            return try await send(request, progress: progress)
        }
        return try await CDNCall(transport: self, base: base).send(request, progress: progress)
    }
}
