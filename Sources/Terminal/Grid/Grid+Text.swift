extension Grid {
    /// The number of bytes in which the end of a text is searched.
    private static let longestTail = 1 << 16

    /// Draws text at (x, y), at most `width` columns.
    ///
    /// Returns the columns used.
    @discardableResult
    package mutating func draw(
        _ text: some StringProtocol,
        x: Int,
        y: Int,
        width: Int = .max,
        style: StyleID,
        cut: Cut = .none
    ) -> Int {
        var text = String(text)
        return text.withUTF8 { bytes in
            draw(
                utf8: UnsafeRawBufferPointer(bytes),
                x: x,
                y: y,
                width: width,
                style: style,
                cut: cut
            )
        }
    }

    /// Draws UTF-8 bytes without making a string; invalid ones become U+FFFD.
    ///
    /// The bytes are used during the call only.
    @discardableResult
    package mutating func draw(
        utf8 bytes: UnsafeRawBufferPointer,
        x: Int,
        y: Int,
        width: Int = .max,
        style: StyleID,
        cut: Cut = .none
    ) -> Int {
        guard width > 0, y >= clip.y, y < clip.maxY, x < clip.maxX else { return 0 }
        guard cut != .none, width < Int.max else {
            return run(GlyphReader(bytes), x: x, y: y, width: width, style: style)
        }
        // If the end is cut, columns are counted only up to the width; otherwise only the last bytes are searched.
        let seen =
            cut == .end
            ? bytes : UnsafeRawBufferPointer(rebasing: bytes.suffix(Self.longestTail))
        let total = TextWidth.columns(ofUTF8: seen, limit: cut == .end ? width : .max)
        guard total > width || seen.count < bytes.count else {
            return run(GlyphReader(bytes), x: x, y: y, width: width, style: style)
        }
        let head = cut == .start ? 0 : cut == .end ? width - 1 : width / 2
        var used = run(GlyphReader(bytes), x: x, y: y, width: head, style: style)
        put(ellipsis, x: x + used, y: y, style: style)
        used += 1
        if cut == .end { return used }
        var rest = GlyphReader(seen)
        while total - rest.column > width - used, rest.next() != nil {}
        return used + run(rest, x: x + used, y: y, width: width - used, style: style)
    }

    /// Draws text so that it ends before column `maxX`, cut at its end if it is too wide.
    @discardableResult
    package mutating func draw(
        _ text: some StringProtocol,
        endingAt maxX: Int,
        y: Int,
        width: Int = .max,
        style: StyleID
    ) -> Int {
        let columns = min(TextWidth.columns(of: text), max(0, width))
        return draw(text, x: maxX - columns, y: y, width: columns, style: style, cut: .end)
    }

    /// Draws text into the first row of a rectangle, cut if it is too wide.
    ///
    /// Returns the columns used.
    @discardableResult
    package mutating func draw(
        _ text: some StringProtocol,
        in rect: Rect,
        style: StyleID,
        cut: Cut = .end
    ) -> Int {
        guard !rect.isEmpty else { return 0 }
        return draw(text, x: rect.x, y: rect.y, width: rect.columns, style: style, cut: cut)
    }

    /// Draws a line of pieces into the first row of a rectangle, cut if it is too wide.
    @discardableResult
    package mutating func draw(_ text: StyledText, in rect: Rect) -> Int {
        guard !rect.isEmpty else { return 0 }
        return draw(text, x: rect.x, y: rect.y, width: rect.columns, cut: .end)
    }

    /// Draws a line of pieces, at most `width` columns.
    @discardableResult
    package mutating func draw(
        _ text: StyledText,
        x: Int,
        y: Int,
        width: Int = .max,
        cut: Cut = .none
    ) -> Int {
        var used = 0
        let overflows = cut != .none && text.columns > width
        for piece in text.pieces where used < width {
            let columns = TextWidth.columns(of: piece.text)
            let isLast = overflows && used + columns >= width
            // The piece that meets the edge takes the ellipsis, even if it just fits by itself.
            let shown = isLast && columns <= width - used ? piece.text + "  " : piece.text
            let place = width == .max ? Int.max : width - used
            used += draw(
                shown,
                x: x + used,
                y: y,
                width: place,
                style: piece.style,
                cut: isLast ? .end : .none
            )
            if isLast { break }
        }
        return used
    }

    /// Draws the rest of the reader's text, in the only loop that fills cells from text.
    private mutating func run(
        _ source: GlyphReader,
        x: Int,
        y: Int,
        width: Int,
        style: StyleID
    ) -> Int {
        var reader = source
        let start = reader.column
        // No further than the clip, so that a long line costs only its visible part.
        let room = min(width, clip.maxX - x)
        while reader.column - start < room {
            let at = reader.column - start
            let plain = reader.plainRun(limit: room - at)
            if plain > 0 {
                fillPlain(reader, count: plain, x: x + at, y: y, style: style)
                reader.skip(plain: plain)
                continue
            }
            guard let glyph = reader.next() else { break }
            let isTab = glyph.base == 0x20
            guard isTab || at + glyph.columns <= room else { return at }
            place(glyph, x: x + at, y: y, room: room - at, style: style)
        }
        return min(reader.column - start, max(0, room))
    }

    private mutating func fillPlain(
        _ reader: GlyphReader,
        count: Int,
        x: Int,
        y: Int,
        style: StyleID
    ) {
        let first = max(x, clip.x)
        let end = min(x + count, clip.maxX)
        guard first < end else { return }
        mend(from: first, to: end, row: y)
        let origin = y * size.columns
        cells.withUnsafeMutableBufferPointer { cells in
            for column in first..<end {
                let byte = reader.byte(ahead: column - x)
                cells[origin + column] = Cell(base: UInt32(byte), style: style)
            }
        }
    }

    private mutating func place(_ glyph: Glyph, x: Int, y: Int, room: Int, style: StyleID) {
        let columns = min(glyph.columns, room)
        // A wide character that the clip cuts in half is drawn as blanks.
        let isWhole = x >= clip.x && x + columns <= clip.maxX
        guard glyph.base != 0x20, isWhole else {
            fill(Rect(x: x, y: y, columns: columns, rows: 1), style: style)
            return
        }
        mend(from: x, to: x + columns, row: y)
        let index = y * size.columns + x
        cells[index] = Cell(base: glyph.base, marks: intern(glyph.marks), style: style)
        let baseColumns = columns - glyph.symbols.count
        if baseColumns == 2 { cells[index + 1] = Cell(base: Cell.rightHalf, style: style) }
        for (offset, symbol) in glyph.symbols.enumerated() {
            cells[index + baseColumns + offset] = Cell(base: symbol, style: style)
        }
    }
}
