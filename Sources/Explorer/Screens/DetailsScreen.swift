import Terminal

/// What is known of an answer beside its body, over the panes.
struct DetailsScreen {
    let model: Model
    let scroll: PageScroll
    let look: Look

    func draw(into grid: inout Grid) {
        let layout = PageLayout(size: model.size)
        let area = layout.inside
        grid.fill(layout.frame, style: look[.text])
        let lines = model.answerDetails?.lines(columns: area.columns) ?? []
        let offset = min(scroll.offset, max(0, lines.count - area.rows))
        let end = min(lines.count, offset + area.rows)
        let place = lines.count > area.rows ? "\(end) of \(lines.count)" : ""
        PaneFrame(
            title: ["Details", name].map { StyledText($0, look[.paneTitleFocused]) },
            trailing: StyledText(place, look[.textMuted]),
            isFocused: true,
            isFramed: layout.isFramed
        ).draw(in: layout.frame, into: &grid, look: look)
        let start = AnswerDetails.nameColumns(area.columns)
        for (index, line) in lines[offset..<end].enumerated() {
            let row = area.row(index)
            guard line.kind == .fact else {
                grid.draw(line.text, in: row, style: look[.title])
                continue
            }
            let name = row.inset(left: 2).first(start - 3)
            grid.draw(line.name, in: name, style: look[.treeKey])
            grid.draw(line.text, in: row.inset(left: start), style: look[.text])
        }
    }

    private var name: String {
        let isCache = model.focusedSide == .cache
        if model.opened != nil { return isCache ? "then" : "now" }
        if model.watched != nil { return isCache ? "before" : "now" }
        return isCache ? "cache" : "server"
    }
}
