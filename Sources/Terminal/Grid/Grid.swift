/// The screen as a table of cells: views draw into it, a `Painter` shows it.
///
/// Everything is clipped to `clip`, coordinates may lie outside, and text enters cells only through
/// `GlyphReader`, so no control character can be in one.
package struct Grid: Sendable {
    /// The extent of the screen.
    package let size: Size
    /// What drawing is clipped to; set it with `clipped(to:_:)`.
    package internal(set) var clip: Rect
    /// What stands where a text was cut.
    package var ellipsis: Unicode.Scalar

    var cells: [Cell]
    private(set) var marks = [MarkSet()]
    private var markIndex: [MarkSet: UInt16] = [:]
    /// Rises when the pool of marks began anew: indexes of before mean nothing any more.
    private(set) var generation = 0

    private static let markLimit = 4096

    /// Makes a blank grid.
    package init(size: Size, ellipsis: Unicode.Scalar = "…") {
        self.size = size
        self.ellipsis = ellipsis
        clip = Rect(size: size)
        cells = Array(
            repeating: Cell(base: 0x20, style: .default),
            count: size.columns * size.rows
        )
    }

    /// All of the screen.
    package var bounds: Rect { Rect(size: size) }

    /// The cell there; a blank one outside.
    package subscript(x: Int, y: Int) -> Cell {
        guard bounds.contains(Point(x: x, y: y)) else { return Cell(base: 0x20, style: .default) }
        return cells[y * size.columns + x]
    }

    /// The cell there; a blank one outside.
    package subscript(point: Point) -> Cell { self[point.x, point.y] }

    /// Blanks everything, whatever the clip is.
    package mutating func clear(style: StyleID = .default) {
        let blank = Cell(base: 0x20, style: style)
        cells.withUnsafeMutableBufferPointer { $0.update(repeating: blank) }
        guard marks.count > Self.markLimit / 2 else { return }
        marks = [MarkSet()]
        markIndex = [:]
        generation += 1
    }

    /// Fills with one narrow scalar; one that is not narrow is replaced by a blank.
    package mutating func fill(
        _ rect: Rect,
        with scalar: Unicode.Scalar = " ",
        style: StyleID
    ) {
        let area = rect.intersection(clip)
        guard !area.isEmpty else { return }
        let isNarrow =
            Sanitizer.shown(scalar.value) == scalar.value
            && WidthTable.class(of: scalar.value) == .narrow
        let cell = Cell(base: isNarrow ? scalar.value : 0x20, style: style)
        for row in area.y..<area.maxY {
            mend(from: area.x, to: area.maxX, row: row)
            let start = row * size.columns
            for index in (start + area.x)..<(start + area.maxX) { cells[index] = cell }
        }
    }

    /// Draws one narrow scalar.
    package mutating func put(_ scalar: Unicode.Scalar, x: Int, y: Int, style: StyleID) {
        fill(Rect(x: x, y: y, columns: 1, rows: 1), with: scalar, style: style)
    }

    /// Clips all drawing in `body` to `rect`, within the clip that is already there.
    package mutating func clipped<Result>(
        to rect: Rect,
        _ body: (inout Grid) -> Result
    ) -> Result {
        let former = clip
        clip = clip.intersection(rect)
        defer { clip = former }
        return body(&self)
    }

    /// Gives every cell of the rectangle another style.
    package mutating func restyle(_ rect: Rect, _ change: (StyleID) -> StyleID) {
        let area = rect.intersection(clip)
        guard !area.isEmpty else { return }
        for row in area.y..<area.maxY {
            for index in (row * size.columns + area.x)..<(row * size.columns + area.maxX) {
                cells[index].styleIndex = change(cells[index].style).rawValue
            }
        }
    }

    /// Lays a selection or a search match over what is drawn.
    package mutating func overlay(_ rect: Rect, _ overlay: Overlay, theme: Theme) {
        restyle(rect) { theme.overlaid($0, overlay) }
    }

    /// Blanks the halves of wide characters that drawing over these columns would leave behind.
    mutating func mend(from start: Int, to end: Int, row: Int) {
        let origin = row * size.columns
        if start > 0, start < size.columns, cells[origin + start].base == Cell.rightHalf {
            cells[origin + start - 1].base = 0x20
            cells[origin + start - 1].marks = 0
        }
        if end > 0, end < size.columns, cells[origin + end].base == Cell.rightHalf {
            cells[origin + end].base = 0x20
        }
    }

    mutating func intern(_ set: MarkSet) -> UInt16 {
        if set.count == 0 { return 0 }
        if let index = markIndex[set] { return index }
        // Only hostile text has so many; it loses marks until the next `clear`.
        guard marks.count < Self.markLimit else { return 0 }
        let index = UInt16(marks.count)
        marks.append(set)
        markIndex[set] = index
        return index
    }
}

extension Grid: Equatable {
    /// True when both show the same.
    package static func == (left: Grid, right: Grid) -> Bool {
        guard left.size == right.size else { return false }
        return left.cells.indices.allSatisfy { index in
            let (one, other) = (left.cells[index], right.cells[index])
            return one.base == other.base && one.styleIndex == other.styleIndex
                && left.marks[Int(one.marks)] == right.marks[Int(other.marks)]
        }
    }
}
