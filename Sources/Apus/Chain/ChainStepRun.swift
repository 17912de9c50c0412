import Documents
import Secrets
import Synchronization

/// One step of a graph's run.
struct ChainStepRun: Sendable {
    let index: Int
    let step: ChainPlan.Step
    let plan: ChainPlan
    let cachePlan: CachePlan
    let values: ChainValues
    /// What an earlier run kept of each element, by index; nil for an element to send.
    let known: [ChainState.Element?]
    let limit: AsyncSemaphore
    let listener: ChainGraphRun.Listener
    let send: BatchRun.Send

    func run() async -> ChainStepResult {
        let start = ContinuousClock.now
        if let condition = step.condition {
            do {
                guard try await condition.test(values) else {
                    return end(.skipped(because: .condition(condition.text)), since: start)
                }
            } catch {
                return end(
                    Task.isCancelled
                        ? .cancelled : .failed(.condition(detail: String(describing: error))),
                    since: start
                )
            }
        }
        guard let forEach = step.forEach else {
            listener.emit(.began(step: index, elements: nil))
            let response = await ChainRequest(stepRun: self, element: nil, values: values).run()
            return end(response.outcome, [response], captures: response.captures, since: start)
        }
        guard let list = values[forEach.list]?.array else {
            return end(.failed(.notAList(name: forEach.list)), since: start)
        }
        guard list.count <= forEach.limit else {
            let name = forEach.list
            return end(
                .failed(.tooManyElements(name: name, count: list.count, limit: forEach.limit)),
                since: start
            )
        }
        listener.emit(.began(step: index, elements: list.count))
        let elements = ChainElements(count: list.count)
        await send(elements, of: list, forEach)
        let responses = elements.all
        return end(
            outcome(of: elements, forEach.mode),
            responses.compactMap(\.self),
            captures: gathered(responses),
            since: start,
            elements: responses.map { $0?.element }
        )
    }

    // MARK: - Elements

    /// Sends the elements, and stores the result of each one that was begun at its index.
    private func send(
        _ elements: ChainElements,
        of list: [JSON],
        _ forEach: ChainPlan.ForEach
    ) async {
        await withTaskGroup { group in
            for _ in 0..<min(forEach.concurrency, list.count) {
                group.addTask { await work(elements, list, forEach) }
            }
            for await hasFailed in group where hasFailed { group.cancelAll() }
        }
    }

    /// Processes elements until none are left; returns true if a failure ends the step.
    private func work(
        _ elements: ChainElements,
        _ list: [JSON],
        _ forEach: ChainPlan.ForEach
    ) async -> Bool {
        let names = step.captures.map(\.name)
        while !Task.isCancelled, let place = elements.takeNext() {
            if place < known.count, let element = known[place],
                let captures = ChainState.values(element.captures, names)
            {
                let credentials = step.credentials(in: captures, element.credentials)
                values.secrets.add(captured: credentials)
                let response = ChainRequestResult(restored: captures, credentials: credentials)
                elements.add(response, at: place)
                continue
            }
            var values = values
            values.all[forEach.element] = list[place]
            let shortest = CapturedCredentials.shortest(named: forEach.element)
            if shortest != .max {
                let credentials = CapturedCredentials.credentials(
                    in: list[place],
                    shortest: shortest
                )
                values.secrets.add(captured: credentials)
            }
            values.all[ChainGraphRun.indexName] = JSON(place + 1)
            let request = ChainRequest(stepRun: self, element: place, values: values)
            let response = await request.run().letGo(unless: plan.keepsResponses)
            elements.add(response, at: place)
            if !response.outcome.isDone, forEach.mode == .all { return true }
        }
        return false
    }

    private func outcome(
        of elements: ChainElements,
        _ mode: Batch.Mode
    ) -> ChainStepResult.Outcome {
        let responses = elements.all
        guard mode != .settled else { return Task.isCancelled ? .cancelled : .done }
        if let first = elements.firstFailure {
            // Elements that were cancelled by a failure do not count as failed.
            let count = responses.count { if case .failed? = $0?.outcome { true } else { false } }
            return .failed(.elements(failed: count, of: responses.count, first: first))
        }
        return responses.allSatisfy { $0?.outcome.isDone == true } ? .done : .cancelled
    }

    private func gathered(_ responses: [ChainRequestResult?]) -> [String: JSON] {
        Dictionary(
            step.captures.map { capture in
                (capture.name, JSON(responses.map { $0?.captures[capture.name] ?? .null }))
            },
            uniquingKeysWith: { $1 }
        )
    }

    // MARK: -

    private func end(
        _ outcome: ChainStepResult.Outcome,
        _ responses: [ChainRequestResult] = [],
        captures: [String: JSON] = [:],
        since start: ContinuousClock.Instant,
        elements: [ChainState.Element?] = []
    ) -> ChainStepResult {
        ChainStepResult(
            index: index,
            name: step.name,
            target: responses.lazy.compactMap(\.target).first,
            outcome: outcome,
            results: plan.keepsResponses ? responses.compactMap(\.result) : [],
            status: step.forEach == nil ? responses.first?.status : nil,
            captures: outcome.isDone ? captures : [:],
            duration: .now - start,
            elements: elements,
            credentials: responses.flatMap(\.credentials),
            secrets: values.secrets
        )
    }
}

/// The elements of a step: which is next, and the results so far.
final class ChainElements: Sendable {
    private struct State {
        var next = 0
        var responses: [ChainRequestResult?]
        var firstFailure: ChainFailure?
    }

    private let state: Mutex<State>

    init(count: Int) { state = Mutex(State(responses: Array(repeating: nil, count: count))) }

    var all: [ChainRequestResult?] { state.withLock { $0.responses } }

    /// The failure that happened first; it may have cancelled elements that are earlier in the list.
    var firstFailure: ChainFailure? { state.withLock { $0.firstFailure } }

    func takeNext() -> Int? {
        state.withLock { state in
            guard state.next < state.responses.count else { return nil }
            state.next += 1
            return state.next - 1
        }
    }

    func add(_ response: ChainRequestResult, at place: Int) {
        state.withLock { state in
            state.responses[place] = response
            guard state.firstFailure == nil, case .failed(let failure) = response.outcome else {
                return
            }
            state.firstFailure = failure
        }
    }
}
