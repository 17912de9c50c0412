/// Hints about the keys that are useful now, most useful first: `enter send  tab pane  ? help`.
package struct FooterHints: Hashable, Sendable {
    /// A key and what it does.
    package struct Hint: Hashable, Sendable {
        /// The key, as people write it.
        package var key: String
        /// What the key does, in a word or two.
        package var label: String

        /// Makes a hint.
        package init(_ key: String, _ label: String) {
            self.key = key
            self.label = label
        }
    }

    /// The hints, most useful first.
    package var hints: [Hint]

    private static let gap = 2

    /// Makes a footer.
    package init(_ hints: [Hint]) {
        self.hints = hints
    }

    /// Draws as many whole hints as fit, in order.
    ///
    /// The help stays longest, because it lists the others, among them how to quit.
    package func draw(in rect: Rect, into grid: inout Grid, look: Look) {
        let line = rect.row(0)
        guard !line.isEmpty else { return }
        grid.fill(line, style: look.theme[.footer])
        for (hint, place) in places(in: line) {
            let used = grid.draw(hint.key, x: place.x, y: line.y, style: look.theme[.key])
            grid.draw(hint.label, x: place.x + used + 1, y: line.y, style: look.theme[.keyHint])
        }
    }

    /// The hint that is drawn at a point; nil if there is none.
    package func hint(at point: Point, in rect: Rect) -> Hint? {
        places(in: rect.row(0)).first { $0.place.contains(point) }?.hint
    }

    /// All hints that are drawn, with their rectangles.
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
            let place =
                hints.lastIndex { !["help", "quit"].contains($0.label) }.flatMap {
                    $0 > 0 ? $0 : nil
                }
                ?? hints.lastIndex { $0.label != "help" }
            guard let place, place > 0 else { break }
            hints.remove(at: place)
        }
        return hints
    }

    private func columns(of hint: Hint) -> Int {
        TextWidth.columns(of: hint.key) + 1 + TextWidth.columns(of: hint.label)
    }
}
