/// A cell of the screen, counted from the upper left corner.
package struct Point: Hashable, Sendable {
    /// Columns from the left edge.
    package var x: Int
    /// Rows from the upper edge.
    package var y: Int

    /// Makes a point.
    package init(x: Int, y: Int) {
        self.x = x
        self.y = y
    }
}
