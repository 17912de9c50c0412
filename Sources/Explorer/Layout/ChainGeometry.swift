import Apus
import Terminal

/// Where the boxes of a drawn chain stand, and the lines between them; nil where they do not fit.
///
/// ```
/// starts[0]     starts[1]
/// ╭ register ─╮ ┌ room for a name
/// │           │─id─┬───▶│
/// ╰───────────╯    └ tracks: the upright lines
/// ```
struct ChainGeometry {
    /// What a box says.
    enum Form: Equatable {
        /// Name, request, state and time, in four rows.
        case full
        /// Name, state and time, in narrower ones.
        case small
    }

    let form: Form
    let layout: ChainLayout
    let gaps: [ChainGap]
    /// The columns of every box.
    let boxColumns: Int
    /// The columns for a name on the lines of each gap.
    let nameColumns: Int

    /// `names` are the columns that the longest name on a line takes.
    init?(_ layout: ChainLayout, in area: Rect, names wanted: Int = 0) {
        guard layout.columns > 0, layout.columns * 12 <= area.columns else { return nil }
        let gaps = (0..<(layout.columns - 1)).map { ChainGap(after: $0, in: layout) }
        // Of steps in a row a list says more than small boxes.
        let forms: [Form] = layout.rows > 1 ? [.full, .small] : [.full]
        guard let form = forms.first(where: { $0.fits(layout, gaps, area) }) else { return nil }
        self.layout = layout
        self.gaps = gaps
        self.form = form
        // Boxes that say enough come first, then whole names, then boxes that say all.
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

    /// The rows of all.
    var rows: Int { layout.rows * Self.boxRows }

    /// Where a column begins, from the left of all.
    func start(of column: Int) -> Int {
        gaps[..<column].reduce(column * (boxColumns + nameColumns)) { $0 + $1.width }
    }

    /// The row on which lines reach the boxes of a row.
    func line(of row: Int) -> Int { row * Self.boxRows + 1 }

    /// A step's box, from the left above of all.
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
    /// What is said in words below the boxes takes as many rows at least.
    private static let wordRows = 4

    /// The columns of a box that says enough, and of one that says all.
    var boxes: ClosedRange<Int> { self == .full ? 22...32 : 12...20 }

    /// The columns for a name on a line.
    var names: ClosedRange<Int> { self == .full ? 3...24 : 0...3 }

    func fits(_ layout: ChainLayout, _ gaps: [ChainGap], _ area: Rect) -> Bool {
        let columns =
            layout.columns * boxes.lowerBound + gaps.reduce(0) { $0 + $1.width + names.lowerBound }
        return columns <= area.columns
            && layout.rows * ChainGeometry.boxRows + Self.wordRows <= area.rows
    }
}
