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
