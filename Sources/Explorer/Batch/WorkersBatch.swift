import Apus
import Sharing
import Terminal
import TreeView
import Workspaces

extension WorkResult {
    /// The method and the path: "GET /users/7".
    var title: String {
        guard !url.isEmpty else { return "request \(index + 1)" }
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        return "\(method) \(rest.firstIndex(of: "/").map { rest[$0...] } ?? "/")"
    }
}

extension Model {
    /// Asks by which server workers get the selected batch.
    mutating func askForWorkers() -> [Effect] {
        guard case .batch? = selectedNode else { return say("no batch is selected") }
        guard shownRun?.isRunning != true else { return say("it is still running; x cancels it") }
        layers.prompt = LinePrompt(
            purpose: .workers,
            field: TextField(
                sharing.serverName ?? "",
                placeholder: "redis://host:port/db, where `apus work` gets its requests",
                limit: 1024
            )
        )
        return []
    }

    /// Has workers send the selected batch, by the server that was typed.
    mutating func send(byWorkersAt url: String, _ prompt: LinePrompt) -> [Effect] {
        guard case .batch(let batch)? = selectedNode, let source = workspace.catalog?.source else {
            return say("no batch is selected")
        }
        if let problem = choose(server: url) { return ask(again: prompt, problem) }
        if needsConfirmation(.workers(url, prompt), .batch(batch)) { return [] }
        let plan: WorkersPlan
        do throws(CatalogError) {
            plan = try source.workersPlan(of: batch, in: workspace.environment)
        } catch {
            return ask(again: prompt, error.description)
        }
        warnAboutUnsavedEdits("the batch")
        var state = BatchRunState(
            titles: [],
            concurrency: 0,
            progress: BatchProgress(total: plan.count),
            slots: [],
            rate: plan.rate
        )
        state.workers = (WorkerLanes(), sharing.serverName ?? url)
        let id = beginRun(.batch(state), of: batch.id, named: batch.name)
        if let id = targets.selected?.id { changeView(of: id) { $0.batch = BatchChoice() } }
        return [.runByWorkers(id, plan, serverChoice)]
    }

    private var selectedNode: CatalogNode? {
        targets.selected.flatMap { workspace.catalog?.nodes.node(with: $0.id) }
    }

    /// Handles what happens in a batch that workers send.
    mutating func apply(_ event: BatchCoordinator.Event, to id: RunID) {
        let now = clock.now.uptime
        var words: String?
        runs.update(id) { run in
            guard case .batch(var batch) = run.state else { return }
            words = batch.apply(event, after: now - run.started)
            run.state = .batch(batch)
        }
        if let words { warn(words) }
    }

    /// Ends a batch that workers sent; says why if it did not come to its end.
    mutating func endWorkers(_ id: RunID, _ problem: String?) -> [Effect] {
        runs.update(id) { run in
            guard case .batch(var batch) = run.state else { return }
            batch.isCancelled = batch.progress.ended + batch.missed < batch.total
            run.state = .batch(batch)
        }
        runs.end(id, at: clock.now.uptime)
        arrangeSession()
        return problem.map { fail($0) } ?? []
    }
}

extension BatchRunState {
    /// Returns what is worth a notice.
    fileprivate mutating func apply(
        _ event: BatchCoordinator.Event,
        after time: Duration
    ) -> String? {
        guard let address = workers?.address else { return nil }
        switch event {
        case .waiting: return nil
        case .report(let report):
            workers?.lanes.add(report)
            missed = workers?.lanes.missed ?? 0
            for result in report.results where !result.isMissed { count(result, after: time) }
            return nil
        case .lost(let worker):
            workers?.lanes.lose(worker)
            return "\(worker) gives no sign of life; others take over what it had"
        case .refused: return "a report was left out: it is not signed with the team's key"
        case .failed(let fault): return "waiting for \(address): \(fault)"
        case .recovered: return "\(address) is there again"
        case .begunAgain:
            return "\(address) had lost the batch; what has no response yet was put there again"
        }
    }

    private mutating func count(_ result: WorkResult, after time: Duration) {
        let before = endings.badCount
        endings.record(result)
        if result.failure == nil { progress.succeeded += 1 } else { progress.failed += 1 }
        if result.status != nil { latency.record(result.duration) }
        course.record(at: time, took: result.duration, isBad: endings.badCount > before)
        bytesReceived += result.size
    }
}

extension EffectRunner {
    /// Has workers send a batch.
    func run(_ plan: WorkersPlan, on choice: ServerChoice, as id: RunID) {
        start(id) { [mailbox, servers] in
            var tally = BatchTally()
            var problem: String?
            do {
                let coordinator = BatchCoordinator(
                    plan.batch,
                    count: plan.count,
                    rate: plan.rate,
                    on: BatchServer(try servers.server(choice))
                )
                try await coordinator.run { event in
                    mailbox.send(.workers(id, event))
                    guard case .report(let report) = event else { return false }
                    for result in report.results where !result.isMissed {
                        tally.count(
                            result.failure == nil ? result.duration : nil,
                            isFailure: result.failure != nil
                        )
                    }
                    return plan.mode == .all && tally.failed > 0
                }
            } catch is CancellationError {
            } catch {
                problem = "the server cannot be used: \(error)"
            }
            if !plan.expectations.isEmpty {
                mailbox.send(.batchJudged(id, tally.check(plan.expectations)))
            }
            mailbox.send(.workersEnded(id, problem))
        }
    }
}
