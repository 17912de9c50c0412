import Documents
import Terminal
import TreeView

extension Model {
    /// A click selects a pane and a row, or sends the selected target; the wheel scrolls what it is over.
    mutating func handle(_ mouse: MouseEvent) -> [Effect] {
        for layer in openLayers {
            if let effects = handle(mouse, in: layer) { return effects }
        }
        if let effects = handleDrag(mouse) ?? clickFooter(mouse) { return effects }
        guard let pane = pane(at: mouse.position) else { return [] }
        if focusedDocument?.wholeValue != nil {
            // The value covers both responses.
            if mouse.kind == .scrollUp { return scroll(panes.focus, by: -3) }
            return mouse.kind == .scrollDown ? scroll(panes.focus, by: 3) : []
        }
        switch mouse.kind {
        case .scrollUp: return scroll(pane, by: -3)
        case .scrollDown: return scroll(pane, by: 3)
        case .press where mouse.button == .left: return click(pane, at: mouse.position)
        default: return []
        }
    }

    /// A click on a hint in the footer acts like its key; nil for any other event.
    mutating func clickFooter(_ mouse: MouseEvent) -> [Effect]? {
        guard mouse.kind == .press, mouse.button == .left else { return nil }
        return footerKey(at: mouse.position).map { handle($0) }
    }

    func pane(at point: Point) -> Focus? {
        let layout = layout
        if layout.targets.contains(point) { return .targets }
        if isBatchSelected, layout.detail.contains(point) { return .server }
        if showsRequestPane, layout.request.contains(point) { return .request }
        if layout.cache.contains(point) || layout.cacheLine.contains(point) { return .cache }
        if layout.server.contains(point) { return .server }
        return layout.progress.contains(point) ? .progress : nil
    }

    mutating func scroll(_ pane: Focus, by rows: Int) -> [Effect] {
        if isBatchSelected, pane == .cache || pane == .server {
            scrollBatch(by: rows)
            return []
        }
        if comparison != nil, pane == .cache || pane == .server {
            changeComparison { $0.scroll.scroll(by: rows) }
            return []
        }
        switch pane {
        case .targets: targets.scroll.scroll(by: rows)
        case .request: request.scroll.scroll(by: rows)
        case .cache: changePane(.cache) { $0.scroll(by: rows) }
        case .server: changePane(.server) { $0.scroll(by: rows) }
        case .progress:
            session.scroll(by: rows)
            return loadSession()
        }
        return []
    }

    /// Gives a pane the keys and selects what is at a point; a second click opens it, unless `opens` is false.
    mutating func click(_ pane: Focus, at point: Point, opens: Bool = true) -> [Effect] {
        let hadFocus = opens && panes.focus == pane
        panes.focus = pane
        fitPanes()
        let layout = layout
        switch pane {
        case .targets:
            let area = layout.inside(layout.targets)
            let row = point.y - area.y + targets.scroll.offset
            guard area.contains(point), targets.rows.indices.contains(row) else { return [] }
            let isSecond = hadFocus && row == targets.scroll.selection
            targets.scroll.select(row)
            return isSecond ? activate() : lookAtSelection()
        case .cache, .server:
            if isBatchSelected { return clickBatch(row: point.y, hadFocus) }
            let side: PaneSide = pane == .cache ? .cache : .server
            guard let shown = selectedView?[side] else { return [] }
            if let effects = clickTabs(of: shown, side, at: point, hadFocus: hadFocus) {
                return effects
            }
            let rect = layout.body(of: shown, in: layout.pane(side))
            if comparison != nil {
                let line = point.y - rect.y
                changeComparison { comparison in
                    guard 0..<comparison.scroll.height ~= line else { return }
                    comparison.scroll.select(comparison.scroll.offset + line)
                }
                return []
            }
            let effects = inDocument(side) { tree in
                tree.click(row: point.y - rect.y, column: point.x - rect.x, isSecond: hadFocus)
            }
            fitPanes()
            return effects
        case .request: return clickRequest(at: point, hadFocus)
        case .progress: return clickSession(row: point.y - layout.sessionTop, hadFocus)
        }
    }
}

extension Model {
    /// Moves the cursor of the target list, if the list has the focus.
    mutating func moveCursor(_ action: Action) -> [Effect] {
        guard panes.focus == .targets else { return [] }
        switch action {
        case .left, .right: return stepIntoGroup(isOpening: action == .right)
        default: targets.scroll.move(action)
        }
        return lookAtSelection()
    }

    private mutating func stepIntoGroup(isOpening: Bool) -> [Effect] {
        guard let catalog = workspace.catalog, let row = targets.selected else { return [] }
        if case .group(let isFolded, _) = row.kind, isFolded == isOpening {
            targets.toggle(row.id, in: catalog)
        } else if isOpening {
            if case .group = row.kind { targets.scroll.move(by: 1) } else { panes.focus = .server }
        } else if let parent = targets.rows[..<targets.scroll.selection].lastIndex(where: {
            $0.depth < row.depth
        }) {
            targets.scroll.select(parent)
        }
        fitPanes()
        return lookAtSelection()
    }

    /// Changes one side of the response panes.
    mutating func changePane(_ side: PaneSide, _ change: (inout ResponseState) -> Void) {
        guard let id = shownItem, view(of: id) != nil else { return }
        changeView(of: id) { change(&$0[side]) }
    }

    /// Folds or unfolds the group under the cursor.
    mutating func foldGroup() {
        guard let row = targets.selected, let catalog = workspace.catalog, case .group = row.kind
        else { return }
        // A filter shows all that matches, so that folding would not be seen before it goes.
        guard targets.filter?.text.isEmpty ?? true else {
            say("the filter shows all groups unfolded; esc clears it")
            return
        }
        targets.toggle(row.id, in: catalog)
        fitPanes()
    }
}

extension Model {
    /// A click selects a tab or a line; a click on the selected line edits it.
    mutating func clickRequest(at point: Point, _ hadFocus: Bool) -> [Effect] {
        let parts = layout.requestParts
        request.field = nil
        if parts.tabs.contains(point) {
            let label = requestTabs.fitting(parts.tabs).first { $0.place.contains(point) }
            return label.map { show($0.tab) } ?? []
        }
        guard parts.rows.contains(point) else { return [] }
        let row = point.y - parts.rows.y + request.scroll.offset
        guard request.lines.indices.contains(row) else { return [] }
        let isSecond = hadFocus && row == request.scroll.selection
        request.scroll.select(row)
        return isSecond ? performInRequest(.editValue) ?? [] : []
    }
}
