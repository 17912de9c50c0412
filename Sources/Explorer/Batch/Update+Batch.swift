import Apus
import Terminal
import TreeView

extension Model {
    /// Handles an event of a batch.
    mutating func take(_ event: BatchEvent, of id: RunID) {
        let now = now.uptime
        runs.update(id) { run in
            guard case .batch(var batch) = run.state else { return }
            batch.take(event, at: now, since: run.started)
            run.state = .batch(batch)
        }
        guard case .finished = event else { return }
        runs.end(id, at: now)
        arrangeSession()
    }
}

extension BatchRunState {
    fileprivate mutating func take(_ event: BatchEvent, at now: Duration, since start: Duration) {
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
        endings.note(index, title(of: index), summary, name: name(of: index))
        latency.note(summary.duration)
        course.note(at: time, took: summary.duration, isBad: endings.badCount > before)
        bytesReceived += summary.result.response?.body.count ?? 0
    }
}

/// The batch under the cursor of the list.
extension Model {
    /// Whether a batch is selected and its pane is shown.
    var isBatchSelected: Bool { showsSelection && list.selected?.kind == .batch }

    /// Its newest run; nil if it never ran.
    var batchRun: BatchRunState? {
        guard isBatchSelected, case .batch(let batch)? = shownRun?.state else { return nil }
        return batch
    }

    /// The lines about how its requests ended.
    var batchLines: BatchLines {
        BatchLines(
            batchRun?.endings ?? BatchOutcomes(),
            open: selectedView?.batch.open ?? [:],
            height: batchRegions(in: layout).list.rows
        )
    }

    /// Whether some of its requests failed and can be sent again.
    var canRunFailedAgain: Bool {
        guard let batchRun, shownRun?.isRunning == false else { return false }
        return batchRun.unsuccessfulCount > 0
    }

    /// Performs an action of the batch's pane; nil if it has no such action.
    mutating func performInBatch(_ action: Action) -> [Effect]? {
        guard isBatchSelected else { return nil }
        if action == .runFailedAgain { return runFailedAgain() }
        guard focusedSide != nil else { return nil }
        switch action {
        case .up, .down, .pageUp, .pageDown, .first, .last:
            chooseInBatch { $0.move(action) }
            return []
        case .open: return batchRun == nil ? sendSelected() : openBatchLine()
        case .toggleFold, .left, .right:
            let before = batchLines.lines.count
            fold(action)
            if action == .toggleFold, batchLines.lines.count == before {
                say(batchRun == nil ? "enter runs the batch" : "there is nothing to fold here")
            }
            return []
        default: return nil
        }
    }

    private mutating func chooseInBatch(_ change: (inout ListScroll) -> Void) {
        guard let id = list.selected?.id else { return }
        let (count, height) = (batchLines.lines.count, batchRegions(in: layout).list.rows)
        views.update(id, environment: environment) { view in
            view.batch.scroll.update(count: count, height: height)
            change(&view.batch.scroll)
        }
    }

    mutating func scrollBatch(by rows: Int) { chooseInBatch { $0.scroll(by: rows) } }

    /// Selects the line at a row of the screen; a second click opens it.
    mutating func clickBatch(row y: Int, _ hadFocus: Bool) -> [Effect] {
        let line = y - batchRegions(in: layout).list.y
        guard line >= 0, let scroll = selectedView?.batch.scroll else { return [] }
        let index = scroll.offset + line
        guard batchLines.lines.indices.contains(index) else { return [] }
        let isSecond = hadFocus && index == scroll.selection
        chooseInBatch { $0.select(index) }
        return isSecond ? openBatchLine() : []
    }

    /// The line under the cursor.
    var batchLine: BatchLines.Line? {
        let lines = batchLines.lines
        let place = min(selectedView?.batch.scroll.selection ?? 0, lines.count - 1)
        return lines.indices.contains(place) ? lines[place] : nil
    }

    private mutating func fold(_ action: Action) {
        guard let id = list.selected?.id, let line = batchLine,
            let groups = batchRun?.endings.groups
        else { return }
        let place: Int
        var isOpen = true
        switch line {
        case .group(let group, let wasOpen): (place, isOpen) = (group, wasOpen)
        case .row(let group, _), .more(let group, _): place = group
        }
        let opens = action == .left ? false : action == .right ? true : !isOpen
        let cause = groups[place].cause
        views.update(id, environment: environment) { $0.batch.open[cause] = opens }
        let heading = batchLines.lines.firstIndex {
            if case .group(place, _) = $0 { true } else { false }
        }
        chooseInBatch { scroll in
            if !opens, let heading { scroll.select(heading) }
        }
    }

    private mutating func openBatchLine() -> [Effect] {
        guard let run = shownRun, let line = batchLine, let batch = batchRun else { return [] }
        switch line {
        case .group: fold(.toggleFold)
        case .more: fold(.right)
        case .row(let group, let place):
            let row = batch.endings.groups[group].rows[place]
            let part = OpenedPart(run: run.id, place: row.index, name: row.title)
            if let result = row.result { return open(part, result) }
            guard let recorded = run.recordedRun else {
                notice = Notice(
                    kind: .information,
                    text: "its answer was not kept: there were too many, and there is no history"
                )
                return []
            }
            return [.history(.openPart(recorded, place: row.index))]
        }
        return []
    }

    /// Sends again what failed, or was not sent, in the newest run of the batch.
    mutating func runFailedAgain() -> [Effect] {
        guard let row = list.selected, case .batch(let batch)? = catalog?.node(row.id),
            let last = batchRun, let run = shownRun
        else {
            say("the batch has not run yet")
            return []
        }
        guard !run.isRunning else {
            notice = Notice(kind: .information, text: "it is still running; x cancels it")
            return []
        }
        guard last.unsuccessfulCount > 0 else {
            notice = Notice(
                kind: .information,
                text: "nothing failed; r sends the whole batch again"
            )
            return []
        }
        if needsConfirmation(.failedAgain, .batch(batch)) { return [] }
        do throws(CatalogProblem) {
            let effects = try send(batch, repeating: last)
            warnAboutUnsavedEdits("the batch")
            return effects
        } catch {
            notice = Notice(kind: .failure, text: error.description)
            return []
        }
    }

    /// Sends a batch, or what failed in an earlier run of it.
    mutating func send(
        _ batch: CatalogBatch,
        repeating last: BatchRunState? = nil
    ) throws(CatalogProblem) -> [Effect] {
        var resolved = try batch.resolve(environment)
        if let source = sourceChoice.source { resolved.batch.source = source }
        let all = resolved.batch.count ?? resolved.titles.count
        if let last {
            guard last.repeats ?? last.total == all else {
                throw CatalogProblem("the batch has changed since; r sends the whole batch")
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
            repeats: last == nil ? nil : all
        )
        if let last { state.endings.leaveOut({ !last.endings.isWanted($0) }, of: all) }
        let id = beginRun(.batch(state), of: batch.id, named: batch.name)
        if let id = list.selected?.id {
            views.update(id, environment: environment) { $0.batch = BatchChoice() }
        }
        return [.runBatch(id, resolved, name: batch.name, environment: environment)]
    }
}
