import Apus
import Documents
import Terminal
import TreeView

extension Model {
    /// Handles a key: passes it to what is open over the panes, else performs the action that the table names.
    mutating func handle(_ key: Key) -> [Effect] {
        // What was refused stays on the screen while its text is typed.
        if !layers.isOpen(.refusedText) { notice = nil }
        for layer in openLayers {
            if let effects = handle(key, in: layer) { return effects }
        }
        guard let action = keys.action(for: key, in: keyPlaces) else { return type(key) }
        return dispatch(action, key)
    }

    /// Performs an action in the pane that takes the keys; `key` distinguishes the keys of a row of digits.
    mutating func dispatch(_ action: Action, _ key: Key) -> [Effect] {
        if action != .quit { request.edited.mayLeave = false }
        let effects: [Effect]? =
            switch panes.focus {
            case .targets:
                [.runFailedAgain, .runByWorkers].contains(action) && isBatchSelected
                    ? performInBatch(action) : nil
            case .request: performInRequestAloud(action)
            case .progress: performInSession(action)
            case .cache, .server: performInResponses(action, key)
            }
        return effects ?? perform(action)
    }

    /// Performs an action in the response panes, or in the batch or chain in their place; nil if they have no such
    /// action.
    private mutating func performInResponses(_ action: Action, _ key: Key) -> [Effect]? {
        if isBatchSelected { return performInBatch(action) }
        if isChainSelected { return performInChain(action) }
        return performInTab(action) ?? performInComparison(action, key)
            ?? performInDocument(action, key)
    }

    /// Performs an action that no pane has taken.
    mutating func perform(_ action: Action) -> [Effect] {
        switch action {
        case .quit: return leave()
        case .suspend: return [.session(.suspend)]
        case .redraw: return [.session(.redraw)]
        case .help: openHelp()
        case .cancel: return cancelOne()
        case .cancelAll:
            if runs.running.isEmpty, sharing.watched == nil { say("nothing is running") }
            return stopWatching() + runs.running.map { .cancel($0.id) }
        case .nextSource: chooseNextSource()
        case .chooseSource: return openSources()
        case .jump: startJump()
        case .narrower, .wider, .lower, .higher: return resize(action)
        case .standardSizes:
            if panes.sizes == PaneSizes() { say("the panes have their usual sizes") }
            panes.sizes = PaneSizes()
            fitPanes()
        case .nextEnvironment: return chooseEnvironment()
        case .palette: return openPalette()
        case .chooseTheme: return openThemes()
        case .mouse: return toggleMouse()
        case .zoom: toggleZoom()
        case .explain: layers.explanation = PageScroll()
        case .details, .showBody, .showExpectations, .showHeaders, .showCookies, .showTiming,
            .showCertificate,
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
        case .makeGroup: return startGroup()
        case .moveItem: return startMove()
        case .copyItem: return startCopy()
        case .removeItem: return startDeleting()
        case .shiftUp, .shiftDown: return shiftItem(isDown: action == .shiftDown)
        case .undoChange: return undoChange()
        case .expect: return startExpecting()
        case .showVariables: return openVariables()
        case .cookies: return openCookies()
        case .forgetValues: return forgetValues()
        case .signIn: return startSignIn()
        case .signOut: return signOut()
        case .filterBody: return askForFilter()
        case .takeBack: return takeBack()
        case .save: return saveRequest()
        case .saveAs: return askForName()
        case .takeDefaults: return toggleDefaults()
        case .filter: startFilter()
        case .edit: return editSelected()
        case .saveBody: return askWhereToSave()
        case .sendAgain:
            return responses.opened.map { sendAgain($0.then) } ?? responses.openedPart.map {
                sendAlone($0)
            }
                ?? sendSelected()
        case .copyCommand: return copyCommand()
        case .recordSession: return toggleSession()
        case .listSessions: return openSessions()
        case .pastValues: return showPastValues()
        case .watch: return startWatch()
        case .olderResponse, .newerResponse: return step(isOlder: action == .olderResponse)
        case .activate: return activate()
        case .up, .down, .left, .right, .pageUp, .pageDown, .first, .last: return moveCursor(action)
        case .toggleFold:
            if case .group? = targets.selected?.kind {
                foldGroup()
            } else {
                say("only a group can be folded")
            }
        case .compare: return toggleComparison()
        default: sayNothingToDo(action)
        }
        return []
    }

    /// Says that an action has nothing to act on; the first place that binds it says what it is for.
    private mutating func sayNothingToDo(_ action: Action) {
        guard let binding = keys.bindings.first(where: { $0.action == action }) else { return }
        say("\(binding.label) works only in: \(binding.place.title.lowercased())")
    }

    /// Gives the mouse to the terminal, so that it can select text, or takes it back.
    private mutating func toggleMouse() -> [Effect] {
        panes.hasMouse.toggle()
        let key = keys.hint(for: .mouse, in: [.explorer])?.key ?? ":"
        say(
            panes.hasMouse
                ? "the mouse is back" : "the mouse selects text now; \(key) takes it back"
        )
        return [.session(.reportMouse(panes.hasMouse))]
    }

    mutating func move(to newFocus: Focus) {
        panes.focus = newFocus
        fitPanes()
    }

    /// Moves to the next pane; a request that is closed opens on the way, and closes when that goes on.
    private mutating func moveFocus(by step: Int) -> [Effect] {
        let next = nextFocus(by: step)
        if next == .request, !showsRequestPane {
            let effects = openRequest(at: nil)
            request.isPassed = showsRequestPane
            return effects
        }
        let isEdited = targets.selected.map { request.edited.isEdited($0.id) } ?? false
        if panes.focus == .request, request.isPassed, !isEdited { request.isOpen = false }
        move(to: next)
        return []
    }

    private func nextFocus(by step: Int) -> Focus {
        // Without a history the last pane has no lines to move through; its own key still opens it.
        let request: [Focus] = showsRequestPane || canShowRequest ? [.request] : []
        var order =
            [.targets] + request + [.cache, .server] + (session.hasHistory ? [.progress] : [])
        // The cache has only a line, or no pane: there is nothing to move to.
        if cacheRoom != .half, panes.focus != .cache { order.removeAll { $0 == .cache } }
        // A batch and a chain have one pane in place of the two responses.
        if isBatchSelected || isChainSelected {
            order.removeAll { $0 == (panes.focus == .cache ? .server : .cache) }
        }
        let index = order.firstIndex(of: panes.focus) ?? 0
        return order[(index + step + order.count) % order.count]
    }

    private mutating func toggleZoom() {
        panes.isZoomed.toggle()
        fitPanes()
    }

    private mutating func goBack() -> [Effect] {
        if clearFindings() {
            fitPanes()
        } else if let effects = dropFilter() {
            return effects
        } else if panes.isZoomed {
            toggleZoom()
        } else if panes.focus == .progress, session.filter != nil {
            session.filter = nil
            return sessionFilterChanged()
        } else if responses.openedPart != nil, panes.focus != .targets {
            closeOpened()
        } else if !responses.showsSelection, panes.focus != .targets {
            closeOpened()
            move(to: .progress)
        } else if panes.focus == .targets, targets.filter != nil {
            targets.filter = nil
            return targetFilterChanged()
        } else {
            if panes.focus == .targets { say("q quits") }
            move(to: .targets)
        }
        return []
    }

    /// Drops what was found in the focused pane; returns false if there was nothing.
    private mutating func clearFindings() -> Bool {
        guard let side = panes.focusedSide else { return false }
        var hadSome = false
        changePane(side) { hadSome = $0.document.clearFindings() }
        return hadSome
    }

    private mutating func startFilter() {
        // The length is limited because each key searches each target for each word.
        targets.filter.start(placeholder: "name, method, path", limit: 256)
        move(to: .targets)
    }

    private mutating func chooseNextSource() {
        sending.source = sending.source.next
        say("\(sending.source.title): \(sending.source.explanation)")
    }

    /// Cancels the run under the cursor, else the one that is shown, else the newest, else what is watched.
    private mutating func cancelOne() -> [Effect] {
        let running = runs.running
        var asked = responses.watched ?? running.last { $0.item == shownItem }?.id
        if panes.focus == .progress, case .run(let id)? = session.selected { asked = id }
        if let run = running.last(where: { $0.id == asked }) ?? running.last {
            return [.cancel(run.id)]
        }
        if sharing.watched != nil { return stopWatching() }
        return say("nothing is running")
    }
}
