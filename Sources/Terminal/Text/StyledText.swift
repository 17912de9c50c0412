/// A line of pieces, each in its own style.
package struct StyledText: Hashable, Sendable {
    struct Piece: Hashable, Sendable {
        var text: String
        var style: StyleID
    }

    private(set) var pieces: [Piece] = []
    /// The columns that it takes.
    package private(set) var columns = 0

    /// Its words, without their styles.
    package var text: String { pieces.map(\.text).joined() }

    /// Makes an empty line.
    package init() {}

    /// Makes a line of one piece.
    package init(_ text: String, _ style: StyleID) {
        append(text, style)
    }

    /// True when nothing is in it.
    package var isEmpty: Bool { pieces.isEmpty }

    /// Adds a piece at the end.
    package mutating func append(_ text: String, _ style: StyleID) {
        guard !text.isEmpty else { return }
        pieces.append(Piece(text: text, style: style))
        columns += TextWidth.columns(of: text)
    }

    /// Adds another line at the end.
    package mutating func append(_ other: StyledText) {
        pieces += other.pieces
        columns += other.columns
    }
}

/// Words that flow into lines: what panes say when they have nothing to show.
package struct Paragraph {
    /// A text and how it looks.
    package struct Part {
        /// The text.
        package var text: String
        /// How it looks.
        package var style: StyleID

        /// Makes a part.
        package init(text: String, style: StyleID) {
            self.text = text
            self.style = style
        }
    }

    private var parts: [Part]

    /// Makes a paragraph.
    package init(parts: [Part]) { self.parts = parts }

    /// Makes a paragraph of one text.
    package init(_ text: String, _ style: StyleID) { parts = [Part(text: text, style: style)] }

    /// The lines for a width, each with its style.
    ///
    /// Words longer than a line are cut in pieces.
    private func lines(columns: Int) -> [Part] {
        guard columns > 0 else { return [] }
        return parts.flatMap { part in
            Self.wrap(part.text, columns: columns).map { Part(text: $0, style: part.style) }
        }
    }

    /// Draws from the top of the area; returns the rows used.
    @discardableResult
    package func draw(in area: Rect, into grid: inout Grid) -> Int {
        let lines = lines(columns: area.columns).prefix(area.rows)
        for (row, line) in lines.enumerated() {
            grid.draw(line.text, in: area.row(row), style: line.style)
        }
        return lines.count
    }

    /// The text in lines of at most so many columns, broken between words.
    package static func wrap(_ text: String, columns: Int) -> [String] {
        guard columns > 0 else { return [] }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { wrap(line: $0, columns: columns) }
    }

    private static func wrap(line: Substring, columns: Int) -> [String] {
        var lines: [String] = []
        var current = ""
        var used = 0
        for word in line.split(separator: " ").flatMap({ pieces(of: $0, columns: columns) }) {
            let width = TextWidth.columns(of: word)
            if used > 0, used + 1 + width > columns {
                lines.append(current)
                (current, used) = ("", 0)
            }
            current += used > 0 ? " \(word)" : word
            used += used > 0 ? width + 1 : width
        }
        return lines + [current]
    }

    /// A URL can be longer than a pane is wide.
    private static func pieces(of word: Substring, columns: Int) -> [String] {
        guard TextWidth.columns(of: word) > columns else { return [String(word)] }
        var pieces: [String] = []
        var current = ""
        var used = 0
        for character in word {
            let width = TextWidth.columns(of: String(character))
            if used + width > columns, !current.isEmpty {
                pieces.append(current)
                (current, used) = ("", 0)
            }
            current.append(character)
            used += width
        }
        return pieces + [current]
    }
}
