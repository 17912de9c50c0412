package import Documents
package import Terminal

/// A row of a tree: fold sign, key and value, with the values in a column of their own if they fit.
package struct TreeRowView {
    let look: Look
    /// The column where values begin, from the left edge of the pane.
    package let valueColumn: Int

    /// The places where a row's key and value were drawn.
    package struct Places {
        /// Where the key is; empty if it has none.
        package var key = Rect(x: 0, y: 0, columns: 0, rows: 0)
        /// Where the value is.
        package var value = Rect(x: 0, y: 0, columns: 0, rows: 0)
    }

    /// The width of a level of depth, and of the fold sign.
    private static let step = 2
    private static let gap = 2
    private static let deepest = 12
    /// A key with fewer columns tells nothing.
    private static let leastKey = 6

    /// Finds the column of the values for the visible rows.
    package init(rows: [TreeRow], columns: Int, look: Look) {
        self.look = look
        // Longer keys are cut, so that values have room.
        let limit = max(8, columns * 2 / 5)
        var widest = 0
        for row in rows {
            let end = Self.keyStart(of: row) + TextWidth.columns(of: Self.label(of: row))
            widest = max(widest, min(end, limit))
        }
        valueColumn = Self.valueColumn(after: widest)
    }

    /// The column where values begin after names of a width.
    package static func valueColumn(after width: Int) -> Int {
        // Rounded up to four, so that scrolling or an edit seldom moves the values.
        (width + 3) / 4 * 4 + gap
    }

    /// Draws a row; a mark is drawn before it and colors it.
    @discardableResult
    package func draw(
        _ row: TreeRow,
        mark: RowMark? = nil,
        in area: Rect,
        into grid: inout Grid
    ) -> Places {
        var places = Places()
        guard !area.isEmpty else { return places }
        drawFold(row, in: area, into: &grid)
        if let mark { draw(mark, of: row, in: area, into: &grid) }
        let label = Self.label(of: row)
        let start = Self.keyStart(of: row)
        var x = area.x + start
        if !label.isEmpty {
            // A key ends before the values begin. If it is too deep for that, it leaves the value a third of the
            // row.
            let third = max(4, min(area.columns - start, area.columns * 2 / 3 - start))
            let own = valueColumn - Self.gap - start
            let room = own >= Self.leastKey ? own : third
            let columns = grid.draw(
                label,
                x: x,
                y: area.y,
                width: min(room, area.maxX - x),
                style: mark?.style ?? look[row.index == nil ? .treeKey : .treeCount],
                cut: .end
            )
            places.key = Rect(x: x, y: area.y, columns: columns, rows: 1)
            x = max(area.x + valueColumn, x + columns + Self.gap)
        }
        let room = area.maxX - x
        guard room > 0 else { return places }
        let text = row.valueText.line(look, style: mark?.style)
        let columns = grid.draw(text, x: x, y: area.y, width: room, cut: .end)
        places.value = Rect(x: x, y: area.y, columns: columns, rows: 1)
        return places
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
        grid.draw(String(sign), in: area.from(x: x), style: look[.treeFold])
    }

    private func draw(_ mark: RowMark, of row: TreeRow, in area: Rect, into grid: inout Grid) {
        // Drawn before the fold sign, or over it for the outermost value, which has no room there.
        let steps = row.fold == .leaf ? 1 : 2
        let x = max(0, Self.keyStart(of: row) - steps * Self.step)
        grid.put(mark.sign, x: area.x + x, y: area.y, style: mark.style)
    }

    private static func keyStart(of row: TreeRow) -> Int {
        indentation(atDepth: row.depth) + step
    }

    /// The columns before the fold sign of a value at a depth.
    package static func indentation(atDepth depth: Int) -> Int {
        // Deeper rows are not indented further, so that they stay in the pane; the foot shows the path.
        min(depth, deepest) * step
    }

    private static func label(of row: TreeRow) -> String {
        if let index = row.index { return String(index) }
        guard let key = row.key else { return "" }
        return key.isEmpty ? "\"\"" : key
    }
}

/// The mark of a row: a sign, and a color with the same meaning.
package struct RowMark {
    var sign: Unicode.Scalar
    var style: StyleID

    /// Makes a mark; its key and its value get the style, too.
    package init(sign: Unicode.Scalar, style: StyleID) { (self.sign, self.style) = (sign, style) }
}

/// A value in a row: the count of a container, or the text of a scalar.
struct ValueText {
    let kind: ValueKind
    /// The text of a scalar as written.
    var text = ""
    /// Whether the text is cut off.
    var isCut = false
    /// The number of values in a container.
    var childCount = 0
    /// Whether the end of a container is missing.
    var isIncomplete = false

    /// The value as text to draw; `style` replaces that of the kind.
    func line(_ look: Look, style: StyleID? = nil) -> StyledText {
        if kind.isContainer { return StyledText(count, style ?? look[.treeCount]) }
        let end = isCut ? String(look.symbols.ellipsis) : ""
        guard style == nil, kind == .string, text.utf8.contains(UInt8(ascii: "\\")) else {
            return StyledText(text + end, style ?? look[scope])
        }
        var line = escaped(look)
        line.append(end, look[.treeString])
        return line
    }

    private var count: String {
        let count = "\(Readable.count(childCount))\(isIncomplete ? "+" : "")"
        return kind == .array ? "[\(count)]" : "{\(count)}"
    }

    private var scope: Scope {
        switch kind {
        case .string: .treeString
        case .integer, .decimal: .treeNumber
        case .true, .false: .treeBoolean
        case .null: .treeNull
        case .object, .array: .treeCount
        }
    }

    /// The string, with its escapes in a style of their own.
    private func escaped(_ look: Look) -> StyledText {
        var line = StyledText()
        var plain = ""
        var rest = Substring(text)
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
        return line
    }
}

extension TreeRow {
    /// The value to draw after the key.
    var valueText: ValueText {
        ValueText(
            kind: kind,
            text: value,
            isCut: isValueCut,
            childCount: childCount,
            isIncomplete: isIncomplete
        )
    }
}
