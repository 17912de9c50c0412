import Documents
import Terminal

/// The last row: what is possible now, or the news.
struct ViewerFooter {
    let model: ViewerModel
    let look: Look

    func draw(in rect: Rect, into grid: inout Grid) {
        let row = model.layout.isFramed ? rect.inset(left: 1) : rect
        if let notice = model.notice {
            NoticeLine(notice: notice, look: look).draw(in: row, into: &grid)
        } else {
            FittingHints(hints: hints).draw(in: row, into: &grid, look: look)
        }
    }

    private var hints: [FooterHints.Hint] {
        if model.help != nil { return HelpScreen.hints }
        let pane = model.pane
        let actions =
            TreePaneHints.own(of: pane)
            ?? TreePaneHints.ofRows(pane) + [(.help, nil), (.quit, nil), (.unfoldLevels, nil)]
            + [(.foldAll, nil), (.unfoldAll, nil), (.goTo, nil)]
        return actions.compactMap { action, label in
            KeyTable.hint(for: action, in: model.keyPlaces)
                .map { FooterHints.Hint(KeyName.shown($0.key), label ?? $0.label) }
        }
    }
}
