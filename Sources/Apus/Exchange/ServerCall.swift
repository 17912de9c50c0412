import HTTPTypes

/// Asks the server, or its replacement, and validates the response.
///
/// ```
/// [interceptor … ─▶] willSend ─▶ stub | replay | transport ─▶ validation
/// ```
struct ServerCall: Sendable {
    /// The outcome of a call that several exchanges may wait for.
    struct Outcome: Sendable {
        let result: Result<Response, ApusError>
        /// The number of times a request was sent.
        let attempts: Int
        /// The exchanges that interceptors sent.
        let children: [ChildExchange]
    }

    /// Identifies equal calls: everything that is sent, how it is sent, the response's destination and its
    /// validation.
    struct Fingerprint: Hashable, Sendable {
        let request: PreparedRequest
        let validation: Validation
    }

    let exchange: RunningExchange
    let validation: Validation

    /// Returns the response to a request, or why there is none.
    ///
    /// The response has passed the interceptors and the validation, but not `didReceive` and `process`.
    func send(_ request: PreparedRequest) async -> Result<Response, ApusError> {
        guard !Task.isCancelled else {
            return .failure(ApusError(.cancelled, request: request.line))
        }
        guard let hooks = exchange.hooks else { return await sendPlain(request) }
        guard !exchange.planned.isStreaming,
            hooks.pipeline.coalescing.shares(request.head.method)
        else {
            return await InterceptorChain(call: self, hooks: hooks).run(request)
        }
        return await sendShared(request, hooks.pipeline)
    }

    /// Validates a response of the server or of a stub.
    ///
    /// - Throws: `.unacceptableStatus` with the response.
    func check(_ response: Response) async throws(ApusError) {
        guard response.isStreamed else { return try validation.check(response) }
        try await validation.checkArriving(response)
    }

    private func sendPlain(_ request: PreparedRequest) async -> Result<Response, ApusError> {
        exchange.willSend(request)
        do throws(ApusError) {
            let response = try await exchange.planned.carrier.carry(
                request,
                progress: exchange.progress
            )
            try await check(response)
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
        // A separate exchange, because the call may outlive the caller's.
        let shared = exchange.forSharedCall(tell)
        let before = shared.attempts
        let call = ServerCall(exchange: shared, validation: validation)
        let result = await InterceptorChain(call: call, hooks: HookRunner(shared, pipeline))
            .run(request)
        let outcome = Outcome(
            result: result,
            attempts: shared.attempts - before,
            children: shared.children
        )
        shared.endChildren()
        if let summary = exchange.endSharedCall() {
            // In the background, so that the other waiting callers are not delayed.
            pipeline.lateEnds.run { [exchange] in
                await HookRunner(exchange, pipeline).didFinish(summary)
            }
        }
        return outcome
    }
}

/// Asks a content delivery network, and the target's own server if the network fails.
struct CDNCall {
    let transport: any Transport
    let base: CDNBase

    /// Returns the response of the network or the server.
    ///
    /// Its `request` is always the one to the target's own server, so that both are cached under one key;
    /// `finalURL` says which responded.
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
        // Most requests have no rare options, so this is a single comparison.
        guard let base = request.options.shared?.value.cdn else {
            return try await send(request, progress: progress)
        }
        return try await CDNCall(transport: self, base: base).send(request, progress: progress)
    }
}
