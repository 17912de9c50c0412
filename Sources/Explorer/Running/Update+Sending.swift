import Apus
import Terminal
import TreeView

extension Model {
    /// Enter: sends the line under the cursor, or folds a group.
    mutating func activate() -> [Effect] {
        if focus == .progress {
            move(to: .targets)
            return []
        }
        if let row = list.selected, case .group = row.kind {
            foldGroup()
            return []
        }
        return sendSelected()
    }

    mutating func sendSelected() -> [Effect] {
        guard let row = list.selected, let node = catalog?.node(row.id) else {
            say("choose a target to send")
            return []
        }
        if case .group = node { say("a group is not sent; choose a target in it") }
        closeOpened()
        do throws(CatalogProblem) {
            if try awaitsEdits(of: row.id) {
                say("it is sent as soon as the edit is taken in")
                return []
            }
        } catch {
            notice = Notice(kind: .failure, text: error.description)
            return []
        }
        if needsConfirmation(.selected, node) { return [] }
        showAnswer()
        do throws(CatalogProblem) {
            switch node {
            case .group: return []
            case .target(let target): return try send(target)
            case .batch(let batch):
                let effects = try send(batch)
                warnAboutUnsavedEdits("the batch")
                return effects
            case .chain(let chain):
                let effects = try send(chain)
                warnAboutUnsavedEdits("the chain")
                return effects
            }
        } catch {
            if ask(for: error) { return [] }
            notice = Notice(kind: .failure, text: error.description)
            return []
        }
    }

    /// Warns about unsaved edits: batches and chains are made from the files and do not include them.
    mutating func warnAboutUnsavedEdits(_ what: String) {
        let count = editedRequests.requests.values.count { $0.edits.isEdited }
        guard count > 0 else { return }
        let requests = count == 1 ? "a request has" : "\(count) requests have"
        notice = Notice(
            kind: .warning,
            text: "\(requests) unsaved edits: \(what) sends what is in \(sourceName)"
        )
    }

    /// Moves to the answer's pane if there is no room for it beside the focused one.
    private mutating func showAnswer() {
        let isCovered = focus == .request && !layout.showsAnswersBesideRequest
        guard layout.arrangement == .single && focus == .targets || isCovered else { return }
        focus = .server
        fitPanes()
    }

    private mutating func send(_ target: CatalogTarget) throws(CatalogProblem) -> [Effect] {
        let resolved = try resolve(target)
        let source = sourceChoice.dataSource(for: resolved.source)
        let single = SingleRun(method: target.method, target: resolved.requestTarget)
        let id = beginRun(.single(single), of: target.id, named: target.name)
        views.update(target.id, environment: environment) { view in
            view.request = .success(resolved)
            view.lookup = nil
            view.decisions = []
            view.storage = nil
            view.outcome = nil
            (view.sentRequest, view.attempts, view.source) = (nil, 0, source)
            view.server.awaitedSince = now.uptime
            if case .empty = view.server.content { view.server.content = .waiting }
        }
        return [.send(id, target.id, environment: environment, resolved, source)]
    }

    /// A target's request, in the chosen environment or in another one.
    func resolve(
        _ target: CatalogTarget,
        in environment: Int? = nil
    ) throws(CatalogProblem) -> ResolvedTarget {
        guard let catalog else { throw CatalogProblem("\(sourceName) is not read yet") }
        return try catalog.source.resolve(target, in: environment ?? self.environment)
    }

    /// Sends a chain, or resumes an earlier run of it.
    mutating func send(
        _ chain: CatalogChain,
        resuming done: ChainState? = nil,
        after last: ChainRunState? = nil
    ) throws(CatalogProblem) -> [Effect] {
        var resolved = try chain.resolve(environment)
        if let source = sourceChoice.source { resolved.source = source }
        let kept = done?.done ?? []
        let steps = resolved.steps.map { planned in
            // A step that is not sent again keeps its answer.
            let old = last?.steps.first { $0.name == planned.name && kept.contains($0.name) }
            return old ?? ChainRunState.Step(name: planned.name, title: planned.title)
        }
        let id = beginRun(
            .chain(ChainRunState(steps: steps, layout: resolved.layout)),
            of: chain.id,
            named: chain.name
        )
        if last == nil {
            views.update(chain.id, environment: environment) { $0.chosenStep = nil }
        }
        return [
            .runChain(id, resolved, name: chain.name, environment: environment, resuming: done)
        ]
    }

    /// Begins a run in the chosen environment.
    mutating func beginRun(
        _ state: Run.State,
        of item: CatalogID,
        named name: String
    ) -> RunID {
        defer { arrangeSession() }
        return runs.begin(
            state,
            item: item,
            name: name,
            environment: environment,
            at: now
        )
    }

    /// Shows the target under the cursor: its request, and what the cache holds.
    mutating func lookAtSelection() -> [Effect] {
        closeOpened()
        return resolveSelection()
    }

    /// Makes the request of the target under the cursor.
    mutating func resolveSelection() -> [Effect] {
        let effects = resolveRow()
        return effects + showRequest()
    }

    private mutating func resolveRow() -> [Effect] {
        defer { fitPanes() }
        guard let row = list.selected, let node = catalog?.node(row.id) else { return [] }
        guard case .target(let target) = node else {
            plan(node, row.id)
            return showStep()
        }
        if let view = views[row.id],
            case .success(let resolved)? = view.request
        {
            // The answers of a run stay. If the cache had nothing, it may have something by now.
            return view.cache.response == nil && view.server.awaitedSince == nil
                ? peek(row.id, resolved) : []
        }
        let request: Result<ResolvedTarget, CatalogProblem>
        do throws(CatalogProblem) {
            request = .success(try resolve(target))
        } catch {
            request = .failure(error)
        }
        views.update(row.id, environment: environment) { $0.request = request }
        guard case .success(let resolved) = request else { return [] }
        return peek(row.id, resolved)
    }

    /// Looks into the cache, except for a request that sends a file: its cache key requires reading the file,
    /// which nobody has asked for yet.
    private func peek(_ id: CatalogID, _ resolved: ResolvedTarget) -> [Effect] {
        resolved.target.task.sendsFile ? [] : [.peek(id, environment: environment, resolved)]
    }

    /// Plans a batch or a chain, to show what it would do.
    private mutating func plan(_ node: CatalogNode, _ id: CatalogID) {
        if let view = views[id], view.plan != nil { return }
        let plan: TargetState.Plan
        do throws(CatalogProblem) {
            switch node {
            case .group, .target: return
            case .batch(let batch):
                let resolved = try batch.resolve(environment)
                plan = .batch(
                    titles: resolved.titles,
                    concurrency: resolved.batch.concurrency,
                    rate: resolved.batch.rate
                )
            case .chain(let chain):
                let resolved = try chain.resolve(environment)
                plan = .chain(resolved.steps, layout: resolved.layout)
            }
        } catch {
            plan = .problem(error)
        }
        views.update(id, environment: environment) { $0.plan = plan }
    }
}

extension Catalog {
    /// The line with an identity.
    func node(_ id: CatalogID) -> CatalogNode? { Self.node(id, in: nodes) }

    private static func node(_ id: CatalogID, in nodes: [CatalogNode]) -> CatalogNode? {
        for node in nodes {
            switch node {
            case .group(_, let children):
                if let found = Self.node(id, in: children) { return found }
            case .target(let target): if target.id == id { return node }
            case .batch(let batch): if batch.id == id { return node }
            case .chain(let chain): if chain.id == id { return node }
            }
        }
        return nil
    }
}
