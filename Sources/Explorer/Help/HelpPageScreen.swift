import Terminal
import TreeView

/// A page of the help over the panes, or what was found in all pages.
struct HelpPageScreen: ScreenView {
    let context: ScreenContext
    let page: HelpPage

    private static let keyColumns = 18

    /// The footer's hints.
    static func hints(_ page: HelpPage) -> [FooterHints.Hint] {
        HelpScreen.hints + [.init("tab", "other pages"), .init("/", "search them")]
    }

    /// Draws it; returns the position of the text cursor; nil if nothing is typed here.
    func draw(into grid: inout Grid) -> Point? {
        guard !page.showsAllKeys else {
            return HelpScreen(
                size: model.size,
                keys: model.keys,
                places: KeyBinding.Place.ofExplorer,
                scroll: page.scroll,
                filter: page.filter,
                title: title,
                look: look
            ).draw(into: &grid)
        }
        let layout = PageLayout(size: model.size)
        let area = layout.inside
        let last = max(0, page.lines.count - area.rows)
        let offset = min(max(0, page.scroll.offset), last)
        let trailing = last > 0 ? "\(offset + area.rows) of \(page.lines.count)" : ""
        PaneFrame(
            title: title,
            trailing: StyledText(trailing, look[.textMuted]),
            isFocused: true,
            isFramed: layout.isFramed
        ).draw(in: layout.frame, into: &grid, look: look)
        grid.fill(area, style: look[.text])
        if page.lines.isEmpty {
            let text = "No key does that. No page says it. Esc clears the search."
            grid.draw(text, in: area, style: look[.textMuted])
        }
        for (index, line) in page.lines.dropFirst(offset).prefix(area.rows).enumerated() {
            draw(line, in: area.row(index), into: &grid)
        }
        Scrollbar.draw(
            offset..<offset + area.rows,
            of: page.lines.count,
            beside: area.inset(right: layout.isFramed ? -1 : 0),
            into: &grid,
            look: look
        )
        return FilterLine(filter: page.filter, isFramed: layout.isFramed, look: look)
            .draw(in: layout.frame, into: &grid)
    }

    /// The pages that there are, the open one in the color of a title.
    private var title: [StyledText] {
        guard (page.filter?.text ?? "").isEmpty else {
            return [StyledText("Help", look[.paneTitleFocused])]
        }
        return model.helpSubjects.map {
            StyledText($0.title, look[$0 == page.subject ? .paneTitleFocused : .textMuted])
        }
    }

    private func draw(_ line: HelpLine, in row: Rect, into grid: inout Grid) {
        switch line {
        case .blank: break
        case .title(let text): grid.draw(text, in: row, style: look[.title], cut: .end)
        case .text(let text): grid.draw(text, in: row, style: look[.helpText], cut: .end)
        case .binding(let keys, let text):
            let columns = min(Self.keyColumns, row.columns / 2)
            grid.draw(keys, in: row.first(columns - 1), style: look[.helpKey])
            grid.draw(text, in: row.inset(left: columns), style: look[.helpText], cut: .end)
        }
    }
}
