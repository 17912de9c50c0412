import Apus
import Documents
import Terminal

extension Model {
    /// Takes a key: to the help, the filter, or the action that the table names.
    mutating func handle(_ key: Key) -> [Effect] {
        notice = nil
        if let effects = handleInPrompt(key) ?? handleInFilter(key) {
            return effects
        }
        if explanation != nil || details != nil || help != nil {
            return keys.action(for: key, in: [.moving, .everywhere, .explorer])
                .map { performInPage($0) } ?? []
        }
        guard let action = keys.action(for: key, in: keyPlaces) else { return type(key) }
        if let effects = performInPastValues(action) ?? performInSession(action) {
            return effects
        }
        if let effects = performInChain(action) { return effects }
        return performInComparison(action, key) ?? performInDocument(action, key) ?? perform(action)
    }

    /// A key for the filter that is typed; nil while none is.
    private mutating func handleInFilter(_ key: Key) -> [Effect]? {
        guard help == nil else { return nil }
        if let outcome = session.filter.handle(key) {
            return effects(of: outcome) { $0.sessionFilterChanged() }
        }
        return list.filter.handle(key).map { effects(of: $0) { $0.filterChanged() } }
    }

    private mutating func effects(
        of outcome: ListFilter.Outcome,
        _ changed: (inout Model) -> [Effect]
    ) -> [Effect] {
        switch outcome {
        case .changed: changed(&self)
        case .unchanged: []
        case .quit: [.session(.quit(status: 0))]
        }
    }

    mutating func filterChanged() -> [Effect] {
        if let catalog { list.arrange(catalog) }
        fitPanes()
        return lookAtSelection()
    }

    /// Performs an action in the help or the explanation.
    private mutating func performInPage(_ action: Action) -> [Effect] {
        let area = PageLayout(size: size).inside
        switch action {
        case .suspend: return [.session(.suspend)]
        case .redraw: return [.session(.redraw)]
        default: break
        }
        if let page = explanation {
            let count = explanationLines(columns: area.columns).count
            explanation = page.after(action, page: area.rows, count: count)
        } else if let page = details {
            let count = answerDetails?.lines(columns: area.columns).count ?? 0
            details = page.after(action, page: area.rows, count: count)
        } else {
            let text = HelpText(keys, places: KeyBinding.Place.ofExplorer, columns: area.columns)
            help = help?.after(action, page: area.rows, count: text.rowCount)
        }
        return []
    }

    /// Performs an action.
    mutating func perform(_ action: Action) -> [Effect] {
        switch action {
        case .quit: return [.session(.quit(status: 0))]
        case .suspend: return [.session(.suspend)]
        case .redraw: return [.session(.redraw)]
        case .help: help = PageScroll()
        case .cancel: return cancelOne()
        case .cancelAll: return runs.running.map { .cancel($0.id) }
        case .nextSource: chooseNextSource()
        case .nextEnvironment: return chooseNextEnvironment()
        case .zoom: toggleZoom()
        case .explain: explanation = PageScroll()
        case .details: showDetails()
        case .back: return goBack()
        case .focusNext: move(to: nextFocus(by: 1))
        case .focusPrevious: move(to: nextFocus(by: -1))
        case .focusTargets: move(to: .targets)
        case .focusCache: move(to: .cache)
        case .focusServer: move(to: .server)
        case .focusProgress: move(to: .progress)
        case .filter: startFilter()
        case .edit: return editSelected()
        case .sendAgain: return opened.map { sendAgain($0.then) } ?? sendSelected()
        case .copyCommand: return copyCommand()
        case .recordSession: return toggleSession()
        case .pastValues: return showPastValues()
        case .watch: startWatch()
        case .olderAnswer, .newerAnswer: return step(isOlder: action == .olderAnswer)
        case .activate: return activate()
        case .up, .down, .left, .right, .pageUp, .pageDown, .first, .last: return moveCursor(action)
        case .toggleFold: foldGroup()
        case .compare: return toggleComparison()
        default: break
        }
        return []
    }

    mutating func move(to newFocus: Focus) {
        focus = newFocus
        fitPanes()
    }

    private func nextFocus(by step: Int) -> Focus {
        // Without a history there is nothing to move through in the last pane; its own key opens it.
        let order: [Focus] = [.targets, .cache, .server] + (hasHistory ? [.progress] : [])
        let index = order.firstIndex(of: focus) ?? 0
        return order[(index + step + order.count) % order.count]
    }

    private mutating func showDetails() {
        guard answerDetails != nil else {
            notice = Notice(kind: .information, text: "there is no answer yet")
            return
        }
        details = PageScroll()
    }

    private mutating func toggleZoom() {
        isZoomed.toggle()
        fitPanes()
    }

    private mutating func goBack() -> [Effect] {
        if clearFindings() {
            fitPanes()
        } else if isZoomed {
            toggleZoom()
        } else if focus == .progress, session.filter != nil {
            session.filter = nil
            return sessionFilterChanged()
        } else if opened != nil || watched != nil, focus != .targets {
            closeOpened()
            move(to: .progress)
        } else if focus == .targets, list.filter != nil {
            list.filter = nil
            return filterChanged()
        } else {
            move(to: .targets)
        }
        return []
    }

    /// Drops what was found in the pane with the focus; false when there was nothing.
    private mutating func clearFindings() -> Bool {
        guard let side = focusedSide else { return false }
        var hadSome = false
        changePane(side) { hadSome = $0.document.clearFindings() }
        return hadSome
    }

    private mutating func startFilter() {
        // Each word is looked for in each target at each key.
        list.filter.start(placeholder: "name, method, path", limit: 256)
        move(to: .targets)
    }

    private mutating func chooseNextSource() {
        sourceChoice = sourceChoice.next
        notice = Notice(
            kind: .information,
            text: "\(sourceChoice.title): \(sourceChoice.explanation)"
        )
    }

    private mutating func chooseNextEnvironment() -> [Effect] {
        guard let catalog else { return [] }
        if catalog.environments.count == 1 {
            notice = Notice(
                kind: .information,
                text: "\(catalog.name) has only one environment"
            )
            return []
        }
        environment = (environment + 1) % catalog.environments.count
        return lookAtSelection()
    }

    /// Ends the run under the cursor, or the one that is shown, or the newest.
    private func cancelOne() -> [Effect] {
        let running = runs.running
        var asked = watched ?? running.last { $0.item == shownItem }?.id
        if focus == .progress, case .run(let id)? = session.selected { asked = id }
        let run = running.last { $0.id == asked } ?? running.last
        return run.map { [.cancel($0.id)] } ?? []
    }
}
