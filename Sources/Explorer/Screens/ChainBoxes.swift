import Terminal

/// The steps of a chain as boxes joined by arrows, in as many rows as they need.
///
/// ```
/// ╭ register ─────────────╮        ╭ verify ───────────────╮
/// │ POST /users     201 ✓ │──id───▶│ POST /verify    200 ✓ │
/// │ 48 ms                 │   7    │ 12 ms                 │
/// ╰───────────────────────╯        ╰───────────────────────╯
/// ```
struct ChainBoxes {
    let steps: [ChainRunState.Step]
    let now: Duration
    let look: Look

    private static let height = 4
    private static let narrowest = 22
    private static let widest = 32
    private static let arrow = 6

    /// The rows that the boxes need; nil when they do not fit side by side.
    func rows(in area: Rect) -> Int? {
        guard !steps.isEmpty, boxColumns(in: area) >= Self.narrowest else { return nil }
        return Self.height
    }

    /// All in one row; fewer columns than this would cut what the boxes say.
    private func boxColumns(in area: Rect) -> Int {
        let arrows = Self.arrow * (steps.count - 1)
        return min(Self.widest, (area.columns - arrows) / max(1, steps.count))
    }

    func draw(in area: Rect, into grid: inout Grid) {
        let columns = boxColumns(in: area)
        for (index, step) in steps.enumerated() {
            let x = area.x + index * (columns + Self.arrow)
            let box = Rect(x: x, y: area.y, columns: columns, rows: Self.height)
            drawBox(step, in: box, into: &grid)
            guard index + 1 < steps.count else { continue }
            drawArrow(after: step, isReached: steps[index + 1].isReached, from: box, into: &grid)
        }
    }

    private func drawBox(_ step: ChainRunState.Step, in box: Rect, into grid: inout Grid) {
        let state = StepState(step: step, now: now, look: look)
        let isRunning = if case .running = step.state { true } else { false }
        let inside = Frame(
            title: StyledText(step.name, look[state.scope]),
            isFocused: isRunning
        ).draw(in: box, into: &grid, look: look).inset(left: 1, right: 1)
        let sign = sign(of: state)
        let room = inside.columns - sign.columns - 1
        drawTitle(step.title, x: inside.x, y: inside.y, width: room, into: &grid)
        grid.draw(sign, x: inside.maxX - sign.columns, y: inside.y, width: sign.columns)
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

    /// `──id──▶`, and below it what was captured.
    private func drawArrow(
        after step: ChainRunState.Step,
        isReached: Bool,
        from box: Rect,
        into grid: inout Grid
    ) {
        let style = look[isReached ? .chainDone : .chainWaiting]
        grid.draw(
            look.arrow(columns: Self.arrow),
            x: box.maxX,
            y: box.y + 1,
            width: Self.arrow,
            style: style
        )
        guard let capture = step.captures.first else { return }
        let name = TextWidth.cut(
            capture.name,
            to: Self.arrow - 3,
            ellipsis: look.symbols.ellipsis
        )
        grid.draw(name, x: box.maxX + 1, y: box.y + 1, width: Self.arrow - 3, style: style)
        grid.draw(
            capture.value,
            x: box.maxX + 1,
            y: box.y + 2,
            width: Self.arrow - 2,
            style: look[.textMuted],
            cut: .end
        )
    }
}
