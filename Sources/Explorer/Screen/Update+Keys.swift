import Apus
import Documents
import Terminal
import TreeView

extension Model {
    /// Handles a key: passes it to what is open over the panes, else performs the action that the table names.
    mutating func handle(_ key: Key) -> [Effect] {
        // What was refused stays on the screen while its text is typed.
        if !swallowsText { notice = nil }
        for layer in layers {
            if let effects = handle(key, in: layer) { return effects }
        }
        guard let action = keys.action(for: key, in: keyPlaces) else { return type(key) }
        return dispatch(action, key)
    }

    /// Performs an action in the pane that takes the keys; `key` tells the keys of a row of digits apart.
    mutating func dispatch(_ action: Action, _ key: Key) -> [Effect] {
        if action != .quit { editedRequests.mayLeave = false }
        if let effects = performInPastValues(action) ?? performInSession(action) {
            return effects
        }
        if let effects = performInRequestAloud(action) { return effects }
        if let effects = performInBatch(action) ?? performInChain(action) ?? performInTab(action) {
            return effects
        }
        return performInComparison(action, key) ?? performInDocument(action, key) ?? perform(action)
    }

    /// Handles a key for the filter that is being typed; nil if there is none.
    mutating func handleInFilter(_ key: Key) -> [Effect]? {
        guard help == nil else {
            guard let outcome = helpFilter.handle(key) else { return nil }
            help = PageScroll()
            return effects(of: outcome) { _ in [] }
        }
        if session.filter.isTyping, key.code == .enter, let problem = session.filterProblem {
            notice = Notice(kind: .failure, text: problem)
            return []
        }
        if let outcome = session.filter.handle(key) {
            return effects(of: outcome) { $0.sessionFilterChanged() }
        }
        if list.filter.isTyping, key.code == .enter, list.rows.isEmpty,
            list.filter?.text.isEmpty == false
        {
            say("no target matches; esc clears the filter")
            return []
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
        case .quit: leave()
        }
    }

    mutating func filterChanged() -> [Effect] {
        if let catalog { list.arrange(catalog, isSame: true) }
        fitPanes()
        return lookAtSelection()
    }

    /// The filter that is being typed; nil if none is.
    var typedFilter: ListFilter? {
        let filters = help != nil ? [helpFilter] : [session.filter, list.filter]
        return filters.compactMap(\.self).first(where: \.isTyping)
    }

    /// Handles a key while the help or the explanation is open.
    mutating func handleInPage(_ key: Key) -> [Effect] {
        if help != nil, keys.action(for: key, in: [.targets]) == .filter {
            helpFilter.start(placeholder: "a key, or what it does", limit: 64)
            return []
        }
        return keys.action(for: key, in: [.moving, .everywhere, .explorer])
            .map { performInPage($0) } ?? []
    }

    /// Performs an action in the help or the explanation.
    private mutating func performInPage(_ action: Action) -> [Effect] {
        let area = PageLayout(size: size).inside
        switch action {
        case .suspend: return [.session(.suspend)]
        case .redraw: return [.session(.redraw)]
        case .explain:
            (explanation, help) = (nil, explanation == nil ? nil : help)
            return []
        default: break
        }
        if let page = explanation {
            let count = explanationLines(columns: area.columns).count
            explanation = page.after(action, page: area.rows, count: count)
        } else {
            if action == .back, helpFilter != nil {
                helpFilter = nil
                return []
            }
            let text = HelpText(
                keys,
                places: KeyBinding.Place.ofExplorer,
                columns: area.columns,
                matching: helpFilter?.text ?? "",
                synonyms: PaletteWords.words
            )
            help = help?.after(action, page: area.rows, count: text.rowCount)
        }
        return []
    }

    /// Performs an action that no pane has taken.
    mutating func perform(_ action: Action) -> [Effect] {
        switch action {
        case .quit: return leave()
        case .suspend: return [.session(.suspend)]
        case .redraw: return [.session(.redraw)]
        case .help: (help, helpFilter) = (PageScroll(), nil)
        case .cancel: return cancelOne()
        case .cancelAll:
            if runs.running.isEmpty { say("nothing is running") }
            return runs.running.map { .cancel($0.id) }
        case .nextSource: chooseNextSource()
        case .chooseSource: return openSources()
        case .jump: startJump()
        case .narrower, .wider, .lower, .higher: return resize(action)
        case .standardSizes:
            if sizes == PaneSizes() { say("the panes have their usual sizes") }
            sizes = PaneSizes()
            fitPanes()
        case .nextEnvironment: return chooseEnvironment()
        case .palette: return openPalette()
        case .chooseTheme: return openThemes()
        case .mouse: return toggleMouse()
        case .zoom: toggleZoom()
        case .explain: explanation = PageScroll()
        case .details, .showBody, .showHeaders, .showCookies, .showTiming, .showCertificate,
            .showRequest, .showRaw:
            return showTab(action)
        case .back: return goBack()
        case .focusNext: return moveFocus(by: 1)
        case .focusPrevious: return moveFocus(by: -1)
        case .focusTargets: moveAloud(to: .targets)
        case .focusCache: moveAloud(to: .cache)
        case .focusServer: moveAloud(to: .server)
        case .focusProgress: moveAloud(to: .progress)
        case .focusRequest: return openRequest(at: nil)
        case .requestBody: return openRequestAloud(at: .body)
        case .requestHeaders: return openRequestAloud(at: .headers)
        case .requestQuery: return openRequestAloud(at: .query)
        case .pasteRequest: return startPaste()
        case .newRequest: startRequest()
        case .cookies: return openCookies()
        case .filterBody: return askForFilter()
        case .takeBack: return takeBack()
        case .save: return saveRequest()
        case .saveAs: return askForName()
        case .takeDefaults: return toggleDefaults()
        case .filter: startFilter()
        case .edit: return editSelected()
        case .saveBody: return askWhereToSave()
        case .sendAgain:
            return opened.map { sendAgain($0.then) } ?? openedPart.map { sendAlone($0) }
                ?? sendSelected()
        case .copyCommand: return copyCommand()
        case .recordSession: return toggleSession()
        case .pastValues: return showPastValues()
        case .watch: return startWatch()
        case .olderAnswer, .newerAnswer: return step(isOlder: action == .olderAnswer)
        case .activate: return activate()
        case .up, .down, .left, .right, .pageUp, .pageDown, .first, .last: return moveCursor(action)
        case .toggleFold:
            if case .group? = list.selected?.kind {
                foldGroup()
            } else {
                say("only a group can be folded")
            }
        case .compare: return toggleComparison()
        default: sayNothingToDo(action)
        }
        return []
    }

    /// Says that an action has nothing to act on; which place is the first that binds it tells what it is for.
    private mutating func sayNothingToDo(_ action: Action) {
        guard let binding = keys.bindings.first(where: { $0.action == action }) else { return }
        say("\(binding.label) works only in: \(binding.place.title.lowercased())")
    }

    /// Gives the mouse to the terminal, so that it can select text, or takes it back.
    private mutating func toggleMouse() -> [Effect] {
        hasMouse.toggle()
        let key = keys.hint(for: .mouse, in: [.explorer])?.key ?? ":"
        notice = Notice(
            kind: .information,
            text: hasMouse
                ? "the mouse is back" : "the mouse selects text now; \(key) takes it back"
        )
        return [.session(.reportMouse(hasMouse))]
    }

    mutating func move(to newFocus: Focus) {
        focus = newFocus
        fitPanes()
    }

    /// Moves to the next pane; a request that is closed opens on the way, and closes when that goes on.
    private mutating func moveFocus(by step: Int) -> [Effect] {
        let next = nextFocus(by: step)
        if next == .request, !showsRequestPane {
            let effects = openRequest(at: nil)
            isRequestPassed = showsRequestPane
            return effects
        }
        let isEdited = list.selected.map { editedRequests.isEdited($0.id) } ?? false
        if focus == .request, isRequestPassed, !isEdited { isRequestOpen = false }
        move(to: next)
        return []
    }

    private func nextFocus(by step: Int) -> Focus {
        // Without a history the last pane has no lines to move through; its own key still opens it.
        let request: [Focus] = showsRequestPane || canShowRequest ? [.request] : []
        var order = [.targets] + request + [.cache, .server] + (hasHistory ? [.progress] : [])
        // The cache has only a line, or no pane: there is nothing to move to.
        if cacheRoom != .half, focus != .cache { order.removeAll { $0 == .cache } }
        // A batch and a chain have one pane in place of the two answers.
        if isBatchSelected || isChainSelected {
            order.removeAll { $0 == (focus == .cache ? .server : .cache) }
        }
        let index = order.firstIndex(of: focus) ?? 0
        return order[(index + step + order.count) % order.count]
    }

    private mutating func toggleZoom() {
        isZoomed.toggle()
        fitPanes()
    }

    private mutating func goBack() -> [Effect] {
        if clearFindings() {
            fitPanes()
        } else if let effects = dropFilter() {
            return effects
        } else if isZoomed {
            toggleZoom()
        } else if focus == .progress, session.filter != nil {
            session.filter = nil
            return sessionFilterChanged()
        } else if openedPart != nil, focus != .targets {
            closeOpened()
        } else if !showsSelection, focus != .targets {
            closeOpened()
            move(to: .progress)
        } else if focus == .targets, list.filter != nil {
            list.filter = nil
            return filterChanged()
        } else {
            if focus == .targets { say("q quits") }
            move(to: .targets)
        }
        return []
    }

    /// Drops what was found in the focused pane; returns false if there was nothing.
    private mutating func clearFindings() -> Bool {
        guard let side = focusedSide else { return false }
        var hadSome = false
        changePane(side) { hadSome = $0.document.clearFindings() }
        return hadSome
    }

    private mutating func startFilter() {
        // The length is limited because each key searches each target for each word.
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

    /// Cancels the run under the cursor, else the one that is shown, else the newest.
    private mutating func cancelOne() -> [Effect] {
        let running = runs.running
        var asked = watched ?? running.last { $0.item == shownItem }?.id
        if focus == .progress, case .run(let id)? = session.selected { asked = id }
        let run = running.last { $0.id == asked } ?? running.last
        if run == nil { say("nothing is running") }
        return run.map { [.cancel($0.id)] } ?? []
    }
}
