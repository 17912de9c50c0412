import Apus
import Terminal
import TreeView
import Workspaces

extension Model {
    /// Handles an event of a batch.
    mutating func apply(_ event: BatchEvent, to id: RunID) {
        let now = clock.now.uptime
        runs.update(id) { run in
            guard case .batch(var batch) = run.state else { return }
            batch.apply(event, at: now, since: run.started)
            run.state = .batch(batch)
        }
        guard case .finished = event else { return }
        runs.end(id, at: now)
        arrangeSession()
    }
}

extension Model {
    /// Keeps whether a response is as expected until its request ends.
    mutating func judge(_ index: Int, isMet: Bool, in id: RunID) {
        runs.update(id) { run in
            guard case .batch(var batch) = run.state else { return }
            batch.verdicts[index] = isMet
            run.state = .batch(batch)
        }
    }

    /// Keeps what came of what is expected of a batch as a whole.
    mutating func judge(_ items: [CheckedResponse.Item], of id: RunID) {
        runs.update(id) { run in
            guard case .batch(var batch) = run.state else { return }
            batch.judgement = items
            run.state = .batch(batch)
        }
    }
}

extension BatchRunState {
    fileprivate mutating func apply(_ event: BatchEvent, at now: Duration, since start: Duration) {
        switch event {
        case .started(let index): begin(index, at: now)
        case .exchange(let index, .progress(let progress)):
            if let slot = slots.firstIndex(where: { $0?.index == index }) {
                slots[slot]?.progress = progress
            }
        case .exchange, .moved: break
        case .ended(let index, let summary, let progress):
            self.progress = progress
            end(index, summary, after: now - start)
        case .finished(let summary):
            progress = summary.progress
            missed = summary.missed
            isCancelled = summary.failure?.reason == .cancelled
            for slot in slots.indices { slots[slot] = nil }
            // Titles name running requests, and a hundred ended batches are kept.
            progress.total = total
            (titles, names) = ([], [])
            (checks, verdicts) = (nil, [:])
        }
    }

    private mutating func begin(_ index: Int, at now: Duration) {
        let slot = Slot(index: index, title: title(of: index), started: now)
        if let free = slots.firstIndex(where: { $0 == nil }) {
            slots[free] = slot
        } else {
            slots.append(slot)
        }
    }

    private mutating func end(_ index: Int, _ summary: ExchangeSummary, after time: Duration) {
        if let slot = slots.firstIndex(where: { $0?.index == index }) { slots[slot] = nil }
        let before = endings.badCount
        let target = checks?.target(of: index)
        endings.record(
            summary,
            of: index,
            title: title(of: index),
            name: name(of: index),
            isExpected: verdicts.removeValue(forKey: index),
            target: target?.hasExpectations == true ? target : nil
        )
        latency.record(summary.duration)
        course.record(at: time, took: summary.duration, isBad: endings.badCount > before)
        bytesReceived += summary.result.response?.body.count ?? 0
    }
}

/// The batch under the cursor of the list.
extension Model {
    /// Performs an action of the batch's pane; nil if it has no such action.
    mutating func performInBatch(_ action: Action) -> [Effect]? {
        switch action {
        case .runFailedAgain: return runFailedAgain()
        case .runByWorkers: return askForWorkers()
        case .up, .down, .pageUp, .pageDown, .first, .last:
            chooseInBatch { $0.move(action) }
            return []
        case .open: return shownRun == nil ? sendSelected() : openBatchLine()
        case .toggleFold, .left, .right:
            let before = shownBatch?.lines.count
            fold(action)
            if action == .toggleFold, shownBatch?.lines.count == before {
                say(shownRun == nil ? "enter runs the batch" : "there is nothing to fold here")
            }
            return []
        default: return nil
        }
    }

    private mutating func chooseInBatch(_ change: (inout ListScroll) -> Void) {
        guard let id = targets.selected?.id, var scroll = shownBatch?.scroll else { return }
        change(&scroll)
        changeView(of: id) { $0.batch.scroll = scroll }
    }

    mutating func scrollBatch(by rows: Int) { chooseInBatch { $0.scroll(by: rows) } }

    /// Selects the line at a row of the screen; a second click opens it.
    mutating func clickBatch(row y: Int, _ hadFocus: Bool) -> [Effect] {
        guard let batch = shownBatch, y >= batch.regions.list.y else { return [] }
        let index = batch.scroll.offset + y - batch.regions.list.y
        guard batch.lines.indices.contains(index) else { return [] }
        chooseInBatch { $0.select(index) }
        return hadFocus && index == batch.scroll.selection ? openBatchLine() : []
    }

    private mutating func fold(_ action: Action) {
        guard let id = targets.selected?.id, let batch = shownBatch, let line = batch.selected,
            let groups = batch.state?.endings.groups
        else { return }
        let index: Int
        var isOpen = true
        switch line {
        case .group(let group, let wasOpen): (index, isOpen) = (group, wasOpen)
        case .row(let group, _), .more(let group, _): index = group
        }
        let opens = action == .left ? false : action == .right ? true : !isOpen
        let cause = groups[index].cause
        changeView(of: id) { $0.batch.open[cause] = opens }
        guard !opens, let heading = shownBatch?.heading(of: index) else { return }
        chooseInBatch { $0.select(heading) }
    }

    private mutating func openBatchLine() -> [Effect] {
        guard let shown = shownBatch, let run = shown.run, let batch = shown.state,
            let line = shown.selected
        else { return [] }
        switch line {
        case .group: fold(.toggleFold)
        case .more: fold(.right)
        case .row(let group, let index):
            let row = batch.endings.groups[group].rows[index]
            let part = OpenedPart(run: run.id, index: row.index, name: row.title)
            if let result = row.result {
                return open(part, result, checkedBy: row.target, after: row.duration)
            }
            if batch.workers != nil {
                return say("its response is in the history of the worker that sent it")
            }
            guard let recorded = run.recordedRun else {
                return say(
                    "its response was not kept: there were too many, and there is no history"
                )
            }
            return [.history(.openPart(recorded, index: row.index))]
        }
        return []
    }

    /// Sends again what failed, or was not sent, in the newest run of the batch.
    mutating func runFailedAgain() -> [Effect] {
        guard let row = targets.selected,
            case .batch(let batch)? = workspace.catalog?.nodes.node(with: row.id),
            let run = shownRun, case .batch(let last) = run.state
        else { return say("the batch has not run yet") }
        guard !run.isRunning else { return say("it is still running; x cancels it") }
        guard last.unsuccessfulCount > 0 else {
            return say("nothing failed; r sends the whole batch again")
        }
        if needsConfirmation(.failedAgain, .batch(batch)) { return [] }
        do throws(CatalogError) {
            let effects = try send(batch, repeating: last)
            warnAboutUnsavedEdits("the batch")
            return effects
        } catch {
            return fail(error.description)
        }
    }

    /// Sends a batch, or what failed in an earlier run of it.
    mutating func send(
        _ batch: CatalogBatch,
        repeating last: BatchRunState? = nil
    ) throws(CatalogError) -> [Effect] {
        var resolved = try batch.resolve(workspace.environment)
        if let source = sending.source.source { resolved.batch.source = source }
        // A part of it is not the batch of which something is expected.
        if last != nil { resolved.checks?.expectations = [] }
        let all = resolved.batch.count ?? resolved.titles.count
        if let last {
            guard last.repeats ?? last.total == all else {
                throw CatalogError("the batch has changed since; r sends the whole batch")
            }
            let endings = last.endings
            resolved.batch = resolved.batch.sending { endings.isWanted($0) }
        }
        let count = last?.unsuccessfulCount ?? all
        var state = BatchRunState(
            titles: resolved.titles,
            names: resolved.names,
            concurrency: resolved.batch.concurrency,
            progress: BatchProgress(total: count),
            slots: Array(repeating: nil, count: min(resolved.batch.concurrency, count)),
            rate: resolved.batch.rate,
            repeats: last == nil ? nil : all,
            checks: resolved.checks
        )
        if let last { state.endings.leaveOut({ !last.endings.isWanted($0) }, of: all) }
        let id = beginRun(.batch(state), of: batch.id, named: batch.name)
        if let id = targets.selected?.id {
            changeView(of: id) { $0.batch = BatchChoice() }
        }
        return [.runBatch(id, resolved, name: batch.name, environment: workspace.environment)]
    }
}
