import Apus
import Documents
import Terminal
import TreeView

/// Sends a target again at an interval.
extension Model {
    /// Asks how often to send the target under the cursor.
    mutating func startWatch() -> [Effect] {
        guard case .target? = targets.selected?.kind else {
            return refuse("select a target to watch it")
        }
        guard case .success? = view(of: selectedID)?.request else {
            return refuse("this target cannot be made into a request, so it cannot be watched")
        }
        layers.prompt = LinePrompt(
            purpose: .watch,
            field: TextField(sending.lastWatch, limit: 1024)
        )
        return []
    }

    private var selectedID: CatalogID { targets.selected?.id ?? CatalogID("") }

    /// Starts to watch the target under the cursor; if the input is not a plan, says why and asks again.
    mutating func watch(_ text: String, _ prompt: LinePrompt) -> [Effect] {
        let plan: WatchPlan
        do throws(WatchPlanError) {
            plan = try WatchPlan(text)
        } catch {
            return ask(again: prompt, error.text)
        }
        guard let row = targets.selected, case .target(let method) = row.kind,
            case .success(let resolved)? = view(of: row.id)?.request
        else { return refuse("the target is not there any more") }
        guard
            !needsConfirmation(
                .watch(text, prompt),
                in: workspace.environment,
                isSafe: Confirmation.isSafe(method),
                "\(method) \(row.name) again and again"
            )
        else { return [] }
        sending.lastWatch = text
        let state = WatchRunState(method: method, target: resolved.requestTarget, plan: plan)
        let id = beginRun(.watch(state), of: row.id, named: row.name)
        _ = showWatch(id)
        return [.watch(id, row.id, environment: workspace.environment, resolved, plan)]
    }

    /// Shows the last two responses of a watched target in the panes.
    mutating func showWatch(_ id: RunID) -> [Effect] {
        guard case .watch(let state)? = runs[id]?.state else { return [] }
        layers.close(.pastValues)
        responses.shown = .watch(id)
        let request = runs[id].flatMap { view(of: $0.item)?.request }
        changeView(of: ResponsePanes.item(ofWatch: id)) { view in
            view.request = request
            if case .success(let resolved)? = request {
                view.checkedTarget = resolved.checkedTarget
            }
            if state.newest == nil { view.server.content = .waiting }
        }
        if panes.focusedSide == nil { panes.focus = .server }
        fitPanes()
        return showResponses(of: state, id)
    }

    /// Applies the result of sending a watched target once.
    mutating func apply(
        _ result: Result<Response, ApusError>,
        after duration: Duration,
        toWatch id: RunID,
        isChange: Bool
    ) -> [Effect] {
        guard case .watch(var state)? = runs[id]?.state else { return [] }
        state.append(result, after: duration, isChange: isChange, at: clock.now.uptime)
        runs.update(id) { $0.state = .watch(state) }
        guard responses.watched == id else { return [] }
        // An equal response changes neither what is shown nor the cursor.
        guard isChange || state.responseCount == 1 else { return [] }
        return showResponses(of: state, id)
    }

    private mutating func showResponses(of state: WatchRunState, _ id: RunID) -> [Effect] {
        let item = ResponsePanes.item(ofWatch: id)
        var effects: [Effect] = []
        responses.comparesOpened = state.previous != nil
        for (side, run) in [(PaneSide.cache, state.previous), (.server, state.newest)] {
            guard let run else { continue }
            effects += show(.init(run.result), in: side, of: item, workspace.environment)
            effects += check(
                run.result,
                in: side,
                after: run.duration,
                of: item,
                workspace.environment
            )
        }
        return effects
    }

    mutating func endWatch(_ id: RunID, isReached: Bool) {
        runs.update(id) { run in
            guard case .watch(var state) = run.state else { return }
            state.isReached = isReached
            run.state = .watch(state)
        }
        runs.end(id, at: clock.now.uptime)
        arrangeSession()
        guard isReached, case .watch(let state)? = runs[id]?.state else { return }
        say("\(state.target): \(state.plan.conditionText ?? "") is met; the watch has ended")
    }
}
