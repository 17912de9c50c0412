import Synchronization

/// Calls the server through interceptors and hooks.
struct InterceptorChain: Sendable {
    let call: ServerCall
    let hooks: HookRunner

    func run(_ request: PreparedRequest) async -> Result<Response, ApusError> {
        do throws(ApusError) {
            return .success(try await ask(request, from: 0))
        } catch {
            return .failure(error)
        }
    }

    /// Calls the interceptor at an index, or the server after the last one.
    private func ask(
        _ request: PreparedRequest,
        from index: Int
    ) async throws(ApusError) -> Response {
        let interceptors = hooks.pipeline.interceptors
        guard index < interceptors.count else { return try await send(request) }
        return try await ask(request, interceptors[index], from: index)
    }

    private func ask(
        _ request: PreparedRequest,
        _ interceptor: any Interceptor,
        from index: Int
    ) async throws(ApusError) -> Response {
        let context = call.exchange.context(beforeSending: true)
        let limit = interceptor.hookLimit ?? hooks.pipeline.limits.time
        let race = FirstOutcome<Response>()
        let leash = InterceptorTimeLimit(race, hooks.pipeline.timers, limit: limit)
        let next = NextCall { request throws(ApusError) in
            try await leash.call { () throws(ApusError) in
                try await ask(request, from: index + 1)
            }
        }
        let task = Task.immediate {
            do {
                let response = try await interceptor.intercept(request, in: context, next: next)
                race.end(.returned(response))
            } catch {
                race.end(.threw(error))
            }
        }
        leash.start()
        let ending = await withTaskCancellationHandler {
            await race.wait()
        } onCancel: {
            // It may have a transfer to end, so its end is awaited within its time limit.
            task.cancel()
        }
        leash.end()
        switch ending {
        case .returned(let response): return response
        case .threw(let error): throw ApusError(hookFault: error, of: interceptor.name)
        case .cancelled: throw ApusError(.cancelled)
        case .timedOut:
            task.cancel()
            throw .hookTimeout(interceptor.name, limit)
        }
    }

    private func send(_ request: PreparedRequest) async throws(ApusError) -> Response {
        let request = request.withinOrigin
        try await hooks.willSend(request)
        call.exchange.willSend(request)
        let response = try await answer(request)
        try await call.check(response)
        return response
    }

    private func answer(_ request: PreparedRequest) async throws(ApusError) -> Response {
        let (exchange, transport) = (call.exchange, call.exchange.planned.carrier)
        guard let choose = hooks.pipeline.stubs.choice else {
            return try await transport.carry(request, progress: exchange.progress)
        }
        switch choose(exchange.planned.target, request) {
        case .never: return try await transport.carry(request, progress: exchange.progress)
        case .immediate(let answer): return try stubbed(answer, request)
        case .delayed(let pause, let answer):
            try await hooks.pause(for: pause)
            return try stubbed(answer, request)
        case .replay(let transport):
            var response = try await transport.send(request, progress: exchange.progress)
            response.source = .replay
            return response
        }
    }

    private func stubbed(
        _ answer: StubResponse,
        _ request: PreparedRequest
    ) throws(ApusError) -> Response {
        let response = try StubbedResponse(answer, to: request).response()
        let count = response.body.count
        call.exchange.emit(.progress(TransferProgress(bytesReceived: count, bytesToReceive: count)))
        return response
    }
}

/// Limits an interceptor's own time: between its calls of `next`, not during them.
final class InterceptorTimeLimit: Sendable {
    private struct State {
        var alarm: UInt64?
        var callsRunning = 0
        var isOver = false
    }

    private let race: FirstOutcome<Response>
    private let timers: TimerQueue
    private let limit: Duration?
    private let state = Mutex(State())

    init(_ race: FirstOutcome<Response>, _ timers: TimerQueue, limit: Duration?) {
        self.race = race
        self.timers = timers
        self.limit = limit
    }

    func start() {
        state.withLock { state in
            if state.callsRunning == 0 { setAlarm(&state) }
        }
    }

    /// Runs a call of `next`, which does not count.
    ///
    /// - Throws: The errors of `next`; `.cancelled` if the interceptor has already ended or timed out.
    func call(
        _ next: () async throws(ApusError) -> Response
    ) async throws(ApusError) -> Response {
        guard race.ending == nil else { throw ApusError(.cancelled) }
        state.withLock { state in
            state.callsRunning += 1
            removeAlarm(&state)
        }
        defer {
            state.withLock { state in
                state.callsRunning -= 1
                if state.callsRunning == 0 { setAlarm(&state) }
            }
        }
        return try await next()
    }

    func end() {
        state.withLock { state in
            state.isOver = true
            removeAlarm(&state)
        }
    }

    private func setAlarm(_ state: inout State) {
        guard let limit, !state.isOver, state.alarm == nil else { return }
        let race = race
        state.alarm = timers.set(after: limit) { race.end(.timedOut) }
    }

    private func removeAlarm(_ state: inout State) {
        if let alarm = state.alarm.take() { timers.remove(alarm) }
    }
}
