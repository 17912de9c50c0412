import Terminal

/// A line of news.
struct NoticeLine {
    let notice: Notice
    let look: Look

    func draw(in row: Rect, into grid: inout Grid) {
        let sign = notice.kind == .failure ? "\(look.symbols.crossMark) " : ""
        grid.draw(
            sign + notice.text,
            x: row.x,
            y: row.y,
            width: row.columns,
            style: look[scope],
            cut: .end
        )
    }

    private var scope: Scope {
        switch notice.kind {
        case .information: .textAccent
        case .warning: .warning
        case .failure: .error
        }
    }
}
