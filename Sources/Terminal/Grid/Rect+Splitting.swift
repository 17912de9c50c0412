extension Rect {
    /// Cuts off columns at the left: they, then the rest.
    package func splitLeft(_ amount: Int) -> (Rect, Rect) {
        let cut = min(max(0, amount), columns)
        return (
            Rect(x: x, y: y, columns: cut, rows: rows),
            Rect(x: x + cut, y: y, columns: columns - cut, rows: rows)
        )
    }

    /// Cuts off columns at the right: the rest, then they.
    package func splitRight(_ amount: Int) -> (Rect, Rect) {
        splitLeft(columns - min(max(0, amount), columns))
    }

    /// Cuts off rows at the top: they, then the rest.
    package func splitTop(_ amount: Int) -> (Rect, Rect) {
        let cut = min(max(0, amount), rows)
        return (
            Rect(x: x, y: y, columns: columns, rows: cut),
            Rect(x: x, y: y + cut, columns: columns, rows: rows - cut)
        )
    }

    /// Cuts off rows at the bottom: the rest, then they.
    package func splitBottom(_ amount: Int) -> (Rect, Rect) {
        splitTop(rows - min(max(0, amount), rows))
    }

    /// Shares the columns by weight, side by side, without a gap; what is left over goes leftmost.
    package func columnsSplit(_ weights: [Int]) -> [Rect] {
        var left = x
        return Self.shares(of: columns, weights).map { share in
            defer { left += share }
            return Rect(x: left, y: y, columns: share, rows: rows)
        }
    }

    /// Shares the rows by weight, one below the other, without a gap; what is left over goes first.
    package func rowsSplit(_ weights: [Int]) -> [Rect] {
        var top = y
        return Self.shares(of: rows, weights).map { share in
            defer { top += share }
            return Rect(x: x, y: top, columns: columns, rows: share)
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
