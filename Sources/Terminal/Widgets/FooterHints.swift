/// What is possible now, most useful first: `enter send  tab pane  ? help`.
package struct FooterHints: Hashable, Sendable {
    /// A key and what it does.
    package struct Hint: Hashable, Sendable {
        /// As people write it.
        package var key: String
        /// In a word or two.
        package var label: String

        /// Makes a hint.
        package init(_ key: String, _ label: String) {
            self.key = key
            self.label = label
        }
    }

    /// Most useful first.
    package var hints: [Hint]

    private static let gap = 2

    /// Makes a footer.
    package init(_ hints: [Hint]) {
        self.hints = hints
    }

    /// Draws as many whole hints as fit, in order; the help stays longest, for it has the rest.
    package func draw(in rect: Rect, into grid: inout Grid, look: Look) {
        let line = rect.row(0)
        guard !line.isEmpty else { return }
        grid.fill(line, style: look.theme[.footer])
        for (hint, place) in places(in: line) {
            let used = grid.draw(hint.key, x: place.x, y: line.y, style: look.theme[.key])
            grid.draw(hint.label, x: place.x + used + 1, y: line.y, style: look.theme[.keyHint])
        }
    }

    /// The hint that is drawn at a place.
    package func hint(at point: Point, in rect: Rect) -> Hint? {
        places(in: rect.row(0)).first { $0.place.contains(point) }?.hint
    }

    /// All hints that are drawn, with their places.
    package func places(in line: Rect) -> [(hint: Hint, place: Rect)] {
        var x = line.x
        var places: [(hint: Hint, place: Rect)] = []
        for hint in fitting(line.columns) {
            guard x + columns(of: hint) <= line.maxX else { break }
            places.append((hint, Rect(x: x, y: line.y, columns: columns(of: hint), rows: 1)))
            x += columns(of: hint) + Self.gap
        }
        return places
    }

    private func fitting(_ room: Int) -> [Hint] {
        var hints = hints
        while hints.reduce(-Self.gap, { $0 + columns(of: $1) + Self.gap }) > room, hints.count > 1 {
            guard let place = hints.lastIndex(where: { $0.label != "help" }), place > 0 else {
                break
            }
            hints.remove(at: place)
        }
        return hints
    }

    private func columns(of hint: Hint) -> Int {
        TextWidth.columns(of: hint.key) + 1 + TextWidth.columns(of: hint.label)
    }
}

/// A row of facts that leaves out whole facts, the last first, where not all fit.
package struct FittingLine {
    private let leading: [StyledText]
    private let trailing: [StyledText]
    private let gap: StyledText

    /// Makes a line.
    ///
    /// - Parameters:
    ///   - leading: At the left, the most useful first.
    ///   - trailing: At the right, in the order that they stand in; the last stays longest.
    ///   - gap: What stands between two facts.
    package init(
        leading: [StyledText],
        trailing: [StyledText] = [],
        gap: StyledText = StyledText("  ", .default)
    ) {
        self.leading = leading
        self.trailing = trailing
        self.gap = gap
    }

    /// Draws what fits into the row.
    package func draw(in row: Rect, into grid: inout Grid) {
        guard !row.isEmpty else { return }
        var (left, right) = (leading, trailing)
        while left.count + right.count > 1, columns(left, right) > row.columns {
            if left.count > 1 || right.count == 1 {
                left.removeLast()
            } else {
                right.removeFirst()
            }
        }
        let end = right.isEmpty ? row.maxX : row.maxX - width(right)
        draw(left, from: row.x, upTo: right.isEmpty ? end : end - 1, y: row.y, into: &grid)
        draw(right, from: max(row.x, end), upTo: row.maxX, y: row.y, into: &grid)
    }

    private func draw(
        _ facts: [StyledText],
        from x: Int,
        upTo end: Int,
        y: Int,
        into grid: inout Grid
    ) {
        var place = x
        for (index, fact) in facts.enumerated() where place < end {
            if index > 0 { place += grid.draw(gap, x: place, y: y, width: end - place) }
            place += grid.draw(fact, x: place, y: y, width: max(0, end - place), cut: .end)
        }
    }

    /// What both sides need, with a gap between them.
    private func columns(_ left: [StyledText], _ right: [StyledText]) -> Int {
        width(left) + width(right) + (left.isEmpty || right.isEmpty ? 0 : gap.columns)
    }

    private func width(_ facts: [StyledText]) -> Int {
        facts.reduce(0) { $0 + $1.columns } + gap.columns * max(0, facts.count - 1)
    }
}
