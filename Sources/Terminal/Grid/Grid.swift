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
    private var images: [PlacedImage] = []
    private(set) var marks = [CombiningMarks()]
    private var markIndex: [CombiningMarks: UInt16] = [:]
    /// The first is never shown: a pool is not empty.
    private(set) var pairs = [ColorPair()]
    private var pairIndex: [ColorPair: UInt16] = [:]
    /// Rises when a pool began anew: indexes of before mean nothing any more.
    private(set) var generation = 0

    private static let markLimit = 4096
    private static let pairLimit = Int(UInt16.max - StyleID.firstPair)

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
        images = []
        guard marks.count > Self.markLimit / 2 || pairs.count > Self.pairLimit / 2 else { return }
        (marks, markIndex) = ([CombiningMarks()], [:])
        (pairs, pairIndex) = ([ColorPair()], [:])
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

    /// Has a terminal that can show an image over these cells, unless something is drawn there later.
    ///
    /// Nothing of an image is clipped: one that is not all within the clip is not shown.
    package mutating func place(_ image: TerminalImage, in rect: Rect) {
        guard !rect.isEmpty, rect.intersection(clip) == rect else { return }
        images.append(PlacedImage(image: image, place: rect, cells: cells(in: rect)))
    }

    /// The images over whose cells nothing was drawn.
    package var uncoveredImages: [PlacedImage] {
        images.filter { cells(in: $0.place) == $0.cells }
    }

    private func cells(in rect: Rect) -> [Cell] {
        (rect.y..<rect.maxY).flatMap { row -> ArraySlice<Cell> in
            let start = row * size.columns
            return cells[(start + rect.x)..<(start + rect.maxX)]
        }
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

    mutating func intern(_ set: CombiningMarks) -> UInt16 {
        if set.count == 0 { return 0 }
        if let index = markIndex[set] { return index }
        // Only hostile text has so many; it loses marks until the next `clear`.
        guard marks.count < Self.markLimit else { return 0 }
        let index = UInt16(marks.count)
        marks.append(set)
        markIndex[set] = index
        return index
    }

    /// The style of a cell with these two colours; nil of a colour is the terminal's own.
    ///
    /// In a screen full of colours that no other frame had, the last ones have none.
    package mutating func style(_ foreground: PixelColor?, on background: PixelColor?) -> StyleID {
        let pair = ColorPair(foreground, background)
        if let index = pairIndex[pair] { return StyleID(rawValue: StyleID.firstPair + index) }
        guard pairs.count < Self.pairLimit else { return .default }
        let index = UInt16(pairs.count)
        pairs.append(pair)
        pairIndex[pair] = index
        return StyleID(rawValue: StyleID.firstPair + index)
    }

    /// The colours of a style that `style(_:on:)` made; nil for a theme's.
    func pair(of style: StyleID) -> ColorPair? {
        style.isPair ? pairs[Int(style.rawValue - StyleID.firstPair)] : nil
    }
}

extension Grid: Equatable {
    /// True when both show the same.
    package static func == (left: Grid, right: Grid) -> Bool {
        guard left.size == right.size else { return false }
        return left.cells.indices.allSatisfy { index in
            let (one, other) = (left.cells[index], right.cells[index])
            return one.base == other.base
                && (one.styleIndex == other.styleIndex || one.style.isPair)
                && left.pair(of: one.style) == right.pair(of: other.style)
                && left.marks[Int(one.marks)] == right.marks[Int(other.marks)]
        }
    }
}

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

/// One cell of the grid, in 8 bytes: the layout is that of `cn_cell`, so a row needs no copying.
package struct Cell: Hashable, Sendable {
    /// The scalar shown, or `rightHalf`.
    var base: UInt32
    /// The place of its combining marks in the grid's pool; 0 is none.
    var marks: UInt16
    var styleIndex: UInt16

    /// The base of the second cell of a wide character.
    static let rightHalf = UInt32.max

    init(base: UInt32, marks: UInt16 = 0, style: StyleID) {
        self.base = base
        self.marks = marks
        self.styleIndex = style.rawValue
    }

    /// How the cell looks.
    package var style: StyleID { StyleID(rawValue: styleIndex) }
    /// The scalar shown, without its marks; nil in the right half of a wide character.
    package var scalar: Unicode.Scalar? { base == Self.rightHalf ? nil : Unicode.Scalar(base) }
}

/// The combining marks of a cell: at most 4, because ncurses holds 5 scalars.
///
/// Layout of `cn_marks`.
struct CombiningMarks: Hashable, Sendable {
    private(set) var count: UInt32 = 0
    private var first: UInt32 = 0
    private var second: UInt32 = 0
    private var third: UInt32 = 0
    private var fourth: UInt32 = 0

    var scalars: [UInt32] { Array([first, second, third, fourth].prefix(Int(count))) }

    mutating func append(_ mark: UInt32) {
        switch count {
        case 0: first = mark
        case 1: second = mark
        case 2: third = mark
        case 3: fourth = mark
        default: return
        }
        count += 1
    }
}

/// A colour of a picture.
package struct PixelColor: Hashable, Sendable {
    /// 0xRRGGBB.
    let value: UInt32

    /// Makes a colour of its parts.
    package init(red: UInt8, green: UInt8, blue: UInt8) {
        value = UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
    }
}

/// Two colours that no theme has.
///
/// Layout of `cn_pair`.
struct ColorPair: Hashable, Sendable {
    private let foregroundValue: UInt32
    private let backgroundValue: UInt32

    /// Beyond all colours: the terminal's own.
    private static let own: UInt32 = 0x100_0000

    init(_ foreground: PixelColor? = nil, _ background: PixelColor? = nil) {
        foregroundValue = foreground?.value ?? Self.own
        backgroundValue = background?.value ?? Self.own
    }

    var style: Style {
        func color(_ value: UInt32) -> Color {
            guard value < Self.own else { return .terminal }
            return .rgb(UInt8(value >> 16), UInt8(value >> 8 & 255), UInt8(value & 255))
        }
        return Style(foreground: color(foregroundValue), background: color(backgroundValue))
    }
}

/// The place of a style in the table of the theme, or of two colours in the grid's own.
package struct StyleID: Hashable, Sendable {
    let rawValue: UInt16

    /// The first of the grid's own: no theme has so many.
    static let firstPair: UInt16 = 0x4000
    /// Whether it is the grid's own, upon which no overlay can be laid.
    var isPair: Bool { rawValue >= Self.firstPair }

    /// The terminal's own look.
    package static let `default` = StyleID(rawValue: 0)
}
