extension Grid {
    /// The rows with ECMA-48 sequences for their styles, in 24-bit colors, as `less -R` shows them.
    package func coloredRows(theme: Theme) -> [String] {
        (0..<size.rows).map { row in
            var line = ""
            var last: Style?
            var scalars = String.UnicodeScalarView()
            for column in 0..<size.columns {
                let cell = self[column, row]
                guard let base = cell.scalar else { continue }
                let index = Int(cell.style.rawValue)
                let style =
                    pair(of: cell.style)?.style
                    ?? (theme.styles.indices.contains(index) ? theme.styles[index] : Style())
                if style != last {
                    line.unicodeScalars.append(contentsOf: scalars)
                    scalars = String.UnicodeScalarView()
                    line += style.sequence
                    last = style
                }
                scalars.append(base)
                scalars.append(
                    contentsOf: marks[Int(cell.marks)].scalars.compactMap(Unicode.Scalar.init)
                )
            }
            line.unicodeScalars.append(contentsOf: scalars)
            return line + "\u{1B}[0m"
        }
    }
}

extension Style {
    /// The sequence that sets this style, whatever was set before.
    fileprivate var sequence: String {
        var codes = ["0"]
        let attributes: [(Attributes, String)] = [
            (.bold, "1"), (.dim, "2"), (.italic, "3"), (.underline, "4"), (.reverse, "7"),
        ]
        codes += attributes.filter { self.attributes.contains($0.0) }.map(\.1)
        codes += foreground.codes(base: 30) + background.codes(base: 40)
        return "\u{1B}[\(codes.joined(separator: ";"))m"
    }
}

extension Color {
    /// The parameters of this color in a sequence: `base` is 30 for text and 40 for the background.
    fileprivate func codes(base: Int) -> [String] {
        switch self {
        case .terminal: []
        case .ansi(let number): ["\(number < 8 ? base + Int(number) : base + 52 + Int(number))"]
        case .rgb(let red, let green, let blue):
            ["\(base + 8)", "2", "\(red)", "\(green)", "\(blue)"]
        }
    }
}
