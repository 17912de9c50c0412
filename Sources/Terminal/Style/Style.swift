/// How a cell looks: colours as the theme names them, and attributes.
package struct Style: Hashable, Sendable {
    /// What a terminal can do to a letter beside colouring it.
    package struct Attributes: OptionSet, Hashable, Sendable {
        /// The bits, as CNcurses has them.
        package let rawValue: UInt8

        /// Makes a set from its bits.
        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Heavier.
        package static let bold = Attributes(rawValue: 1)
        /// Fainter.
        package static let dim = Attributes(rawValue: 2)
        /// Slanted.
        package static let italic = Attributes(rawValue: 4)
        /// Underlined.
        package static let underline = Attributes(rawValue: 8)
        /// Foreground and background exchanged.
        package static let reverse = Attributes(rawValue: 16)
    }

    /// The colour of the letters.
    package var foreground: Color
    /// The colour behind them.
    package var background: Color
    /// Bold and its like.
    package var attributes: Attributes

    /// Makes a style.
    package init(
        foreground: Color = .terminal,
        background: Color = .terminal,
        attributes: Attributes = []
    ) {
        self.foreground = foreground
        self.background = background
        self.attributes = attributes
    }

    /// What remains of the style where there are no colours: a background is shown by exchange.
    var withoutColors: Style {
        var result = Style(attributes: attributes)
        if background != .terminal { result.attributes.insert(.reverse) }
        return result
    }

    /// This style with another laid over it.
    func under(_ top: Style) -> Style {
        Style(
            foreground: top.foreground == .terminal ? foreground : top.foreground,
            background: top.background == .terminal ? background : top.background,
            attributes: attributes.union(top.attributes)
        )
    }

    /// This style with a mark laid over it.
    ///
    /// One that has a background of its own keeps its colours: with half of the mark's it may not be
    /// readable.
    func marked(by mark: Style, on text: Style) -> Style {
        let hasOwn = background != text.background
        let isWhole = mark.foreground != .terminal && mark.background != .terminal
        guard hasOwn, !isWhole else { return under(mark) }
        return Style(
            foreground: foreground,
            background: background,
            attributes: attributes.union(mark.attributes)
        )
    }
}

/// What is laid over things that are already drawn.
package enum Overlay: Int, CaseIterable, Sendable {
    /// The row of the cursor in the pane that has the focus.
    case selection
    /// The row of the cursor in another pane.
    case selectionInactive
    /// Something that a search found.
    case match
    /// What the search is at.
    case matchCurrent
    /// The cell of a text cursor that is drawn.
    case cursor

    var scope: Scope {
        switch self {
        case .selection: .selection
        case .selectionInactive: .selectionInactive
        case .match: .match
        case .matchCurrent: .matchCurrent
        case .cursor: .inputCursor
        }
    }
}
