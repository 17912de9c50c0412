import Documents

/// One request of a step: its target is made, sent, and its answer looked into.
struct ChainRequest: Sendable {
    let index: Int
    let element: Int?
    let step: ChainPlan.Step
    let plan: ChainPlan
    let cachePlan: CachePlan
    let values: ChainValues
    let limit: AsyncSemaphore
    let listener: ChainRun.Listener
    let send: BatchRun.Send

    /// Waits for its turn and runs to the end.
    func run() async -> ChainAnswer {
        guard await listener.semaphore?.wait() ?? true else { return ChainAnswer(.cancelled) }
        guard await limit.wait() else {
            listener.semaphore?.signal()
            return ChainAnswer(.cancelled)
        }
        defer { limit.signal() }
        let (sent, didTimeOut) = await Timeout.run(plan.stepTimeout, plan.clock) {
            await makeAndSend()
        }
        switch sent {
        case .notSent(let failure):
            listener.semaphore?.signal()
            if let failure { return ChainAnswer(.failed(failure)) }
            guard didTimeOut, let time = plan.stepTimeout else { return ChainAnswer(.cancelled) }
            return ChainAnswer(.failed(.exchange(ApusError(.timeout(.step, limit: time)))))
        case .ended(let result, let summary):
            let result = didTimeOut ? result.timedOut(after: plan.stepTimeout) : result
            listener.emit(.answered(step: index, element: element, summary.with(result)))
            return await look(into: result)
        }
    }

    private enum Sent: Sendable {
        /// No target could be made; nil if the chain was cancelled.
        case notSent(ChainFailure?)
        case ended(Result<Response, ApusError>, ExchangeSummary)
    }

    private func makeAndSend() async -> Sent {
        let target: any TargetType
        do {
            target = try await step.target(values)
        } catch {
            if Task.isCancelled { return .notSent(nil) }
            return .notSent(shown(error))
        }
        let (index, element, emit) = (index, element, listener.emit)
        emit(.sending(step: index, element: element, target))
        let secrets = values.secrets.requestSecrets
        let sent = secrets.isEmpty ? target : TargetWithSecrets(wrapped: target, secrets: secrets)
        let summary = await send(sent, cachePlan) {
            emit(.exchange(step: index, element: element, $0))
        }
        return .ended(summary.result, summary)
    }

    /// Why there is no target; what was to be filled in may be a secret.
    private func shown(_ error: any Error) -> ChainFailure {
        let failure = error as? ChainFailure ?? .target(detail: String(describing: error))
        guard case .target(let detail) = failure else { return failure }
        return .target(detail: values.secrets.mask().masking(line: detail))
    }

    /// Checks the status and takes out what is to be captured.
    ///
    /// Off the caller's actor: a body may be 128 MiB.
    @concurrent private func look(into result: Result<Response, ApusError>) async -> ChainAnswer {
        let response: Response
        switch result {
        case .success(let success): response = success
        case .failure(let error):
            let isCancelled = error.reason == .cancelled
            return ChainAnswer(isCancelled ? .cancelled : .failed(.exchange(error)), result)
        }
        values.secrets.add(of: response.request)
        guard step.accepts.accepts(response) else {
            return ChainAnswer(.failed(.status(response.status)), result)
        }
        guard step.captures.contains(where: \.path.isQuery) else {
            return captured(from: response)
        }
        return await ReadingExecutor.bounded.run { captured(from: response) }
    }

    private func captured(from response: Response) -> ChainAnswer {
        let result = Result<Response, ApusError>.success(response)
        var answer = ChainAnswer(.done, result)
        var captured = CapturedAnswer(response, limit: plan.captureLimit)
        for capture in step.captures {
            do throws(ChainFailure) {
                answer.captures[capture.name] = try Self.value(of: capture, in: &captured)
            } catch {
                return ChainAnswer(Task.isCancelled ? .cancelled : .failed(error), result)
            }
        }
        answer.credentials = captured.credentials
        values.secrets.add(captured: captured.credentials)
        return answer
    }

    private static func value(
        of capture: ChainPlan.Capture,
        in answer: inout CapturedAnswer
    ) throws(ChainFailure) -> JSON {
        let found: JSON?
        do throws(CapturedAnswer.Refusal) {
            found = try answer.value(of: capture)
        } catch {
            switch error {
            case .tooLarge(let size, let limit):
                throw .captureTooLarge(name: capture.name, size: size, limit: limit)
            case .tooManyValues: throw .captureTooManyValues(name: capture.name)
            case .tooManyMatches: throw .captureTooManyMatches(name: capture.name)
            case .interrupted(let reason):
                throw .captureInterrupted(name: capture.name, detail: "\(reason)")
            }
        }
        guard let value = found else {
            throw .capture(name: capture.name, path: capture.path.description)
        }
        return value
    }
}

/// A target with the credentials that its run captured among its request's secrets.
private struct TargetWithSecrets: TargetWrapper {
    let wrapped: any TargetType
    let secrets: Set<Secret>

    var options: TransportOptions {
        var options = wrapped.options
        options.secretTexts.formUnion(secrets)
        return options
    }
}

extension Result where Success == Response, Failure == ApusError {
    /// The same, or the timeout that cancelled it.
    fileprivate func timedOut(after limit: Duration?) -> Self {
        guard case .failure(let error) = self, error.reason == .cancelled, let limit else {
            return self
        }
        return .failure(
            ApusError(
                .timeout(.step, limit: limit),
                request: error.request,
                response: error.response
            )
        )
    }
}

extension ExchangeSummary {
    fileprivate func with(_ result: Result<Response, ApusError>) -> ExchangeSummary {
        ExchangeSummary(
            result: result,
            responseCount: responseCount,
            attempts: attempts,
            duration: duration
        )
    }
}

/// What came of one request of a step.
struct ChainAnswer: Sendable {
    var outcome: ChainStepResult.Outcome
    /// Nil if nothing was sent.
    var result: Result<Response, ApusError>?
    var status: Int?
    var captures: [String: JSON] = [:]
    /// The credentials in the captures.
    var credentials: [String] = []

    init(_ outcome: ChainStepResult.Outcome, _ result: Result<Response, ApusError>? = nil) {
        self.outcome = outcome
        self.result = result
        if case .success(let response)? = result {
            status = response.status
        }
    }

    /// The same, without the answer unless somebody wants it.
    func letGo(unless isWanted: Bool) -> ChainAnswer {
        guard !isWanted else { return self }
        var answer = self
        answer.result = nil
        return answer
    }

    /// The answer of an element that an earlier run has done.
    init(restored captures: [String: JSON], credentials: [String]) {
        outcome = .restored
        self.captures = captures
        self.credentials = credentials
    }

    /// What a later run needs of it; nil if it is to be sent again.
    var element: ChainState.Element? {
        guard outcome.isDone else { return nil }
        return ChainState.Element(
            captures: ChainState.texts(captures),
            credentials: ChainState.kept(credentials)
        )
    }
}
