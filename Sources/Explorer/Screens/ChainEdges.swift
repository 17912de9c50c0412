import Apus
import Terminal

/// The lines between the boxes of a drawn chain, those that were gone along told from the others.
struct ChainEdges {
    let geometry: ChainGeometry
    let steps: [ChainRunState.Step]
    let look: Look

    func draw(in area: Rect, into grid: inout Grid) {
        let columns = geometry.start(of: geometry.layout.columns - 1)
        guard columns > 0 else { return }
        var all = BoxCanvas(columns: columns, rows: geometry.rows)
        var gone = all
        for edge in geometry.layout.edges {
            add(edge, to: &all)
            if steps[edge.to].isReached { add(edge, to: &gone) }
        }
        for y in 0..<geometry.rows {
            for x in 0..<columns {
                let directions = all.directions(x: x, y: y)
                guard directions != 0 else { continue }
                let scope: Scope = gone.directions(x: x, y: y) != 0 ? .chainDone : .chainWaiting
                grid.put(
                    look.symbols.line(in: directions),
                    x: area.x + x,
                    y: area.y + y,
                    style: look[scope]
                )
            }
        }
        for edge in geometry.layout.edges { drawHead(of: edge, in: area, into: &grid) }
        for node in geometry.layout.nodes { drawName(after: node, in: area, into: &grid) }
    }

    private func add(_ edge: ChainLayout.Edge, to canvas: inout BoxCanvas) {
        let first = geometry.layout.nodes[edge.from].column
        for (offset, row) in edge.rows.dropLast().enumerated() {
            let column = first + offset
            let gap = geometry.gaps[column]
            let start = geometry.start(of: column) + geometry.boxColumns
            let end = start + geometry.nameColumns + gap.width - 1
            let y = geometry.line(of: row)
            if offset > 0 {
                // No step stands here: the line passes.
                canvas.drawLine(row: y, from: geometry.start(of: column) - 1, to: start)
            }
            guard let track = gap.lines.first(where: { $0.from == row })?.track else {
                canvas.drawLine(row: y, from: start, to: end)
                continue
            }
            let middle = start + geometry.nameColumns + 1 + track
            let next = geometry.line(of: edge.rows[offset + 1])
            canvas.drawLine(row: y, from: start, to: middle)
            canvas.drawLine(column: middle, from: min(y, next), to: max(y, next))
            canvas.drawLine(row: next, from: middle, to: end)
        }
    }

    private func drawHead(of edge: ChainLayout.Edge, in area: Rect, into grid: inout Grid) {
        let box = geometry.box(of: geometry.layout.nodes[edge.to])
        grid.put(
            look.symbols.arrowHead,
            x: area.x + box.x - 1,
            y: area.y + box.y + 1,
            style: look[steps[edge.to].isReached ? .chainDone : .chainWaiting]
        )
    }

    /// `──id──▶`, and below it what was captured.
    private func drawName(
        after node: ChainLayout.Node,
        in area: Rect,
        into grid: inout Grid
    ) {
        let room = geometry.nameColumns
        guard room > 1, let capture = steps[node.step].captures.first,
            geometry.layout.edges.contains(where: { $0.from == node.step })
        else { return }
        let box = geometry.box(of: node)
        let name = TextWidth.cut(capture.name, to: room, ellipsis: look.symbols.ellipsis)
        let (x, y) = (area.x + box.maxX + 1, area.y + box.y + 1)
        grid.draw(name, x: x, y: y, width: room, style: look[.chainDone])
        guard geometry.form == .full else { return }
        grid.draw(
            capture.value,
            x: x,
            y: y + 1,
            width: room,
            style: look[.textMuted],
            cut: .end
        )
    }
}

extension Symbols {
    /// The line that goes in some directions, as `BoxCanvas` numbers them.
    fileprivate func line(in directions: UInt8) -> Unicode.Scalar {
        switch directions & 0xF {
        case 0b0101: boxBottomRight
        case 0b0110: boxTopRight
        case 0b0111: teeRight
        case 0b1001: boxBottomLeft
        case 0b1010: boxTopLeft
        case 0b1011: teeLeft
        case 0b1101: teeUp
        case 0b1110: teeDown
        case 0b1111: cross
        case 0b0001, 0b0010, 0b0011: vertical
        default: horizontal
        }
    }
}
