/// A line of pieces, each in its own style.
package struct StyledText: Hashable, Sendable {
    struct Piece: Hashable, Sendable {
        var text: String
        var style: StyleID
    }

    private(set) var pieces: [Piece] = []
    /// The number of columns that it takes.
    package private(set) var columns = 0

    /// Its text without styles.
    package var text: String { pieces.map(\.text).joined() }

    /// Makes an empty line.
    package init() {}

    /// Makes a line of one piece.
    package init(_ text: String, _ style: StyleID) {
        append(text, style)
    }

    /// Whether it is empty.
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

/// Text that is wrapped into lines, for panes that have nothing else to show.
package struct Paragraph {
    /// A text and how it looks.
    package struct Part {
        /// The text of the part, which may contain line ends.
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

    /// Draws from the top of the area; returns the number of rows used.
    @discardableResult
    package func draw(in area: Rect, into grid: inout Grid) -> Int {
        var used = 0
        for part in parts {
            for line in Self.wrap(part.text, columns: area.columns, rows: area.rows - used) {
                grid.draw(line, in: area.row(used), style: part.style)
                used += 1
            }
        }
        return used
    }

    /// The first `rows` lines of a text, each of at most `columns` columns, wrapped between words.
    ///
    /// Reads no more than these lines show, because a text may be megabytes, and is laid out in every frame.
    package static func wrap(_ text: String, columns: Int, rows: Int) -> [String] {
        guard columns > 0 else { return [] }
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            var lines: [String] = []
            while lines.count < rows {
                let (length, next) = firstLine(of: rest, columns: columns)
                lines.append(String(decoding: rest[..<length], as: UTF8.self))
                guard let next else { break }
                rest = UnsafeRawBufferPointer(rebasing: rest[next...])
            }
            return lines
        }
    }

    /// The length of the first line in bytes, and where the next line begins; nil after the last.
    private static func firstLine(
        of text: UnsafeRawBufferPointer,
        columns: Int
    ) -> (length: Int, next: Int?) {
        let (blank, feed) = (UInt8(ascii: " "), UInt8(ascii: "\n"))
        var length = TextWidth.bytes(ofUTF8: text, fittingIn: columns)
        // A glyph that is wider than the line still gets a line, so that wrapping does not stall.
        if length == 0, !text.isEmpty {
            length = text.dropFirst().firstIndex { $0 & 0xC0 != 0x80 } ?? text.count
        }
        if let end = text[..<length].firstIndex(of: feed) { return (end, end + 1) }
        guard length < text.count else { return (length, nil) }
        if text[length] == feed { return (length, length + 1) }
        // A blank at the edge does not begin the next line.
        if text[length] == blank { return (length, length + 1 < text.count ? length + 1 : nil) }
        // A word longer than a line, such as a URL, is cut in pieces.
        guard let end = text[..<length].lastIndex(of: blank), end > 0 else {
            return (length, length)
        }
        return (end, end + 1)
    }
}
