/// A rectangle of cells.
///
/// Its extents are never negative; every operation is total.
package struct Rect: Hashable, Sendable {
    /// The left column.
    package var x: Int
    /// The upper row.
    package var y: Int
    /// Cells in a row.
    package private(set) var columns: Int
    /// Rows.
    package private(set) var rows: Int

    /// Makes a rectangle; negative extents become 0.
    package init(x: Int, y: Int, columns: Int, rows: Int) {
        self.x = x
        self.y = y
        self.columns = max(0, columns)
        self.rows = max(0, rows)
    }

    /// Makes a rectangle of this size in the upper left corner.
    package init(size: Size) {
        self.init(x: 0, y: 0, columns: size.columns, rows: size.rows)
    }

    /// The extent without the place.
    package var size: Size { Size(columns: columns, rows: rows) }
    /// True when there is no cell in it.
    package var isEmpty: Bool { columns == 0 || rows == 0 }
    /// The column after the last.
    package var maxX: Int { x + columns }
    /// The row after the last.
    package var maxY: Int { y + rows }

    /// True when the cell lies inside.
    package func contains(_ point: Point) -> Bool {
        point.x >= x && point.x < maxX && point.y >= y && point.y < maxY
    }

    /// The cells that both have; empty when there are none.
    package func intersection(_ other: Rect) -> Rect {
        let left = max(x, other.x)
        let top = max(y, other.y)
        return Rect(
            x: left,
            y: top,
            columns: min(maxX, other.maxX) - left,
            rows: min(maxY, other.maxY) - top
        )
    }

    /// The rectangle with this much taken from every side.
    package func inset(by amount: Int) -> Rect {
        inset(left: amount, top: amount, right: amount, bottom: amount)
    }

    /// The rectangle with these amounts taken from its sides.
    package func inset(left: Int = 0, top: Int = 0, right: Int = 0, bottom: Int = 0) -> Rect {
        Rect(x: x + left, y: y + top, columns: columns - left - right, rows: rows - top - bottom)
    }

    /// The one row that is `n` below the upper edge; empty outside.
    package func row(_ n: Int) -> Rect {
        Rect(x: x, y: y + n, columns: columns, rows: n >= 0 && n < rows ? 1 : 0)
    }
}
