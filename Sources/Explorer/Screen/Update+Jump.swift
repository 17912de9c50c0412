import Documents
import Terminal
import TreeView

extension Model {
    mutating func startJump() {
        layers.jump = Jump(jumpGoals)
        // If the notice shares the footer's row, it would cover labels there.
        guard layout.notice != layout.footer else { return }
        say("type a label to go there; esc to stay")
    }

    /// Handles a key while the labels are shown.
    mutating func handleInJump(_ key: Key, _ jump: Jump) -> [Effect] {
        layers.close(.jump)
        notice = nil
        guard let letter = key.text?.lowercased() else {
            return key == Key("ctrl+c") ? leave() : []
        }
        var jump = jump
        jump.typed += letter
        let candidates = jump.candidates
        guard let first = candidates.first else { return [] }
        guard first.text == jump.typed else {
            layers.jump = jump
            return []
        }
        switch first.goal {
        case .pane(let pane):
            move(to: pane)
            return []
        case .place(let pane, let point): return click(pane, at: point, opens: false)
        case .key(let key): return handle(key)
        }
    }

    /// Everything that can be reached; kinds with few goals come first.
    private var jumpGoals: [(point: Point, goal: Jump.Goal)] {
        let layout = layout
        return paneGoals(layout) + tabGoals(layout) + hintGoals + rowGoals(layout)
    }

    private func paneGoals(_ layout: Layout) -> [(point: Point, goal: Jump.Goal)] {
        var panes = [(Focus.targets, layout.targets), (.progress, layout.progress)]
        if isBatchSelected || isChainSelected {
            panes.append((.server, layout.detail))
        } else {
            panes += [(.cache, layout.cache), (.server, layout.server)]
        }
        if showsRequestPane, layout.requestIsOpen { panes.append((.request, layout.request)) }
        return panes.filter { !$0.1.isEmpty && ($0.0 != .progress || session.hasHistory) }.map {
            (Point(x: $0.1.x + (layout.isFramed ? 1 : 0), y: $0.1.y), .pane($0.0))
        }
    }

    private func tabGoals(_ layout: Layout) -> [(point: Point, goal: Jump.Goal)] {
        var goals: [(point: Point, goal: Jump.Goal)] = []
        if showsRequestPane, layout.requestIsOpen {
            for label in requestTabs.fitting(layout.requestParts.tabs) {
                let point = Point(x: label.place.x, y: label.place.y)
                goals.append((point, .place(.request, point)))
            }
        }
        guard !isBatchSelected, !isChainSelected, let view = selectedView else { return goals }
        for side in [PaneSide.cache, .server] {
            let tabs = layout.tabs(of: view[side], in: layout.pane(side))
            guard !tabs.isEmpty else { continue }
            let counts = responseDetails(side)?.counts ?? [:]
            for item in ResponseTabs(counts: counts, columns: tabs.columns).items {
                let point = Point(x: tabs.x + item.column, y: tabs.y)
                goals.append((point, .place(side == .cache ? .cache : .server, point)))
            }
        }
        return goals
    }

    private var hintGoals: [(point: Point, goal: Jump.Goal)] {
        footerKeys.map { (Point(x: max(0, $0.place.x - 1), y: $0.place.y), .key($0.key)) }
    }

    private func rowGoals(_ layout: Layout) -> [(point: Point, goal: Jump.Goal)] {
        var goals: [(point: Point, goal: Jump.Goal)] = []
        func addRows(_ count: Int, of pane: Focus, in area: Rect) {
            for line in 0..<max(0, min(area.rows, count)) {
                let point = Point(x: area.x, y: area.y + line)
                goals.append((point, .place(pane, point)))
            }
        }
        if !layout.targets.isEmpty {
            addRows(targets.scroll.visible.count, of: .targets, in: layout.inside(layout.targets))
        }
        if showsRequestPane, layout.requestIsOpen {
            addRows(request.scroll.visible.count, of: .request, in: layout.requestParts.rows)
        }
        if let batch = shownBatch {
            addRows(batch.lines.count, of: .server, in: batch.regions.list)
        } else if !isChainSelected, let view = selectedView {
            for side in [PaneSide.cache, .server] where !layout.pane(side).isEmpty {
                let (response, pane) = (view[side], layout.pane(side))
                let focus: Focus = side == .cache ? .cache : .server
                if response.showsPage {
                    let rows = response.page?.scroll.visible.count ?? 0
                    addRows(rows, of: focus, in: layout.page(of: response, in: pane))
                } else if response.document.body != nil {
                    let shown = comparison?.scroll ?? response.document.shownScroll
                    // A click on a column's title would sort.
                    let hasTitles = comparison == nil && response.document.showsTable
                    let area = layout.body(of: response, in: pane).inset(top: hasTitles ? 1 : 0)
                    addRows(shown.visible.count, of: focus, in: area)
                }
            }
        }
        if session.hasHistory, !layout.progress.isEmpty {
            let area = Rect(
                x: layout.inside(layout.progress).x,
                y: layout.sessionTop,
                columns: 1,
                rows: layout.sessionRows
            )
            addRows(session.scroll.visible.count, of: .progress, in: area)
        }
        return goals
    }
}
