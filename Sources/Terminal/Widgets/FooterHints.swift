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

    /// Draws as many whole hints as fit, in order.
    package func draw(in rect: Rect, into grid: inout Grid, look: Look) {
        let line = rect.row(0)
        guard !line.isEmpty else { return }
        grid.fill(line, style: look.theme[.footer])
        var x = line.x
        for hint in hints {
            let columns = TextWidth.columns(of: hint.key) + 1 + TextWidth.columns(of: hint.label)
            guard x + columns <= line.maxX else { return }
            let used = grid.draw(hint.key, x: x, y: line.y, style: look.theme[.key])
            grid.draw(hint.label, x: x + used + 1, y: line.y, style: look.theme[.keyHint])
            x += columns + Self.gap
        }
    }
}
