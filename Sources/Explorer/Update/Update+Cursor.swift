import Terminal

extension Model {
    /// Moves the cursor of the pane with the focus.
    mutating func moveCursor(_ action: Action) -> [Effect] {
        guard focus == .targets else { return [] }
        switch action {
        case .left, .right: return stepIntoGroup(isOpening: action == .right)
        default: list.scroll.move(action)
        }
        return lookAtSelection()
    }

    /// Which answer has the focus.
    var focusedSide: PaneSide? {
        switch focus {
        case .cache: .cache
        case .server: .server
        case .targets, .progress: nil
        }
    }

    private mutating func stepIntoGroup(isOpening: Bool) -> [Effect] {
        guard let catalog, let row = list.selected else { return [] }
        if case .group(let isFolded, _) = row.kind, isFolded == isOpening {
            list.toggle(row.id, in: catalog)
        } else if isOpening {
            if case .group = row.kind { list.scroll.move(by: 1) } else { focus = .server }
        } else if let parent = list.rows[..<list.scroll.selection].lastIndex(where: {
            $0.depth < row.depth
        }) {
            list.scroll.select(parent)
        }
        fitPanes()
        return lookAtSelection()
    }

    /// Changes the pane of the selected target.
    mutating func changePane(_ side: PaneSide, _ change: (inout ResponsePane) -> Void) {
        guard let id = list.selected?.id, views[id] != nil else { return }
        views.update(id, environment: environment) { change(&$0[side]) }
    }

    /// Folds or unfolds the group under the cursor.
    mutating func foldGroup() {
        guard let row = list.selected, let catalog, case .group = row.kind else { return }
        list.toggle(row.id, in: catalog)
        fitPanes()
    }
}
