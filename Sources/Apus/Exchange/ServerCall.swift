import HTTPTypes

/// Asks the server, or what stands in for it, and checks the answer.
///
/// ```
/// [interceptor … ─▶] willSend ─▶ stub | replay | transport ─▶ validation
/// ```
struct ServerCall: Sendable {
    let exchange: Exchange
    let validation: Validation

    /// The answer to a request, or why there is none.
    ///
    /// It has passed the interceptors and the validation, but neither
    /// `didReceive` nor `process`.
    func send(
        _ request: PreparedRequest,
        _ course: inout ExchangeCourse
    ) async -> Result<Response, ApusError> {
        guard !Task.isCancelled else {
            return .failure(ApusError(.cancelled, request: request.line))
        }
        guard let hooks = course.hooks else {
            course.willSend(request)
            do throws(ApusError) {
                let response = try await exchange.transport.carry(
                    request,
                    progress: course.progress
                )
                try validation.check(response)
                return .success(response)
            } catch {
                return .failure(error)
            }
        }
        let (outcome, sharedBy) = await send(request, hooks, course.tell)
        course.note(outcome, sharedBy: sharedBy)
        return outcome.result
    }

    /// What a request comes to, and how many calls shared it.
    func send(
        _ request: PreparedRequest,
        _ hooks: HookRun,
        _ emit: @escaping Exchange.Emit
    ) async -> (CallOutcome, sharedBy: Int) {
        let scope = hooks.scope
        let pipeline = scope.pipeline
        guard pipeline.coalescing.shares(request.head.method) else {
            return (await outcome(of: request, scope, emit), 1)
        }
        let fingerprint = CallFingerprint(request: request, validation: validation)
        let shared = await pipeline.calls.value(for: fingerprint, telling: emit) {
            scope.beginSharedCall()
            return { tell in await sharedOutcome(of: request, scope, tell) }
        }
        guard let shared else {
            let error = ApusError(.cancelled, request: request.line)
            return (CallOutcome(result: .failure(error), attempts: 0, children: []), 1)
        }
        scope.note(shared.value)
        return (shared.value, shared.sharedBy)
    }

    private func sharedOutcome(
        of request: PreparedRequest,
        _ caller: ExchangeScope,
        _ tell: @escaping Exchange.Emit
    ) async -> CallOutcome {
        // Not the caller's own scope: the call may outlive it.
        let scope = caller.forSharedCall()
        let outcome = await outcome(of: request, scope, tell)
        scope.end()
        if let summary = caller.endSharedCall() {
            // The others who wait for the outcome do not wait for this.
            caller.pipeline.lateEnds.add { await HookRun(caller).didFinish(summary) }
        }
        return outcome
    }

    private func outcome(
        of request: PreparedRequest,
        _ scope: ExchangeScope,
        _ emit: @escaping Exchange.Emit
    ) async -> CallOutcome {
        let before = scope.attempts
        let call = InterceptorChain(call: self, hooks: HookRun(scope), emit: emit)
        let result = await call.run(request)
        return CallOutcome(
            result: result,
            attempts: scope.attempts - before,
            children: scope.children
        )
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
        // Most requests have no uncommon option at all: one comparison.
        guard let base = request.options.shared?.values.cdn else {
            return try await send(request, progress: progress)
        }
        return try await CDNCall(transport: self, base: base).send(request, progress: progress)
    }
}

/// What a call to the server came to.
struct CallOutcome: Sendable {
    let result: Result<Response, ApusError>
    /// How often something was sent.
    let attempts: Int
    /// What interceptors sent beside it.
    let children: [ChildExchange]
}

/// What makes two calls to the server the same: everything that is sent, how it
/// travels, where the answer goes and which statuses are one.
struct CallFingerprint: Hashable, Sendable {
    let request: PreparedRequest
    let validation: Validation
}
