/// A rectangle of cells.
///
/// Its size is never negative, and every operation accepts all arguments.
package struct Rect: Hashable, Sendable {
    /// Without a cell, in the upper left corner.
    package static let empty = Rect(x: 0, y: 0, columns: 0, rows: 0)

    /// The leftmost column, from 0.
    package var x: Int
    /// The topmost row, from 0.
    package var y: Int
    /// The number of columns.
    package private(set) var columns: Int
    /// The number of rows.
    package private(set) var rows: Int

    /// Makes a rectangle; a negative number of columns or rows becomes 0.
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

    /// The number of columns and rows.
    package var size: Size { Size(columns: columns, rows: rows) }
    /// Whether there is no cell in it.
    package var isEmpty: Bool { columns == 0 || rows == 0 }
    /// The column after the last.
    package var maxX: Int { x + columns }
    /// The row after the last.
    package var maxY: Int { y + rows }

    /// Whether the cell is inside.
    package func contains(_ point: Point) -> Bool {
        point.x >= x && point.x < maxX && point.y >= y && point.y < maxY
    }

    /// The cells that both have; empty if there are none.
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

    /// The columns from `x` on.
    package func from(x start: Int) -> Rect { inset(left: start - x) }

    /// The first `count` columns, or all if there are fewer.
    package func first(_ count: Int) -> Rect {
        Rect(x: x, y: y, columns: min(max(0, count), columns), rows: rows)
    }

    /// The row with index `n`, from 0; empty if there is no such row.
    package func row(_ n: Int) -> Rect {
        Rect(x: x, y: y + n, columns: columns, rows: n >= 0 && n < rows ? 1 : 0)
    }
}

extension Rect {
    /// Splits off columns at the left; returns them, then the rest.
    package func splitLeft(_ amount: Int) -> (Rect, Rect) {
        let cut = min(max(0, amount), columns)
        return (
            Rect(x: x, y: y, columns: cut, rows: rows),
            Rect(x: x + cut, y: y, columns: columns - cut, rows: rows)
        )
    }

    /// Splits off columns at the right; returns the rest, then them.
    package func splitRight(_ amount: Int) -> (Rect, Rect) {
        splitLeft(columns - min(max(0, amount), columns))
    }

    /// Splits off rows at the top; returns them, then the rest.
    package func splitTop(_ amount: Int) -> (Rect, Rect) {
        let cut = min(max(0, amount), rows)
        return (
            Rect(x: x, y: y, columns: columns, rows: cut),
            Rect(x: x, y: y + cut, columns: columns, rows: rows - cut)
        )
    }

    /// Splits off rows at the bottom; returns the rest, then them.
    package func splitBottom(_ amount: Int) -> (Rect, Rect) {
        splitTop(rows - min(max(0, amount), rows))
    }

    /// Divides the columns by weight, side by side without gaps; the first parts get what is left over.
    package func columnsSplit(_ weights: [Int]) -> [Rect] {
        var left = x
        return Self.shares(of: columns, weights).map { share in
            defer { left += share }
            return Rect(x: left, y: y, columns: share, rows: rows)
        }
    }

    private static func shares(of total: Int, _ weights: [Int]) -> [Int] {
        let weights = weights.map { max(0, $0) }
        let sum = weights.reduce(0, +)
        guard sum > 0 else { return weights }
        var shares = weights.map { total * $0 / sum }
        var rest = total - shares.reduce(0, +)
        for index in shares.indices where rest > 0 && weights[index] > 0 {
            shares[index] += 1
            rest -= 1
        }
        return shares
    }
}

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

/// The size of a screen or a part of it, in cells.
package struct Size: Hashable, Sendable {
    /// The number of columns.
    package var columns: Int
    /// The number of rows.
    package var rows: Int

    /// Makes a size; negative numbers become 0.
    package init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
    }
}
