import Terminal

/// Where everything stands in `apus view`, for a size of the terminal.
///
/// ```
/// ╭─ name · JSON · 1.2 MB ────────── 38 % ╮      name              12 of 340
/// │ rows                                  │      rows
/// ╰─ path.of.the.cursor ──── 12 of 1,204 ─╯      path.of.the.cursor
///  footer                                        footer
/// ```
struct ViewerLayout: Equatable {
    /// The pane with its border or its title row.
    let pane: Rect
    /// The rows of the document, and what stands below them.
    let body: Rect
    /// The path of the cursor, where there is no border for it.
    let path: Rect
    let footer: Rect
    /// Whether the pane has a border.
    let isFramed: Bool

    init(size: Size) {
        isFramed = size.columns >= 60 && size.rows >= 14
        let (rest, footer) = Rect(size: size).splitBottom(1)
        self.footer = footer
        if isFramed {
            pane = rest
            body = rest.inset(by: 1)
            path = Rect(x: 0, y: 0, columns: 0, rows: 0)
        } else {
            // With few rows, the document's come before the path.
            let (above, below) = rest.splitBottom(rest.rows >= 6 ? 1 : 0)
            pane = above
            path = below
            body = above.inset(top: 1)
        }
    }

    /// The room for the text of one value.
    var valueRoom: Size { WholeValueView.room(in: pane, isFramed: isFramed) }
}
