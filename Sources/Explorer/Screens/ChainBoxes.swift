import Apus
import Terminal

/// The steps of a chain as boxes joined by arrows, each to the right of all that it needs.
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
    /// The step that was chosen; nil where the keys go elsewhere.
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
        let state = StepState(step: step, now: now, look: look)
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
            grid.draw(short, x: inside.x, y: inside.y, width: inside.columns, cut: .end)
        }
        drawDetail(state, in: inside.row(1), into: &grid)
    }

    /// In a box the time stands in the second row.
    private func sign(of state: StepState) -> StyledText {
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
        let used = grid.draw(tag.text, x: x, y: y, width: width, style: look[tag.scope]) + 1
        grid.draw(
            words[1],
            x: x + used,
            y: y,
            width: max(0, width - used),
            style: look[.text],
            cut: .middle
        )
    }

    private func drawDetail(_ state: StepState, in row: Rect, into grid: inout Grid) {
        guard case .running = state.step.state else {
            grid.draw(state.detail, x: row.x, y: row.y, width: row.columns, cut: .end)
            return
        }
        let time = state.detail
        let gauge = row.inset(right: time.columns + 1)
        Gauge.drawUnknown(phase: now.motionPhase, in: gauge, into: &grid, look: look)
        grid.draw(time, x: row.maxX - time.columns, y: row.y, width: time.columns)
    }
}
