import Terminal

/// The explanation of what the cache did, over the panes.
struct WhyScreen {
    let model: Model

    /// What the footer says while it is open.
    static let hints: [FooterHints.Hint] = [
        .init("esc", "close"), .init("up down", "scroll"), .init("pgdn", "page"),
    ]

    /// The rows of a page.
    var pageRows: Int { area.rows }

    /// The last offset that leaves no empty page.
    var lastOffset: Int { max(0, lines.count - area.rows) }

    func draw(into grid: inout Grid, look: Look) {
        grid.fill(rect, style: look[.text])
        let lines = lines
        let offset = min(max(0, model.explanation?.offset ?? 0), lastOffset)
        PaneFrame(
            title: title.map { StyledText($0, look[.paneTitleFocused]) },
            trailing: StyledText(place(offset, of: lines.count), look[.textMuted]),
            isFocused: true,
            isFramed: model.layout.isFramed
        ).draw(in: rect, into: &grid, look: look)
        for (row, line) in lines.dropFirst(offset).prefix(area.rows).enumerated() {
            grid.draw(
                line.text,
                x: area.x,
                y: area.y + row,
                width: area.columns,
                style: style(of: line.subject, look),
                cut: .end
            )
        }
    }

    private var title: [String] { ["Why"] + (model.list.selected.map { [$0.name] } ?? []) }

    private func style(of subject: Explanation.Subject, _ look: Look) -> StyleID {
        switch subject {
        case .cache: look[.sourceCache]
        case .server: look[.sourceServer]
        case .decision: look[.text]
        case .detail: look[.textMuted]
        }
    }

    private func place(_ offset: Int, of count: Int) -> String {
        count > area.rows ? "\(min(count, offset + area.rows)) of \(count)" : ""
    }

    private var lines: [Explanation.Line] {
        let view = model.selectedView ?? TargetState(environment: model.environment)
        return Explanation(view: view, now: model.now.wall).lines.flatMap { line in
            Paragraph.wrap(line.text, columns: area.columns).map {
                Explanation.Line(subject: line.subject, text: $0)
            }
        }
    }

    private var rect: Rect {
        let (all, _) = Rect(size: model.size).splitBottom(1)
        return model.layout.isFramed ? all.inset(top: 1) : all
    }

    private var area: Rect {
        model.layout.isFramed
            ? rect.inset(left: 2, top: 1, right: 2, bottom: 1) : rect.inset(top: 1, right: 1)
    }
}
