import Documents
import Terminal
import TreeView

/// A line of the request pane: mark, name, value and remark.
struct RequestLineView {
    let nameColumns: Int
    let isPreview: Bool
    /// The text that is searched for; empty if there is no search.
    let needle: String
    let look: Look

    private static let markColumns = 2
    private static let step = 2

    /// The width of the widest name, and a gap.
    static func nameColumns(_ lines: ArraySlice<RequestLine>, columns: Int) -> Int {
        let limit = max(8, columns * 2 / 5)
        let widest = lines.reduce(0) { widest, line in
            let name = line.depth * step + TextWidth.columns(of: line.name)
            return name <= limit ? max(widest, name) : widest
        }
        return widest == 0 ? 0 : TreeRowView.valueColumn(after: widest)
    }

    func draw(_ line: RequestLine, in row: Rect, into grid: inout Grid) {
        if case .note = line.subject, line.name.isEmpty {
            drawNote(look.shown(masked: line.value), in: row, into: &grid)
            return
        }
        if let mark = line.mark { grid.draw(sign(mark), in: row, style: style(mark)) }
        let value = drawName(line, in: row, into: &grid)
        let style = line.mark == .removed ? look[.diffRemoved] : valueStyle(line)
        let remark = look.shown(masked: line.remark)
        let room = TextWidth.columns(of: remark)
        // The remark is left out before the value is hidden.
        let leaves = !remark.isEmpty && value.columns >= 24
        let most = max(value.columns / 2, value.columns - room - 3)
        let columns = grid.draw(
            look.shown(masked: line.value),
            in: leaves ? value.first(most) : value,
            style: style
        )
        guard leaves else { return }
        grid.draw(
            remark,
            endingAt: value.maxX,
            y: row.y,
            width: value.columns - columns - 3,
            style: look[.textMuted]
        )
    }

    private func drawNote(_ text: String, in row: Rect, into grid: inout Grid) {
        guard isPreview else {
            grid.draw(text, in: row, style: look[.textMuted])
            return
        }
        let colon = text.firstIndex(of: ":")
        let name = colon.map { text[..<$0] } ?? ""
        guard let colon, !name.isEmpty, !name.contains(where: { " \"{}[]".contains($0) }) else {
            grid.draw(text, in: row, style: look[.text])
            return
        }
        let used = grid.draw(name, in: row, style: look[.treeKey])
        grid.draw(text[colon...], in: row.inset(left: used), style: look[.text])
    }

    /// Draws the name; returns the room for the value.
    private func drawName(_ line: RequestLine, in row: Rect, into grid: inout Grid) -> Rect {
        let name = namePlace(line, in: row)
        drawFold(line, before: name, into: &grid)
        let style =
            line.mark == .removed
            ? look[.diffRemoved] : look[line.mark == nil ? .treeKey : .diffChanged]
        grid.draw(line.name, in: name, style: style)
        return valuePlace(line, in: row)
    }

    private func namePlace(_ line: RequestLine, in row: Rect) -> Rect {
        let start = row.inset(left: Self.markColumns + line.depth * Self.step)
        return start.first(max(4, start.columns * 2 / 3))
    }

    private func valuePlace(_ line: RequestLine, in row: Rect) -> Rect {
        let name = namePlace(line, in: row)
        guard !line.name.isEmpty else { return row.from(x: name.x) }
        let used = min(TextWidth.columns(of: line.name), name.columns)
        return row.from(x: max(row.x + Self.markColumns + nameColumns, name.x + used + 2))
    }

    private func drawFold(_ line: RequestLine, before name: Rect, into grid: inout Grid) {
        // The mark of the outermost value is in the same place.
        guard line.fold != .leaf, line.depth > 0 || line.mark == nil else { return }
        let symbols = look.symbols
        let sign = line.fold == .open ? symbols.foldOpen : symbols.foldClosed
        grid.put(sign, x: name.x - Self.step, y: name.y, style: look[.treeFold])
    }

    /// Highlights the matches in a line.
    func markFound(_ line: RequestLine, in row: Rect, isCurrent: Bool, into grid: inout Grid) {
        guard !needle.isEmpty else { return }
        let overlay: Overlay = isCurrent ? .matchCurrent : .match
        let isNote = if case .note = line.subject { line.name.isEmpty } else { false }
        for (text, place) in [
            (line.name, namePlace(line, in: row)),
            (look.shown(masked: line.value), isNote ? row : valuePlace(line, in: row)),
        ] {
            let found = text.places(of: needle, limit: row.columns)
            grid.overlay(found, of: text, at: place, overlay, theme: look.theme)
        }
    }

    /// Draws a line that is typed in; returns the position of the text cursor.
    func draw(
        _ field: RequestField,
        _ line: RequestLine?,
        in row: Rect,
        into grid: inout Grid
    ) -> Point? {
        let mark: RequestLine.Mark = field.isNew ? .added : .changed
        grid.draw(sign(mark), in: row, style: style(mark))
        guard field.hasName else {
            let value =
                line.map { drawName($0, in: row, into: &grid) } ?? row.inset(left: Self.markColumns)
            return field.value.draw(in: value, into: &grid, look: look, isFocused: true)
        }
        let start = row.inset(left: Self.markColumns)
        let columns = max(nameColumns, min(24, start.columns / 2))
        let names = start.first(columns - 1)
        let values = start.inset(left: columns)
        let inName = field.name.draw(
            in: names,
            into: &grid,
            look: look,
            isFocused: field.part == .name
        )
        let inValue = field.value.draw(
            in: values,
            into: &grid,
            look: look,
            isFocused: field.part == .value
        )
        return inName ?? inValue
    }

    private func sign(_ mark: RequestLine.Mark) -> String {
        switch mark {
        case .added: "+"
        case .removed: "-"
        case .changed: "~"
        }
    }

    private func style(_ mark: RequestLine.Mark) -> StyleID {
        switch mark {
        case .added: look[.diffAdded]
        case .removed: look[.diffRemoved]
        case .changed: look[.diffChanged]
        }
    }

    private func valueStyle(_ line: RequestLine) -> StyleID {
        switch line.kind {
        case .string: look[.treeString]
        case .integer, .decimal: look[.treeNumber]
        case .true, .false: look[.treeBoolean]
        case .null: look[.treeNull]
        case .object, .array: look[.treeCount]
        case nil: look[.text]
        }
    }
}
