@testable import Terminal

/// A terminal in memory: what a person would see, and how often it was written to.
struct MemoryBackend: TerminalBackend {
    /// The extent now.
    var size: Size
    /// The rows as they stand on the screen.
    private(set) var rows: [String]
    /// The text cursor; nil when hidden.
    private(set) var cursor: Point?
    /// Rows that were put, in order.
    private(set) var putRows: [Int] = []
    /// The images over the cells.
    private(set) var images: [PlacedImage] = []
    /// How often a frame was sent.
    private(set) var flushes = 0
    /// How often everything was to be sent again.
    private(set) var invalidations = 0
    /// The theme in use.
    private(set) var theme: Theme?

    /// Makes a blank screen.
    init(size: Size) {
        self.size = size
        rows = Array(repeating: "", count: size.rows)
    }

    /// Keeps the theme.
    mutating func use(_ theme: Theme) {
        self.theme = theme
    }

    /// Keeps the text of the row.
    mutating func put(row: Int, of grid: Grid) {
        putRows.append(row)
        guard rows.indices.contains(row) else { return }
        rows[row] = grid.text(row: row, upTo: grid.size.columns)
    }

    /// Keeps the place.
    mutating func place(cursor: Point?) {
        self.cursor = cursor
    }

    /// Keeps them.
    mutating func show(_ images: [PlacedImage]) {
        self.images = images
    }

    /// Counts.
    mutating func flush() -> Bool {
        flushes += 1
        return true
    }

    /// Counts.
    mutating func invalidate() {
        invalidations += 1
    }
}
