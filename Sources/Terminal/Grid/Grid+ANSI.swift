extension Grid {
    /// The rows with the sequences of ECMA-48 that give them their colours, 24 bits each, as a file that
    /// `less -R` shows.
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
    /// What makes a terminal show text like this, whatever it showed before.
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
    /// Its parameters in a sequence, of letters (30) or of what is behind them (40).
    fileprivate func codes(base: Int) -> [String] {
        switch self {
        case .terminal: []
        case .ansi(let number): ["\(number < 8 ? base + Int(number) : base + 52 + Int(number))"]
        case .rgb(let red, let green, let blue):
            ["\(base + 8)", "2", "\(red)", "\(green)", "\(blue)"]
        }
    }
}
