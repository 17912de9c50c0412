/// How a cell looks: colors as the theme names them, and attributes.
package struct Style: Hashable, Sendable {
    /// Text attributes other than colors.
    package struct Attributes: OptionSet, Hashable, Sendable {
        /// The bits, as CNcurses defines them.
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
        /// Foreground and background swapped.
        package static let reverse = Attributes(rawValue: 16)
    }

    /// The color of the characters.
    package var foreground: Color
    /// The color behind the characters.
    package var background: Color
    /// Bold, underline and the like.
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

    /// The style for terminals without colors; a background becomes reverse.
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

    /// This style with the style of an overlay laid over it.
    ///
    /// A style with its own background keeps its colors unless the overlay sets both, because a mix of the
    /// two may not be readable.
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

/// A style that is laid over drawn cells.
package enum Overlay: Int, CaseIterable, Sendable {
    /// The selected row of the pane that has the focus.
    case selection
    /// The selected row of another pane.
    case selectionInactive
    /// A match of a search.
    case match
    /// The current match of a search.
    case matchCurrent
    /// The cell of a drawn text cursor.
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

/// A style in the color numbers of a terminal.
package struct ResolvedStyle: Hashable, Sendable {
    /// The number of the text's color; -1 is the terminal's default.
    package var foreground: Int
    /// The number of the background's color; -1 is the terminal's default.
    package var background: Int
    /// Bold, underline and the like.
    package var attributes: Style.Attributes
}

extension Theme {
    /// The styles in the color numbers of a terminal of this depth, in the order of `styles`.
    ///
    /// `background` is the terminal's own, if it is known.
    package func resolved(
        for depth: ColorDepth,
        on background: PixelColor? = nil
    ) -> [ResolvedStyle] {
        let isLight = backdrop == .any ? background?.isLight == true : backdrop == .light
        var resolved = styles.map {
            $0.resolved(for: depth, isOnLight: isLight, adapts: backdrop == .any)
        }
        guard depth == .sixteen else { return resolved }
        func shown(_ style: ResolvedStyle) -> Int {
            SixteenColors.shown(style.background, isLight: isLight)
        }
        let text = shown(resolved[0])
        for (overlay, mark) in [
            (Overlay.selection, Style.Attributes.reverse), (.selectionInactive, .underline),
        ] {
            let place = Int(overlaid(.default, overlay).rawValue)
            // Both backgrounds became the same of the 16 colors, so the row is marked by an attribute.
            guard shown(resolved[place]) == text, styles[place] != styles[0] else { continue }
            for index in place..<place + baseCount {
                resolved[index].attributes.insert(mark)
            }
        }
        return resolved
    }
}

extension Style {
    /// `adapts` replaces colors of the terminal's palette that can hardly be read on its own background.
    fileprivate func resolved(
        for depth: ColorDepth,
        isOnLight: Bool,
        adapts: Bool
    ) -> ResolvedStyle {
        let style = depth == .mono ? withoutColors : self
        let back = style.background.number(in: depth, isBackground: true)
        var front = style.foreground.number(in: depth)
        switch style.foreground {
        case .rgb where depth == .sixteen:
            front = SixteenColors.readable(front, on: back, isLight: isOnLight)
        // Bright black is for lines, which say nothing by themselves.
        case .ansi(let number) where adapts && back < 0 && depth != .mono && number != 8:
            front = SixteenColors.readable(Int(number), on: back, isLight: isOnLight)
        default: break
        }
        return ResolvedStyle(foreground: front, background: back, attributes: style.attributes)
    }
}
