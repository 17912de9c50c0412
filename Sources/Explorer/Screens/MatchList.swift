import Documents
import Terminal

/// The values of a query alone: where each is, and what it is.
struct MatchList {
    let body: BodyDocument
    let query: QueryFindings
    let list: ListScroll
    let isFocused: Bool
    let isPadded: Bool
    let look: Look

    func draw(in area: Rect, into grid: inout Grid) {
        guard !area.isEmpty, let document = body.document else { return }
        var list = list
        list.update(count: query.nodes.count, height: area.rows)
        let inside = isPadded ? area.inset(left: 1, right: 1) : area
        let limit = max(8, inside.columns * 3 / 5)
        let nodes = query.nodes[list.visible]
        let paths = nodes.map { node in
            let path = document.dottedPath(of: node, maximumLength: limit * 2)
            return TextWidth.cut(path, to: limit, .start, ellipsis: look.symbols.ellipsis)
        }
        let widest = paths.map { TextWidth.columns(of: $0) }.max() ?? 0
        let valueColumn = (widest + 3) / 4 * 4 + 2
        for (line, (node, path)) in zip(nodes, paths).enumerated() {
            let row = inside.row(line)
            grid.draw(path, x: row.x, y: row.y, width: row.columns, style: look[.treeKey])
            let room = row.columns - valueColumn
            grid.draw(
                document.valueText(of: node, limit: max(16, room * 4)).line(look),
                x: row.x + valueColumn,
                y: row.y,
                width: max(0, room),
                cut: .end
            )
        }
        if isFocused, !nodes.isEmpty {
            let row = area.row(list.selection - list.offset)
            grid.overlay(row, .selection, theme: look.theme)
        }
        guard isPadded else { return }
        Scrollbar.draw(
            offset: list.offset,
            visible: area.rows,
            total: query.nodes.count,
            in: Rect(x: area.maxX, y: area.y, columns: 1, rows: area.rows),
            into: &grid,
            look: look,
            style: look[isFocused ? .borderFocused : .border]
        )
    }
}

extension Document {
    /// A value for a row; no more than `limit` bytes of it are read.
    fileprivate func valueText(of node: NodeIndex, limit: Int) -> ValueText {
        let kind = kind(of: node)
        if kind.isContainer {
            return ValueText(
                kind: kind,
                childCount: childCount(of: node),
                isIncomplete: isIncomplete(node)
            )
        }
        let range = valueRange(of: node)
        let text = bytes.string(in: range.prefix(limit))
        return ValueText(kind: kind, text: text, isCut: range.count > limit)
    }
}
