import Terminal

/// The regions of a batch's pane.
///
/// ```
/// ██████████████████████████▌          64 %     head
/// ✓ failed is 0   ✗ p95 < 300 ms: 412 ms        judgement
///
///  1  GET /products/641 ▒▒  0.1 s   latency     slots │ figures
///  2  GET /products/642 ██  41 kB   ▁▂▅█▇▅▃     ──────│
///  ▾ 503 Service Unavailable    12  rate        list  │
///    GET /products/12        48 ms  ▂▃▅▅▅▅▄           │
/// ```
///
/// In a narrow pane the figures stand below the list.
struct BatchRegions {
    /// The progress, or how it ended.
    let head: Rect
    /// What came of what is expected of the batch; empty if nothing is.
    let judgement: Rect
    /// The running requests; empty after the end.
    let slots: Rect
    /// How requests ended.
    let list: Rect
    let figures: Rect

    /// Lays out a pane for a number of running requests, 0 after the end.
    ///
    /// Figures below the list leave it a row for each cause.
    init(_ area: Rect, slots count: Int, causes: Int, hasJudgement: Bool = false) {
        head = area.row(0)
        judgement = hasJudgement ? area.row(1) : Rect(x: 0, y: 0, columns: 0, rows: 0)
        var rest = area.inset(top: hasJudgement ? 3 : 2)
        if rest.columns >= 72 {
            let right = max(32, rest.columns * 2 / 5)
            let (left, side) = rest.splitLeft(rest.columns - right)
            figures = side.inset(left: 2)
            rest = left
        } else {
            let most = rest.rows >= 12 ? 4 : rest.rows >= 8 ? 3 : 0
            let rows = rest.rows - most >= causes ? most : 0
            let (above, below) = rest.splitBottom(rows)
            figures = below.inset(top: 1)
            rest = above
        }
        let rows = min(count, max(3, rest.rows / 3), rest.rows)
        (slots, rest) = rest.splitTop(rows)
        list = rest.inset(top: rows > 0 ? 1 : 0)
    }
}
