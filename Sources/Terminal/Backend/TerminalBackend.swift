/// Where frames go: ncurses, or memory in tests.
///
/// Owned by one isolation domain.
package protocol TerminalBackend {
    /// The extent now.
    var size: Size { get }
    /// Takes the table that style numbers point into.
    mutating func use(_ theme: Theme)
    /// Shows one row: all its cells, whatever they were before.
    mutating func put(row: Int, of grid: Grid)
    /// Places the text cursor, or hides it.
    mutating func place(cursor: Point?)
    /// Sends what was put; false when the terminal is gone.
    mutating func flush() -> Bool
    /// The next flush sends every cell again.
    mutating func invalidate()
}

/// A terminal in memory: what a person would see, and how often it was written to.
package struct MemoryBackend: TerminalBackend {
    /// The extent now.
    package var size: Size
    /// The rows as they stand on the screen.
    package private(set) var rows: [String]
    /// The text cursor; nil when hidden.
    package private(set) var cursor: Point?
    /// Rows that were put, in order.
    package private(set) var putRows: [Int] = []
    /// How often a frame was sent.
    package private(set) var flushes = 0
    /// How often everything was to be sent again.
    package private(set) var invalidations = 0
    /// The theme in use.
    package private(set) var theme: Theme?

    /// Makes a blank screen.
    package init(size: Size) {
        self.size = size
        rows = Array(repeating: "", count: size.rows)
    }

    /// Keeps the theme.
    package mutating func use(_ theme: Theme) {
        self.theme = theme
    }

    /// Keeps the text of the row.
    package mutating func put(row: Int, of grid: Grid) {
        putRows.append(row)
        guard rows.indices.contains(row) else { return }
        rows[row] = grid.text(row: row, upTo: grid.size.columns)
    }

    /// Keeps the place.
    package mutating func place(cursor: Point?) {
        self.cursor = cursor
    }

    /// Counts.
    package mutating func flush() -> Bool {
        flushes += 1
        return true
    }

    /// Counts.
    package mutating func invalidate() {
        invalidations += 1
    }
}
