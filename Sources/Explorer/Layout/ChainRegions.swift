import Terminal

/// Where everything stands in a chain's pane: the steps, what is known of one of them, and how the chain ended.
struct ChainRegions {
    /// The boxes, or the list.
    let steps: Rect
    /// What is known of one step.
    let step: Rect
    /// How it ended, or that it has not run.
    let words: Rect

    /// Lays out a pane for steps that take so many rows.
    init(_ area: Rect, rows: Int, hasStep: Bool) {
        // A long list leaves the step a third at least.
        let most = hasStep ? max(1, area.rows * 2 / 3 - 2) : area.rows
        let (above, below) = area.splitTop(min(rows, most))
        steps = above
        let rest = below.inset(top: rows > 0 ? 1 : 0)
        guard hasStep else {
            (step, words) = rest.splitTop(0)
            return
        }
        let (middle, end) = rest.splitBottom(min(3, rest.rows / 3))
        (step, words) = (middle, end)
    }

    /// The rows of the step's answer.
    func body(hasCaptures: Bool) -> Rect { step.inset(top: hasCaptures ? 3 : 2) }
}

extension Model {
    /// Where everything stands in the chain's pane that is shown.
    func chainRegions(in layout: Layout) -> ChainRegions {
        let inside = layout.inside(layout.detail)
        let area = layout.isFramed ? inside.inset(left: 2, right: 2) : inside
        let rows = chainGeometry(in: layout).map { $0.rows + 1 } ?? chainSteps.count
        return ChainRegions(area, rows: rows, hasStep: shownStep != nil)
    }
}
