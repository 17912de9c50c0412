import Documents
import Terminal

/// A row of a tree: fold sign, key and value, in two columns while they fit.
struct TreeRowView {
    let look: Look
    /// Where values begin, from the left edge of the pane.
    let valueColumn: Int

    /// Columns of a step of depth, and of the fold sign.
    private static let step = 2
    private static let gap = 2
    private static let deepest = 12

    /// Finds the column of the values for the rows in sight.
    init(rows: [BodyRow], columns: Int, look: Look) {
        self.look = look
        // More than this for keys, and values have no room.
        let limit = max(8, columns * 2 / 5)
        var widest = 0
        for case .tree(let row) in rows {
            let end = Self.keyStart(of: row) + TextWidth.columns(of: Self.label(of: row))
            if end <= limit { widest = max(widest, end) }
        }
        // In steps of four, so that scrolling seldom moves the values.
        valueColumn = (widest + 3) / 4 * 4 + Self.gap
    }

    func draw(_ row: TreeRow, in area: Rect, into grid: inout Grid) {
        guard !area.isEmpty else { return }
        drawFold(row, in: area, into: &grid)
        let label = Self.label(of: row)
        let start = Self.keyStart(of: row)
        var x = area.x + start
        if !label.isEmpty {
            // A long key leaves the value a third of the row.
            let room = max(4, min(area.columns - start, area.columns * 2 / 3 - start))
            let style = look[row.index == nil ? .treeKey : .treeCount]
            x += grid.draw(
                label,
                x: x,
                y: area.y,
                width: min(room, area.maxX - x),
                style: style,
                cut: .end
            )
            x = max(area.x + valueColumn, x + Self.gap)
        }
        drawValue(row, x: x, in: area, into: &grid)
    }

    private func drawFold(_ row: TreeRow, in area: Rect, into grid: inout Grid) {
        let sign: Unicode.Scalar? =
            switch row.fold {
            case .open: look.symbols.foldOpen
            case .closed: look.symbols.foldClosed
            case .leaf: nil
            }
        guard let sign else { return }
        let x = area.x + Self.keyStart(of: row) - Self.step
        grid.draw(
            String(sign),
            x: x,
            y: area.y,
            width: area.maxX - x,
            style: look[.treeFold]
        )
    }

    private func drawValue(_ row: TreeRow, x: Int, in area: Rect, into grid: inout Grid) {
        let room = area.maxX - x
        guard room > 0 else { return }
        if row.kind.isContainer {
            grid.draw(
                count(of: row),
                x: x,
                y: area.y,
                width: room,
                style: look[.treeCount],
                cut: .end
            )
        } else if row.kind == .string, row.value.utf8.contains(UInt8(ascii: "\\")) {
            grid.draw(escaped(row), x: x, y: area.y, width: room, cut: .end)
        } else {
            let text = row.isValueCut ? row.value + String(look.symbols.ellipsis) : row.value
            grid.draw(text, x: x, y: area.y, width: room, style: style(of: row), cut: .end)
        }
    }

    private func count(of row: TreeRow) -> String {
        let more = row.isIncomplete ? "+" : ""
        let count = "\(Readable.count(row.childCount))\(more)"
        return row.kind == .array ? "[\(count)]" : "{\(count)}"
    }

    private func style(of row: TreeRow) -> StyleID {
        switch row.kind {
        case .string: look[.treeString]
        case .integer, .decimal: look[.treeNumber]
        case .true, .false: look[.treeBoolean]
        case .null: look[.treeNull]
        case .object, .array: look[.treeCount]
        }
    }

    /// The string with its escapes in a tone of their own.
    private func escaped(_ row: TreeRow) -> StyledText {
        var line = StyledText()
        var plain = ""
        var rest = Substring(row.value)
        while let character = rest.first {
            guard character == "\\" else {
                plain.append(character)
                rest.removeFirst()
                continue
            }
            line.append(plain, look[.treeString])
            plain = ""
            let isUnicode = rest.dropFirst().first == "u"
            line.append(String(rest.prefix(isUnicode ? 6 : 2)), look[.treeEscape])
            rest = rest.dropFirst(isUnicode ? 6 : 2)
        }
        line.append(plain, look[.treeString])
        if row.isValueCut { line.append(String(look.symbols.ellipsis), look[.treeString]) }
        return line
    }

    private static func keyStart(of row: TreeRow) -> Int {
        // Deeper rows stay at one place rather than leaving the pane; the foot has the path.
        min(row.depth, deepest) * step + step
    }

    private static func label(of row: TreeRow) -> String {
        if let index = row.index { return String(index) }
        guard let key = row.key else { return "" }
        return key.isEmpty ? "\"\"" : key
    }
}
