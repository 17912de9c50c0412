import Apus
import Terminal
import TreeView

/// The steps of a chain as boxes joined by arrows, each to the right of all steps that it needs.
///
/// ```
/// ╭ register ─────────────╮        ╭ verify ───────────────╮
/// │ POST /users     201 ✓ │─id──┬─▶│ POST /verify    200 ✓ │
/// │ 48 ms                 │ 7   │  │ 12 ms                 │
/// ╰───────────────────────╯     │  ╰───────────────────────╯
/// ```
struct ChainBoxes {
    let geometry: ChainGeometry
    let steps: [ChainRunState.Step]
    /// The selected step; nil if the pane does not have the focus.
    let selected: Int?
    let now: Duration
    let look: Look

    func draw(in area: Rect, into grid: inout Grid) {
        ChainEdges(geometry: geometry, steps: steps, look: look).draw(in: area, into: &grid)
        for node in geometry.layout.nodes where steps.indices.contains(node.step) {
            let box = geometry.box(of: node)
            let place = Rect(
                x: area.x + box.x,
                y: area.y + box.y,
                columns: box.columns,
                rows: box.rows
            )
            draw(node.step, in: place, into: &grid)
        }
    }

    private func draw(_ index: Int, in box: Rect, into grid: inout Grid) {
        let step = steps[index]
        let state = ChainStepLabel(step: step, now: now, look: look)
        let isRunning = if case .running = step.state { true } else { false }
        let mark = index == selected ? "\(look.symbols.foldClosed) " : ""
        let inside = Frame(
            title: StyledText(mark + step.name, look[state.scope]),
            isFocused: selected.map { $0 == index } ?? isRunning
        ).draw(in: box, into: &grid, look: look).inset(left: 1, right: 1)
        let short = sign(of: state)
        switch geometry.form {
        case .full:
            let room = inside.columns - short.columns - 1
            drawTitle(step.title, x: inside.x, y: inside.y, width: room, into: &grid)
            grid.draw(short, x: inside.maxX - short.columns, y: inside.y, width: short.columns)
        case .small:
            grid.draw(short, in: inside)
        }
        drawDetail(state, in: inside.row(1), into: &grid)
    }

    /// The status of a step; while it runs, only the spinner, because a box has the time in its second row.
    private func sign(of state: ChainStepLabel) -> StyledText {
        guard case .running = state.step.state else { return state.short }
        return StyledText(look.spinner(at: now), look[.chainRunning])
    }

    private func drawTitle(
        _ title: String,
        x: Int,
        y: Int,
        width: Int,
        into grid: inout Grid
    ) {
        let words = title.split(separator: " ", maxSplits: 1)
        guard words.count == 2 else {
            grid.draw(title, x: x, y: y, width: width, style: look[.text], cut: .end)
            return
        }
        let tag = MethodTag(String(words[0]))
        let isRoomy = tag.full.count + 1 + TextWidth.columns(of: String(words[1])) <= width
        let text = isRoomy ? tag.full : tag.text
        let used = grid.draw(text, x: x, y: y, width: width, style: look[tag.scope]) + 1
        grid.draw(
            words[1],
            x: x + used,
            y: y,
            width: max(0, width - used),
            style: look[.text],
            cut: .middle
        )
    }

    private func drawDetail(_ state: ChainStepLabel, in row: Rect, into grid: inout Grid) {
        guard case .running = state.step.state else {
            grid.draw(state.detail, in: row)
            return
        }
        let time = state.detail
        let gauge = row.inset(right: time.columns + 1)
        Gauge.drawUnknown(phase: now.motionPhase, in: gauge, into: &grid, look: look)
        grid.draw(time, x: row.maxX - time.columns, y: row.y, width: time.columns)
    }
}

/// The lines between the boxes of a chain; those to steps that have started are drawn in another style.
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
            draw(edge, on: &all)
            if steps[edge.to].isReached { draw(edge, on: &gone) }
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

    private func draw(_ edge: ChainLayout.Edge, on canvas: inout BoxCanvas) {
        let first = geometry.layout.nodes[edge.from].column
        for (offset, row) in edge.rows.dropLast().enumerated() {
            let column = first + offset
            let gap = geometry.gaps[column]
            let start = geometry.start(of: column) + geometry.boxColumns
            let end = start + geometry.nameColumns + gap.width - 1
            let y = geometry.line(of: row)
            if offset > 0 {
                // There is no step here, so the line passes through.
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

    /// Draws `──id──▶`, and the captured value below it.
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
    /// The line with some directions, numbered as by `BoxCanvas`.
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
