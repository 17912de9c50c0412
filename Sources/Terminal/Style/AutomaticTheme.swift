/// The theme of users who have chosen none: one of a pair, chosen by the terminal's background.
package enum AutomaticTheme {
    /// The name that chooses it, instead of a theme's.
    package static let name = "auto"

    /// The name of the theme for a background; for an unknown one, the dark theme.
    ///
    /// On a background between light and dark the colors of the pair can be hard to read; then it is a theme that
    /// paints its own.
    package static func name(on background: PixelColor?) -> String {
        guard let background else { return Theme.standard.name }
        let (theme, painted) =
            background.isLight ? (Theme.standardLight, "paper") : (Theme.standard, "slate")
        return theme.isReadable(on: background) ? theme.name : painted
    }
}

extension Theme {
    /// Whether all its text can be read on a background of the terminal's, as WCAG 2.2 asks for at level AA.
    func isReadable(on background: PixelColor) -> Bool {
        Scope.allCases.filter { !$0.isOrnament }.allSatisfy { scope in
            let style = styles[Int(self[scope].rawValue)]
            guard style.background == .terminal,
                case .rgb(let red, let green, let blue) = style.foreground
            else { return true }
            let text = PixelColor(red: red, green: green, blue: blue)
            return Contrast.ratio(text.value, background.value) >= Contrast.forText
        }
    }
}

extension Scope {
    /// Whether it is for lines and tracks, which say nothing by themselves.
    var isOrnament: Bool { self == .border || self == .gaugeTrack }
}

extension PixelColor {
    static let black = PixelColor(red: 0, green: 0, blue: 0)
    static let white = PixelColor(red: 255, green: 255, blue: 255)

    /// Whether black text can be read better on it than white text.
    package var isLight: Bool { Contrast.isLight(value) }

    /// The background of a terminal's response or variable, `15;0`: the last number is one of the 16 colors.
    ///
    /// Nil for `default` and everything else.
    init?(colorFGBG text: String) {
        guard let last = text.split(separator: ";").last, let number = Int(last) else { return nil }
        switch number {
        case 0...6, 8: self = .black
        case 7, 9...15: self = .white
        default: return nil
        }
    }

    /// A color as terminals answer: `rgb:ff/80/00` with one to four digits each, `rgba:` and `#ff8000`.
    init?(response text: String) {
        func part(_ digits: Substring) -> UInt8? {
            guard 1...4 ~= digits.utf8.count, digits.allSatisfy(\.isHexDigit),
                let value = Int(digits, radix: 16)
            else { return nil }
            return UInt8(value * 255 / ((1 << (4 * digits.utf8.count)) - 1))
        }
        var parts: [Substring]
        if text.hasPrefix("#") {
            let digits = text.dropFirst()
            guard !digits.isEmpty, digits.utf8.count.isMultiple(of: 3) else { return nil }
            let width = digits.utf8.count / 3
            parts = (0..<3).map { digits.dropFirst($0 * width).prefix(width) }
        } else if text.hasPrefix("rgb:") || text.hasPrefix("rgba:") {
            guard let colon = text.firstIndex(of: ":") else { return nil }
            parts = text[text.index(after: colon)...].split(
                separator: "/",
                omittingEmptySubsequences: false
            )
        } else {
            return nil
        }
        guard 3...4 ~= parts.count, let red = part(parts[0]), let green = part(parts[1]),
            let blue = part(parts[2])
        else { return nil }
        self.init(red: red, green: green, blue: blue)
    }
}
