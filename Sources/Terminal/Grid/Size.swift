/// The extent of a screen or a part of it, in cells.
package struct Size: Hashable, Sendable {
    /// Cells in a row.
    package var columns: Int
    /// Rows.
    package var rows: Int

    /// Makes a size; negative extents become 0.
    package init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
    }
}
