/// What a widget needs to draw itself: the theme and the signs.
package struct Look: Hashable, Sendable {
    /// How things look.
    package var theme: Theme
    /// The signs that this terminal has.
    package var symbols: Symbols

    /// Makes a look.
    package init(theme: Theme, symbols: Symbols = .unicode) {
        self.theme = theme
        self.symbols = symbols
    }
}
