extension Grid {
    /// The rows as text, without blanks at their ends.
    package var textRows: [String] {
        (0..<size.rows).map { row in
            let text = text(row: row, upTo: size.columns)
            let end = text.lastIndex { $0 != " " }
            return end.map { String(text[...$0]) } ?? ""
        }
    }

    /// The rows in quotes, then which style each cell has, by letters with a legend.
    ///
    /// Without a theme there is the text alone. For tests.
    package func snapshot(theme: Theme? = nil) -> String {
        let rows = (0..<size.rows).map { "\"\(text(row: $0, upTo: size.columns))\"" }
        guard let theme else { return rows.joined(separator: "\n") + "\n" }
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        var seen: [StyleID] = []
        let layer = (0..<size.rows).map { row in
            String(
                (0..<size.columns).map { column -> Character in
                    let style = self[column, row].style
                    if style == .default { return "." }
                    let place = seen.firstIndex(of: style) ?? seen.count
                    if place == seen.count { seen.append(style) }
                    return place < letters.count ? letters[place] : "?"
                }
            )
        }
        let legend = seen.enumerated().map { place, style in
            "\(place < letters.count ? letters[place] : "?") \(theme.description(of: style))"
        }
        return (rows + layer + legend).joined(separator: "\n") + "\n"
    }

    func text(row: Int, upTo end: Int) -> String {
        var scalars = String.UnicodeScalarView()
        for column in 0..<min(end, size.columns) {
            let cell = self[column, row]
            guard let base = cell.scalar else { continue }
            scalars.append(base)
            scalars.append(
                contentsOf: marks[Int(cell.marks)].scalars.compactMap(Unicode.Scalar.init)
            )
        }
        return String(scalars)
    }
}
