import Terminal

/// The steps of a chain in a row: `register 201 ✓ ─▶ verify 200 ✓ ─▶ profile ⠋ 0.3 s`.
struct ChainLine {
    let steps: [ChainRunState.Step]
    let now: Duration
    let look: Look

    func draw(in row: Rect, into grid: inout Grid) {
        guard !row.isEmpty else { return }
        // Where not all fit, those before the one that counts are left out.
        var first = 0
        while first < current, columns(from: first) > row.columns { first += 1 }
        grid.draw(line(from: first), x: row.x, y: row.y, width: row.columns, cut: .end)
    }

    /// The step that runs or failed; else the last.
    private var current: Int {
        steps.firstIndex {
            switch $0.state {
            case .running, .failed: true
            case .waiting, .done, .skipped: false
            }
        } ?? max(0, steps.count - 1)
    }

    private func columns(from first: Int) -> Int { line(from: first).columns }

    private func line(from first: Int) -> StyledText {
        var line = StyledText()
        let arrow = " \(look.arrow(columns: 2)) "
        if first > 0 {
            line.append("\(first) \(look.symbols.check)\(arrow)", look[.chainDone])
        }
        for (index, step) in steps.enumerated().dropFirst(first) {
            if index > first { line.append(arrow, look[.textMuted]) }
            line.append(step.name, look[step.isReached ? .text : .textMuted])
            let state = StepState(step: step, now: now, look: look)
            line.append(" ", look[.text])
            line.append(state.short)
        }
        return line
    }
}
