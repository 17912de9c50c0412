import Terminal

/// A footer that gives up its last hints where not all fit; the help stays, for it has the rest.
struct FittingHints {
    let hints: [FooterHints.Hint]

    func draw(in row: Rect, into grid: inout Grid, look: Look) {
        FooterHints(fitting(row.columns)).draw(in: row, into: &grid, look: look)
    }

    private func fitting(_ columns: Int) -> [FooterHints.Hint] {
        var hints = hints
        while width(hints) > columns, hints.count > 1 {
            guard let place = hints.lastIndex(where: { $0.label != "help" }), place > 0 else {
                break
            }
            hints.remove(at: place)
        }
        return hints
    }

    private func width(_ hints: [FooterHints.Hint]) -> Int {
        hints.reduce(-2) {
            $0 + TextWidth.columns(of: $1.key) + TextWidth.columns(of: $1.label) + 3
        }
    }
}
