/// The screen as a table of cells: views draw into it, a `Painter` shows it.
///
/// All drawing is clipped to `clip`, and coordinates may lie outside. Text enters cells only through
/// `GlyphReader`, so that no cell can have a control character.
package struct Grid: Sendable {
    /// The size of the screen.
    package let size: Size
    /// The rectangle that drawing is clipped to; set it with `clipped(to:_:)`.
    package internal(set) var clip: Rect
    /// The sign that is drawn where a text was cut.
    package var ellipsis: Unicode.Scalar

    var cells: [Cell]
    private var images: [PlacedImage] = []
    private(set) var marks = [CombiningMarks()]
    private var markIndex: [CombiningMarks: UInt16] = [:]
    /// The first is never shown; it is there because the pool must not be empty.
    private(set) var pairs = [ColorPair()]
    private var pairIndex: [ColorPair: UInt16] = [:]
    /// Rises when the pools are emptied, so that indices from before are not used any more.
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

    /// The rectangle of all cells, from the upper left corner at 0, 0.
    package var bounds: Rect { Rect(size: size) }

    /// The cell in this column and row; a blank one outside the screen.
    package subscript(x: Int, y: Int) -> Cell {
        guard bounds.contains(Point(x: x, y: y)) else { return Cell(base: 0x20, style: .default) }
        return cells[y * size.columns + x]
    }

    /// The cell at this point; a blank one outside the screen.
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

    /// Fills a rectangle with one scalar; a blank replaces one that is not one column wide.
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

    /// Draws one scalar; a blank replaces one that is not one column wide.
    package mutating func put(_ scalar: Unicode.Scalar, x: Int, y: Int, style: StyleID) {
        fill(Rect(x: x, y: y, columns: 1, rows: 1), with: scalar, style: style)
    }

    /// Clips all drawing in `body` to `rect`, within the current clip.
    package mutating func clipped<Result>(
        to rect: Rect,
        _ body: (inout Grid) -> Result
    ) -> Result {
        let former = clip
        clip = clip.intersection(rect)
        defer { clip = former }
        return body(&self)
    }

    /// Shows an image over these cells if the terminal can, and unless something is drawn there later.
    ///
    /// An image that is not all within the clip is not shown.
    package mutating func place(_ image: TerminalImage, in rect: Rect) {
        guard !rect.isEmpty, rect.intersection(clip) == rect else { return }
        images.append(PlacedImage(image: image, place: rect, cells: cells(in: rect)))
    }

    /// The images whose cells have not been drawn over.
    package var uncoveredImages: [PlacedImage] {
        images.filter { cells(in: $0.place) == $0.cells }
    }

    private func cells(in rect: Rect) -> [Cell] {
        (rect.y..<rect.maxY).flatMap { row -> ArraySlice<Cell> in
            let start = row * size.columns
            return cells[(start + rect.x)..<(start + rect.maxX)]
        }
    }

    /// Changes the style of every cell in the rectangle.
    package mutating func restyle(_ rect: Rect, _ change: (StyleID) -> StyleID) {
        let area = rect.intersection(clip)
        guard !area.isEmpty else { return }
        for row in area.y..<area.maxY {
            for index in (row * size.columns + area.x)..<(row * size.columns + area.maxX) {
                cells[index].styleIndex = change(cells[index].style).rawValue
            }
        }
    }

    /// Lays an overlay, such as a selection, over drawn cells.
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
        // Only hostile text has this many; it loses marks until the next `clear`.
        guard marks.count < Self.markLimit else { return 0 }
        let index = UInt16(marks.count)
        marks.append(set)
        markIndex[set] = index
        return index
    }

    /// The style of a cell with these two colors; nil is the terminal's default color.
    ///
    /// If the pool is full, this is the default style.
    package mutating func style(_ foreground: PixelColor?, on background: PixelColor?) -> StyleID {
        let pair = ColorPair(foreground, background)
        if let index = pairIndex[pair] { return StyleID(rawValue: StyleID.firstPair + index) }
        guard pairs.count < Self.pairLimit else { return .default }
        let index = UInt16(pairs.count)
        pairs.append(pair)
        pairIndex[pair] = index
        return StyleID(rawValue: StyleID.firstPair + index)
    }

    /// The colors of a style that `style(_:on:)` made; nil for a style of the theme.
    func pair(of style: StyleID) -> ColorPair? {
        style.isPair ? pairs[Int(style.rawValue - StyleID.firstPair)] : nil
    }
}

extension Grid: Equatable {
    /// Whether both show the same, apart from images.
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

    /// The rows in quotes, then the style of each cell as a letter, then a legend.
    ///
    /// Without a theme, the text alone. For tests.
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

/// One cell of the grid, in 8 bytes with the layout of `cn_cell`, so that a row needs no copying.
package struct Cell: Hashable, Sendable {
    /// The scalar shown, or `rightHalf`.
    var base: UInt32
    /// The index of its combining marks in the grid's pool; 0 if it has none.
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
/// Has the layout of `cn_marks`.
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

/// A color in a picture.
package struct PixelColor: Hashable, Sendable {
    /// 0xRRGGBB.
    let value: UInt32

    /// Makes a color from its components.
    package init(red: UInt8, green: UInt8, blue: UInt8) {
        value = UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
    }
}

/// A text color and a background color that are not from a theme.
///
/// Has the layout of `cn_pair`.
struct ColorPair: Hashable, Sendable {
    private let foregroundValue: UInt32
    private let backgroundValue: UInt32

    /// The terminal's default color; larger than every other value.
    private static let own: UInt32 = 0x100_0000

    init(_ foreground: PixelColor? = nil, _ background: PixelColor? = nil) {
        foregroundValue = foreground?.value ?? Self.own
        backgroundValue = background?.value ?? Self.own
    }

    var style: Style {
        func color(_ value: UInt32) -> Color {
            value < Self.own ? Color(rgb: value) : .terminal
        }
        return Style(foreground: color(foregroundValue), background: color(backgroundValue))
    }
}

/// The index of a style in the theme's table, or of two colors in the grid's pool.
package struct StyleID: Hashable, Sendable {
    let rawValue: UInt16

    /// The first index of two colors in the grid's pool; no theme has this many styles.
    static let firstPair: UInt16 = 0x4000
    /// Whether it stands for two colors in the grid's pool, which take no overlay.
    var isPair: Bool { rawValue >= Self.firstPair }

    /// Plain text, the theme's first style.
    package static let `default` = StyleID(rawValue: 0)
}
