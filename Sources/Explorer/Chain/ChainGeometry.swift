import Apus
import Terminal

/// Where the boxes of a drawn chain and the lines between them stand.
///
/// ```
/// starts[0]     starts[1]
/// ╭ register ─╮ ┌ room for a name
/// │           │─id─┬───▶│
/// ╰───────────╯    └ tracks: the upright lines
/// ```
struct ChainGeometry {
    /// How much a box shows.
    enum Form: Equatable {
        /// Name, request, state and time, in four rows.
        case full
        /// Name, state and time, in narrower boxes.
        case small
    }

    let form: Form
    let layout: ChainLayout
    let gaps: [ChainGap]
    /// The width of every box.
    let boxColumns: Int
    /// The width for a name on the lines of each gap.
    let nameColumns: Int

    /// nil if the drawing does not fit; `names` is the width of the longest name on a line.
    init?(_ layout: ChainLayout, in area: Rect, names wanted: Int = 0) {
        guard layout.columns > 0, layout.columns * 12 <= area.columns else { return nil }
        let gaps = (0..<(layout.columns - 1)).map { ChainGap(after: $0, in: layout) }
        // For steps in a single row a list says more than small boxes.
        let forms: [Form] = layout.rows > 1 ? [.full, .small] : [.full]
        guard let form = forms.first(where: { $0.fits(layout, gaps, area) }) else { return nil }
        self.layout = layout
        self.gaps = gaps
        self.form = form
        // First the narrowest boxes, then whole names, then wider boxes.
        let least = form.names.lowerBound
        let names =
            (form == .full ? min(form.names.upperBound, max(least, wanted)) : least) * gaps.count
        let lines = gaps.reduce(0) { $0 + $1.width }
        let boxes = (area.columns - lines - names) / layout.columns
        boxColumns = min(form.boxes.upperBound, max(form.boxes.lowerBound, boxes))
        let spare = area.columns - lines - boxColumns * layout.columns
        nameColumns =
            gaps.isEmpty
            ? 0 : min(form.names.upperBound, max(form.names.lowerBound, spare / gaps.count))
    }

    /// The rows of every box.
    static let boxRows = 4

    /// The rows of the drawing.
    var rows: Int { layout.rows * Self.boxRows }

    /// The column where a column of boxes begins, from the left of the drawing.
    func start(of column: Int) -> Int {
        gaps[..<column].reduce(column * (boxColumns + nameColumns)) { $0 + $1.width }
    }

    /// The row where lines reach the boxes of a row.
    func line(of row: Int) -> Int { row * Self.boxRows + 1 }

    /// A step's box, relative to the top left of the drawing.
    func box(of node: ChainLayout.Node) -> Rect {
        Rect(
            x: start(of: node.column),
            y: node.row * Self.boxRows,
            columns: boxColumns,
            rows: Self.boxRows
        )
    }
}

extension ChainGeometry.Form {
    /// The fewest rows for the words below the boxes.
    private static let wordRows = 4

    /// The narrowest and the widest box, in columns.
    var boxes: ClosedRange<Int> { self == .full ? 22...32 : 12...20 }

    /// The narrowest and the widest room for a name on a line, in columns.
    var names: ClosedRange<Int> { self == .full ? 3...24 : 0...3 }

    func fits(_ layout: ChainLayout, _ gaps: [ChainGap], _ area: Rect) -> Bool {
        let columns =
            layout.columns * boxes.lowerBound + gaps.reduce(0) { $0 + $1.width + names.lowerBound }
        return columns <= area.columns
            && layout.rows * ChainGeometry.boxRows + Self.wordRows <= area.rows
    }
}
