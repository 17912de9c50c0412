import Documents
import Terminal

extension Model {
    /// A click chooses a pane and a row; a click on the chosen target sends it;
    /// the wheel scrolls what it is over.
    mutating func handle(_ mouse: MouseEvent) -> [Effect] {
        guard help == nil, let pane = pane(at: mouse.position) else { return [] }
        if focusedTree?.wholeValue != nil {
            // The value lies over both answers.
            if mouse.kind == .scrollUp { scroll(focus, by: -3) }
            if mouse.kind == .scrollDown { scroll(focus, by: 3) }
            return []
        }
        switch mouse.kind {
        case .scrollUp: scroll(pane, by: -3)
        case .scrollDown: scroll(pane, by: 3)
        case .press where mouse.button == .left: return click(pane, at: mouse.position)
        default: break
        }
        return []
    }

    private func pane(at point: Point) -> Focus? {
        let layout = layout
        if layout.targets.contains(point) { return .targets }
        if layout.cache.contains(point) { return .cache }
        if layout.server.contains(point) { return .server }
        return layout.progress.contains(point) ? .progress : nil
    }

    private mutating func scroll(_ pane: Focus, by rows: Int) {
        switch pane {
        case .targets: list.scroll.scroll(by: rows)
        case .cache: changePane(.cache) { $0.tree.scroll(by: rows) }
        case .server: changePane(.server) { $0.tree.scroll(by: rows) }
        case .progress: break
        }
    }

    private mutating func click(_ pane: Focus, at point: Point) -> [Effect] {
        let hadFocus = focus == pane
        focus = pane
        fitPanes()
        let layout = layout
        switch pane {
        case .targets:
            let row = point.y - layout.inside(layout.targets).y + list.scroll.offset
            guard list.rows.indices.contains(row) else { return [] }
            let isSecond = hadFocus && row == list.scroll.selection
            list.scroll.select(row)
            return isSecond ? activate() : lookAtSelection()
        case .cache, .server:
            let side: PaneSide = pane == .cache ? .cache : .server
            guard let shown = selectedView?[side] else { return [] }
            let rect = AnswerPane.bodyRect(of: shown, in: layout.pane(side), layout: layout)
            let effects = inTree(side) { tree in
                tree.click(row: point.y - rect.y, isSecond: hadFocus)
            }
            fitPanes()
            return effects
        case .progress: break
        }
        return []
    }
}
