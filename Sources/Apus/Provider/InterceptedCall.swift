/// A call to the server through interceptors and hooks.
struct InterceptedCall: Sendable {
    let call: ServerCall
    let hooks: HookRun
    let emit: Exchange.Emit

    func run(_ request: PreparedRequest) async -> Result<Response, ApusError> {
        do throws(ApusError) {
            return .success(try await ask(request, from: 0))
        } catch {
            return .failure(error)
        }
    }

    /// Asks the interceptor at an index, or the server after the last of them.
    private func ask(
        _ request: PreparedRequest,
        from index: Int
    ) async throws(ApusError) -> Response {
        let interceptors = hooks.scope.pipeline.interceptors
        guard index < interceptors.count else { return try await send(request) }
        let interceptor = interceptors[index]
        do {
            return try await interceptor.intercept(
                request,
                in: hooks.scope.context(beforeSending: true)
            ) { request throws(ApusError) in
                try await ask(request, from: index + 1)
            }
        } catch {
            throw ApusError(hookFault: error, of: interceptor.name)
        }
    }

    /// One attempt.
    private func send(_ request: PreparedRequest) async throws(ApusError) -> Response {
        try await hooks.willSend(request)
        emit(.willSend(request, attempt: hooks.scope.countAttempt()))
        let response = try await answer(request)
        try call.check(response)
        return response
    }

    private func answer(_ request: PreparedRequest) async throws(ApusError) -> Response {
        let exchange = call.exchange
        let emit = emit
        guard let choose = hooks.scope.pipeline.stubs.choice else {
            return try await exchange.transport.send(request) { emit(.progress($0)) }
        }
        switch choose(exchange.target, request) {
        case .never: return try await exchange.transport.send(request) { emit(.progress($0)) }
        case .immediate(let answer):
            return try StubbedAnswer(answer, to: request).response()
        case .delayed(let pause, let answer):
            try await hooks.pause(for: pause)
            return try StubbedAnswer(answer, to: request).response()
        case .replay(let transport):
            var response = try await transport.send(request) { emit(.progress($0)) }
            response.source = .replay
            return response
        }
    }
}
