import Documents
import Secrets
import Synchronization

/// One request of a step: makes the target, sends it, and captures values from the response.
struct ChainRequest: Sendable {
    let stepRun: ChainStepRun
    /// The element's index; nil without a `forEach`.
    let element: Int?
    /// The values of the step, and of the element.
    let values: ChainValues

    private var step: ChainPlan.Step { stepRun.step }
    private var plan: ChainPlan { stepRun.plan }
    private var listener: ChainGraphRun.Listener { stepRun.listener }

    /// Waits for its turn, then runs the request.
    func run() async -> ChainRequestResult {
        guard await listener.semaphore?.wait() ?? true else {
            return ChainRequestResult(.cancelled)
        }
        guard await stepRun.limit.wait() else {
            listener.semaphore?.signal()
            return ChainRequestResult(.cancelled)
        }
        defer { stepRun.limit.signal() }
        let (sent, didTimeOut) = await Timeout.run(plan.stepTimeout, plan.clock) {
            await makeAndSend()
        }
        switch sent {
        case .notSent(let failure):
            listener.semaphore?.signal()
            if let failure { return ChainRequestResult(.failed(failure)) }
            guard didTimeOut, let time = plan.stepTimeout else {
                return ChainRequestResult(.cancelled)
            }
            return ChainRequestResult(.failed(.exchange(ApusError(.timeout(.step, limit: time)))))
        case .ended(var summary, let reader, let target):
            if didTimeOut { summary.result = summary.result.timedOut(after: plan.stepTimeout) }
            listener.emit(.requestEnded(step: stepRun.index, element: element, summary))
            var answer = await look(into: summary, of: target, with: reader)
            answer.target = target
            return answer
        }
    }

    private enum Sent: Sendable {
        /// There was no target to send; no failure if the chain was cancelled.
        case notSent(ChainFailure?)
        case ended(ExchangeSummary, CaptureReader, any TargetType)
    }

    private func makeAndSend() async -> Sent {
        let target: any TargetType
        do {
            target = try await step.target(values)
        } catch {
            if Task.isCancelled { return .notSent(nil) }
            return .notSent(shown(error))
        }
        let (index, element, emit) = (stepRun.index, element, listener.emit)
        emit(.sending(step: index, element: element, target))
        let secrets = values.secrets.requestSecrets
        let sent = secrets.isEmpty ? target : TargetWithSecrets(wrapped: target, secrets: secrets)
        let reader = CaptureReader(step, limit: plan.captureLimit)
        let summary = await stepRun.send(sent, stepRun.cachePlan, isReading ? reader : nil) {
            emit(.exchange(step: index, element: element, $0))
        }
        return .ended(summary, reader, target)
    }

    /// Whether a cached response without the captured values is a miss; if only the cache is asked, it is not,
    /// and the step reports what is missing.
    private var isReading: Bool {
        if case .cache = stepRun.cachePlan.source { false } else { !step.captures.isEmpty }
    }

    /// Why there is no target, masked because the text may quote a secret that was filled in.
    private func shown(_ error: any Error) -> ChainFailure {
        let failure = error as? ChainFailure ?? .target(detail: String(describing: error))
        guard case .target(let detail) = failure else { return failure }
        return .target(detail: values.secrets.mask().masking(line: detail))
    }

    /// Checks the status and what the step expects, and captures the values.
    ///
    /// Runs off the caller's actor, because a body may be 128 MiB.
    @concurrent private func look(
        into summary: ExchangeSummary,
        of target: any TargetType,
        with reader: CaptureReader
    ) async -> ChainRequestResult {
        let result = summary.result
        let response: Response
        switch result {
        case .success(let success): response = success
        case .failure(let error):
            let isCancelled = error.reason == .cancelled
            return ChainRequestResult(isCancelled ? .cancelled : .failed(.exchange(error)), result)
        }
        values.secrets.add(of: response.request)
        guard step.accepts.accepts(response) else {
            return ChainRequestResult(.failed(.status(response.status)), result)
        }
        if let fault = step.check?(target, response, summary.duration) {
            return ChainRequestResult(.failed(.unexpected(detail: fault)), result)
        }
        var answer = ChainRequestResult(.done, result)
        switch await reader.captures(in: response) {
        case .success(let captured):
            answer.captures = captured.values
            answer.credentials = captured.credentials
            values.secrets.add(captured: captured.credentials)
            return answer
        case .failure(let failure):
            return ChainRequestResult(Task.isCancelled ? .cancelled : .failed(failure), result)
        }
    }
}

/// Captures a step's values, once per response, for the exchange and for the step.
///
/// To the exchange, a cached response without these values is a miss.
private final class CaptureReader: ResponseReader {
    struct Captures {
        var values: [String: JSON] = [:]
        /// The credentials in the values.
        var credentials: [String] = []
    }

    private let step: ChainPlan.Step
    private let limit: Int
    private let last = Mutex<(Response, Result<Captures, ChainFailure>)?>(nil)

    /// Refuses bodies of more than `limit` bytes.
    init(_ step: ChainPlan.Step, limit: Int) {
        self.step = step
        self.limit = limit
    }

    func fault(in response: Response) async -> ApusError? {
        // The step itself reports a status that it does not accept.
        guard step.accepts.accepts(response) else { return nil }
        return Self.fault(await captures(in: response), response)
    }

    func canRead(_ response: Response) -> Bool {
        !step.accepts.accepts(response) || Self.fault(found(in: response), response) == nil
    }

    /// Only a missing value makes it worthwhile to ask for another response.
    private static func fault(
        _ found: Result<Captures, ChainFailure>,
        _ response: Response
    ) -> ApusError? {
        guard case .failure(.capture(let name, let path)) = found else { return nil }
        return response.failure(.init(.path, detail: "\(name): \(path)"))
    }

    /// Returns the captured values, or why one is missing.
    @concurrent func captures(in response: Response) async -> Result<Captures, ChainFailure> {
        if let (known, found) = last.withLock({ $0 }), known.content === response.content {
            return found
        }
        let found =
            step.captures.contains(where: \.path.isQuery) || response.body.count > 1 << 20
            ? await BlockingWorkExecutor.bounded.run { self.found(in: response) }
            : self.found(in: response)
        last.withLock { $0 = (response, found) }
        return found
    }

    private func found(in response: Response) -> Result<Captures, ChainFailure> {
        var captures = Captures()
        var answer = CaptureExtractor(response, limit: limit)
        for capture in step.captures {
            do throws(ChainFailure) {
                captures.values[capture.name] = try Self.value(of: capture, in: &answer)
            } catch {
                return .failure(error)
            }
        }
        captures.credentials = answer.credentials
        return .success(captures)
    }

    private static func value(
        of capture: ChainPlan.Capture,
        in answer: inout CaptureExtractor
    ) throws(ChainFailure) -> JSON {
        let found: JSON?
        do throws(CaptureExtractor.Refusal) {
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

/// A target whose request treats the run's captured credentials as secrets.
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
    /// The result, or the timeout error if the timeout caused its cancellation.
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

/// The result of one request of a step.
struct ChainRequestResult: Sendable {
    var outcome: ChainStepResult.Outcome
    /// Nil if none could be made.
    var target: (any TargetType)?
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

    /// A copy without `result`, unless that is wanted, so that its body can be freed.
    func letGo(unless isWanted: Bool) -> ChainRequestResult {
        guard !isWanted else { return self }
        var answer = self
        answer.result = nil
        return answer
    }

    /// Restores an element that was done in an earlier run.
    init(restored captures: [String: JSON], credentials: [String]) {
        outcome = .restored
        self.captures = captures
        self.credentials = credentials
    }

    /// What a later run needs of it; nil if it must be sent again.
    var element: ChainState.Element? {
        guard outcome.isDone else { return nil }
        return ChainState.Element(
            captures: ChainState.texts(captures),
            credentials: ChainState.kept(credentials)
        )
    }
}
