import Apus
import Terminal
import TreeView

extension Model {
    /// Enter: sends the line under the cursor, or folds a group.
    mutating func activate() -> [Effect] {
        if panes.focus == .progress {
            move(to: .targets)
            return []
        }
        if let row = targets.selected, case .group = row.kind {
            foldGroup()
            return []
        }
        return sendSelected()
    }

    mutating func sendSelected() -> [Effect] {
        guard let row = targets.selected, let node = workspace.catalog?.nodes.node(with: row.id)
        else {
            return say("choose a target to send")
        }
        if case .group = node { say("a group is not sent; choose a target in it") }
        closeOpened()
        do throws(CatalogError) {
            if try awaitsEdits(of: row.id) {
                return say("it is sent as soon as the edit is taken in")
            }
        } catch {
            return fail(error.description)
        }
        if needsConfirmation(.selected, node) { return [] }
        let isCovered = panes.focus == .request && !layout.showsResponsesBesideRequest
        if isCovered || layout.arrangement == .single && panes.focus == .targets {
            // There is no room for the response beside the focused pane.
            move(to: .server)
        }
        do throws(CatalogError) {
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
            return fail(error.description)
        }
    }

    /// Warns about unsaved edits: batches and chains are made from the files and do not include them.
    mutating func warnAboutUnsavedEdits(_ what: String) {
        let count = request.edited.requests.values.count { $0.edits.isEdited }
        guard count > 0 else { return }
        let requests = count == 1 ? "a request has" : "\(count) requests have"
        warn("\(requests) unsaved edits: \(what) sends what is in \(workspace.sourceName)")
    }

    private mutating func send(_ target: CatalogTarget) throws(CatalogError) -> [Effect] {
        let resolved = try resolve(target)
        let source = sending.source.dataSource(for: resolved.source)
        let single = SingleRun(method: target.method, target: resolved.requestTarget)
        let id = beginRun(.single(single), of: target.id, named: target.name)
        let now = clock.now.uptime
        changeView(of: target.id) { $0.beginRun(of: resolved, from: source, at: now) }
        return [.send(id, target.id, environment: workspace.environment, resolved, source)]
    }

    /// A target's request, in the chosen environment or in another one.
    func resolve(
        _ target: CatalogTarget,
        in environment: Int? = nil
    ) throws(CatalogError) -> ResolvedTarget {
        guard let catalog = workspace.catalog else {
            throw CatalogError("\(workspace.sourceName) is not read yet")
        }
        return try catalog.source.resolve(target, in: environment ?? self.workspace.environment)
    }

    /// Sends a chain, or resumes an earlier run of it.
    mutating func send(
        _ chain: CatalogChain,
        resuming done: ChainState? = nil,
        after last: ChainRunState? = nil
    ) throws(CatalogError) -> [Effect] {
        var resolved = try chain.resolve(workspace.environment)
        if let source = sending.source.source { resolved.source = source }
        let kept = done?.done ?? []
        let steps = resolved.steps.map { planned in
            // A step that is not sent again keeps its response.
            let old = last?.steps.first { $0.name == planned.name && kept.contains($0.name) }
            return old ?? ChainRunState.Step(name: planned.name, title: planned.title)
        }
        let id = beginRun(
            .chain(ChainRunState(steps: steps, layout: resolved.layout)),
            of: chain.id,
            named: chain.name
        )
        if last == nil {
            changeView(of: chain.id) { $0.chosenStep = nil }
        }
        return [
            .runChain(
                id,
                resolved,
                name: chain.name,
                environment: workspace.environment,
                resuming: done
            )
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
            environment: workspace.environment,
            at: clock.now
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
        guard let row = targets.selected, let node = workspace.catalog?.nodes.node(with: row.id)
        else {
            return []
        }
        guard case .target(let target) = node else {
            plan(node, row.id)
            return showStep()
        }
        if let view = view(of: row.id),
            case .success(let resolved)? = view.request
        {
            // The responses of a run stay. If the cache had nothing, it may have something by now.
            return view.cache.response == nil && view.server.awaitedSince == nil
                ? peek(row.id, resolved) : []
        }
        let request: Result<ResolvedTarget, CatalogError>
        do throws(CatalogError) {
            request = .success(try resolve(target))
        } catch {
            request = .failure(error)
        }
        changeView(of: row.id) { $0.request = request }
        guard case .success(let resolved) = request else { return [] }
        return peek(row.id, resolved)
    }

    /// Looks into the cache, except for a request that sends a file: its cache key requires reading the file,
    /// which nobody has asked for yet.
    private func peek(_ id: CatalogID, _ resolved: ResolvedTarget) -> [Effect] {
        let looking = lookAtSignIn(of: resolved)
        return resolved.target.task.sendsFile
            ? looking : looking + [.peek(id, environment: workspace.environment, resolved)]
    }

    /// Plans a batch or a chain, to show what it would do.
    private mutating func plan(_ node: CatalogNode, _ id: CatalogID) {
        if let view = view(of: id), view.plan != nil { return }
        let plan: TargetState.Plan
        do throws(CatalogError) {
            switch node {
            case .group, .target: return
            case .batch(let batch):
                let resolved = try batch.resolve(workspace.environment)
                plan = .batch(
                    titles: resolved.titles,
                    concurrency: resolved.batch.concurrency,
                    rate: resolved.batch.rate
                )
            case .chain(let chain):
                let resolved = try chain.resolve(workspace.environment)
                plan = .chain(resolved.steps, layout: resolved.layout)
            }
        } catch {
            plan = .problem(error)
        }
        changeView(of: id) { $0.plan = plan }
    }
}

extension [CatalogNode] {
    /// The target, batch or chain with an identity, in the groups too; nil if there is none.
    func node(with id: CatalogID) -> CatalogNode? {
        for node in self {
            switch node {
            case .group(_, let children): if let found = children.node(with: id) { return found }
            case .target(let target): if target.id == id { return node }
            case .batch(let batch): if batch.id == id { return node }
            case .chain(let chain): if chain.id == id { return node }
            }
        }
        return nil
    }
}
