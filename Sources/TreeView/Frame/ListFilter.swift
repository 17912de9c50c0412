package import Terminal

/// The filter of a list: its text, and whether it takes the keys.
package struct ListFilter {
    /// What a key did.
    package enum Outcome {
        case changed
        case unchanged
        case quit
    }

    package var field: TextField
    /// Whether it takes the keys.
    package var isTyping = true
    /// Whether an earlier text was kept: the first letter replaces all of it.
    package fileprivate(set) var isKept = false

    package var text: String { field.text }
}

extension ListFilter? {
    /// Whether there is one that takes the keys.
    package var isTyping: Bool { self?.isTyping ?? false }

    /// Starts typing, or continues.
    package mutating func start(placeholder: String, limit: Int) {
        let isKept = self != nil
        self = self ?? ListFilter(field: TextField(placeholder: placeholder, limit: limit))
        self?.isTyping = true
        self?.isKept = isKept
    }

    /// Handles a key, so that no letter is a command while typing; nil if the filter does not take the keys.
    package mutating func handle(_ key: Key) -> ListFilter.Outcome? {
        guard isTyping else { return nil }
        switch key.code {
        case .enter, .tab, .down, .up:
            if self?.text.isEmpty == true { self = nil }
            self?.isTyping = false
        case .escape: self = nil
        default:
            if self?.isKept == true, key.text != nil { self?.field.text = "" }
            self?.isKept = false
            guard self?.field.handle(key) == true else {
                return key == Key("ctrl+c") ? .quit : .unchanged
            }
        }
        return .changed
    }
}

/// The filter of a list, in the lower border of its pane; without a border, in place of the title.
package struct FilterLine {
    let filter: ListFilter?
    let isFramed: Bool
    let look: Look

    /// Makes the view.
    package init(
        filter: ListFilter?,
        isFramed: Bool,
        look: Look
    ) {
        self.filter = filter
        self.isFramed = isFramed
        self.look = look
    }

    /// Draws it; returns the position of the text cursor; nil if nothing is typed here.
    package func draw(in pane: Rect, into grid: inout Grid) -> Point? {
        guard let filter else { return nil }
        let line = pane.row(isFramed ? pane.rows - 1 : 0)
        let room = isFramed ? line.inset(left: 2, right: 2) : line
        guard room.columns > 4 else { return nil }
        let label = grid.draw(
            isFramed ? " / " : "/ ",
            x: room.x,
            y: room.y,
            style: look[filter.isTyping ? .key : .keyHint]
        )
        let field = room.inset(left: label, right: isFramed ? 1 : 0)
        return filter.field.draw(in: field, into: &grid, look: look, isFocused: filter.isTyping)
    }
}
