/// A style in the color numbers of a terminal.
struct ResolvedStyle: Hashable {
    /// The numbers of its colors; -1 is the terminal's default.
    var foreground: Int
    var background: Int
    var attributes: Style.Attributes
}

extension Theme {
    /// The styles in the color numbers of a terminal of this depth, in the order of `styles`.
    func resolved(for depth: ColorDepth) -> [ResolvedStyle] {
        var resolved = styles.map { $0.resolved(for: depth) }
        guard depth == .sixteen else { return resolved }
        let text = resolved[0].background
        for (overlay, mark) in [
            (Overlay.selection, Style.Attributes.reverse), (.selectionInactive, .underline),
        ] {
            let place = Int(overlaid(.default, overlay).rawValue)
            // Both backgrounds became the same of the 16 colors, so the row is marked by an attribute.
            guard resolved[place].background == text, styles[place] != styles[0] else { continue }
            for index in place..<place + baseCount {
                resolved[index].attributes.insert(mark)
            }
        }
        return resolved
    }
}

extension Style {
    fileprivate func resolved(for depth: ColorDepth) -> ResolvedStyle {
        let style = depth == .mono ? withoutColors : self
        let back = style.background.number(in: depth, isBackground: true)
        var front = style.foreground.number(in: depth)
        if depth == .sixteen, case .rgb = style.foreground {
            front = SixteenColors.readable(front, on: back)
        }
        return ResolvedStyle(foreground: front, background: back, attributes: style.attributes)
    }
}
