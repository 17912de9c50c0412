/// How wide text is on the screen: exactly what `Grid` draws, unlike `count`.
package enum TextWidth {
    /// The side on which a text stands if there are more columns than it needs.
    package enum Alignment: Sendable {
        /// At the left.
        case leading
        /// At the right, as for numbers.
        case trailing
    }

    /// The number of a terminal's columns has 16 bits.
    private static let widest = 1 << 16

    /// The columns of a text; counting ends soon after what the widest screen shows.
    package static func columns(of text: some StringProtocol) -> Int {
        var text = String(text)
        return text.withUTF8 { columns(ofUTF8: UnsafeRawBufferPointer($0), limit: widest) }
    }

    /// The columns of UTF-8 bytes; counting ends soon after `limit` is passed.
    package static func columns(ofUTF8 bytes: UnsafeRawBufferPointer, limit: Int = .max) -> Int {
        var reader = GlyphReader(bytes)
        while reader.column <= limit {
            let plain = reader.plainRun(limit: max(1, limit - reader.column))
            if plain > 0 {
                reader.skip(plain: plain)
            } else if reader.next() == nil {
                break
            }
        }
        return reader.column
    }

    /// The columns at which the glyphs begin and end that a range of a text's bytes touches.
    ///
    /// What a glyph looks like depends on what follows it, so the whole text is needed.
    package static func columns(
        ofUTF8 bytes: UnsafeRawBufferPointer,
        in range: Range<Int>
    ) -> Range<Int> {
        var reader = GlyphReader(bytes)
        var start: Int?
        while reader.position < range.upperBound {
            let goal = reader.position < range.lowerBound ? range.lowerBound : range.upperBound
            if reader.position == range.lowerBound { start = reader.column }
            let plain = reader.plainRun(limit: goal - reader.position)
            if plain > 0 {
                reader.skip(plain: plain)
                continue
            }
            let before = reader.column
            guard reader.next() != nil else { break }
            if reader.position > range.lowerBound { start = start ?? before }
        }
        return min(start ?? reader.column, reader.column)..<reader.column
    }

    /// The number of bytes at the beginning that take at most `columns` columns.
    package static func bytes(
        ofUTF8 bytes: UnsafeRawBufferPointer,
        fittingIn columns: Int
    ) -> Int {
        var reader = GlyphReader(bytes)
        while reader.column < columns {
            let plain = reader.plainRun(limit: columns - reader.column)
            if plain > 0 {
                reader.skip(plain: plain)
                continue
            }
            let before = reader.position
            guard reader.next() != nil else { break }
            if reader.column > columns { return before }
        }
        return reader.position
    }

    /// The text, cut to at most `columns` columns, with an ellipsis where it was cut.
    ///
    /// A text that was cut is already filtered, and looks the same in a grid.
    package static func cut(
        _ text: String,
        to columns: Int,
        _ cut: Cut = .end,
        ellipsis: Unicode.Scalar = "…"
    ) -> String {
        guard columns > 0 else { return "" }
        guard self.columns(of: text) > columns else { return text }
        var grid = Grid(size: Size(columns: columns, rows: 1), ellipsis: ellipsis)
        let used = grid.draw(text, x: 0, y: 0, width: columns, style: .default, cut: cut)
        return grid.text(row: 0, upTo: used)
    }

    /// The text filled with blanks to exactly `columns` columns; cut at the end if it is wider.
    package static func padded(
        _ text: String,
        to columns: Int,
        alignment: Alignment = .leading,
        ellipsis: Unicode.Scalar = "…"
    ) -> String {
        let shown = cut(text, to: columns, .end, ellipsis: ellipsis)
        let blanks = String(repeating: " ", count: max(0, columns - self.columns(of: shown)))
        return alignment == .leading ? shown + blanks : blanks + shown
    }
}

/// Where the ellipsis stands if a text is too wide.
package enum Cut: Sendable {
    /// Nowhere: the text just ends.
    case none
    /// At the end; the beginning stays.
    case end
    /// In the middle; both ends stay.
    case middle
    /// At the beginning; the end stays.
    case start
}

/// The number of columns of a scalar, as glibc's wcwidth says: ncurses asks it, and a grid that disagrees
/// with ncurses corrupts the row.
///
/// Independent of the locale.
enum WidthTable {
    enum Class: UInt8 {
        case mark = 0
        case narrow = 1
        case wide = 2
        case unprintable = 3
    }

    /// Two bits for each scalar, in pages of 256, with equal pages shared.
    @inline(__always)
    static func `class`(of scalar: UInt32) -> Class {
        guard scalar < 0x110000 else { return .unprintable }
        let page = Int(widthPageIndex[Int(scalar >> 8)])
        let word = widthPages[page &* 8 &+ Int((scalar >> 5) & 7)]
        return Class(rawValue: UInt8((word >> UInt64((scalar & 31) &* 2)) & 3)) ?? .unprintable
    }
}
