import Terminal

/// The regions of a chain's pane: the steps, the details of one step, and how the chain ended.
struct ChainRegions {
    /// The boxes, or the list.
    let steps: Rect
    /// The details of one step.
    let step: Rect
    /// How the chain ended, or that it has not run.
    let words: Rect

    /// Lays out a pane for steps that take a number of rows.
    init(_ area: Rect, rows: Int, hasStep: Bool) {
        // A long list leaves at least a third to the step.
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

    /// The rows of the step's response.
    func body(hasCaptures: Bool) -> Rect { step.inset(top: hasCaptures ? 3 : 2) }
}
