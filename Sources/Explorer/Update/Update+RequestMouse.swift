import Terminal

extension Model {
    /// A click on a tab chooses it, on a line selects it, on the selected line edits it.
    mutating func clickRequest(at point: Point, _ hadFocus: Bool) -> [Effect] {
        let parts = layout.requestParts
        requestPane.field = nil
        if parts.tabs.contains(point) {
            let label = requestTabs.fitting(parts.tabs).first { $0.place.contains(point) }
            return label.map { show($0.tab) } ?? []
        }
        guard parts.rows.contains(point) else { return [] }
        let row = point.y - parts.rows.y + requestPane.scroll.offset
        guard requestPane.lines.indices.contains(row) else { return [] }
        let isSecond = hadFocus && row == requestPane.scroll.selection
        requestPane.scroll.select(row)
        return isSecond ? performInRequest(.editValue) ?? [] : []
    }
}
