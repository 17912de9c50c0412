import Terminal

/// Why the cache did what it did, over the panes.
struct WhyScreen {
    let model: Model
    let look: Look

    func draw(into grid: inout Grid) {
        let layout = PageLayout(size: model.size)
        let area = layout.inside
        grid.fill(layout.frame, style: look[.text])
        let lines = model.explanationLines(columns: area.columns)
        let offset = min(max(0, model.explanation?.offset ?? 0), max(0, lines.count - area.rows))
        let end = min(lines.count, offset + area.rows)
        let place = lines.count > area.rows ? "\(end) of \(lines.count)" : ""
        let title = ["Why"] + (model.list.selected.map { [$0.name] } ?? [])
        PaneFrame(
            title: title.map { StyledText($0, look[.paneTitleFocused]) },
            trailing: StyledText(place, look[.textMuted]),
            isFocused: true,
            isFramed: layout.isFramed
        ).draw(in: layout.frame, into: &grid, look: look)
        for (row, line) in lines[offset..<end].enumerated() {
            grid.draw(line.text, in: area.row(row), style: look[scope(of: line.subject)])
        }
    }

    private func scope(of subject: Explanation.Subject) -> Scope {
        switch subject {
        case .cache: .sourceCache
        case .server: .sourceServer
        case .decision: .text
        case .detail: .textMuted
        }
    }
}
