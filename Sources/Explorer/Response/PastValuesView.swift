import Apus
import Documents
import Recordings
import Terminal
import TreeView

/// A value in earlier responses: its numbers as a chart, then a row for each response.
struct PastValuesView: ScreenView {
    let context: ScreenContext
    let past: PastValues

    func draw(in pane: Rect, into grid: inout Grid) {
        guard !pane.isEmpty else { return }
        let place = past.values.isEmpty ? "" : "\(past.scroll.selection + 1) of \(count)"
        PaneFrame(
            title: [
                StyledText("Over time", look[.paneTitleFocused]),
                StyledText(past.shownPath, look[.title]),
            ],
            trailing: StyledText(place, look[.textMuted]),
            isFocused: true,
            isFramed: layout.isFramed
        ).draw(in: pane, into: &grid, look: look)
        let area = pane.textArea(isFramed: layout.isFramed)
        drawSum(in: area, into: &grid)
        drawValues(in: area.inset(top: PastValues.headRows), into: &grid)
    }

    private var count: String {
        Readable.count(past.values.count) + (past.isWhole ? "" : "\(look.symbols.ellipsis)")
    }

    /// Draws the numbers as a chart, their range, and how often the value changed.
    private func drawSum(in area: Rect, into grid: inout Grid) {
        let numbers = past.numbers
        var pieces: [StyledText] = []
        if let range = past.range, numbers.count > 1 {
            let columns = min(numbers.count, area.columns / 3)
            // The least number is the lowest bar, so the scale does not begin at 0.
            let spread = range.most - range.least
            let heights = numbers.map {
                spread > 0 ? 0.15 + 0.85 * ($0 - range.least) / spread : 0.5
            }
            Sparkline.draw(
                heights,
                in: Rect(x: area.x, y: area.y, columns: columns, rows: 1),
                into: &grid,
                look: look,
                style: look[.gaugeFill]
            )
            for (name, value) in [
                ("min", range.least), ("median", range.median), ("max", range.most),
            ] {
                var piece = StyledText("\(name) ", look[.textMuted])
                piece.append(Self.text(of: value), look[.treeNumber])
                pieces.append(piece)
            }
            let rest = area.inset(left: columns + 2)
            draw(pieces + [changes], in: rest, into: &grid)
        } else {
            draw([changes], in: area, into: &grid)
        }
    }

    private func draw(_ pieces: [StyledText], in row: Rect, into grid: inout Grid) {
        FittingLine(leading: pieces, gap: StyledText("  ", look[.textMuted]))
            .draw(in: row, into: &grid)
    }

    private var changes: StyledText {
        guard !past.values.isEmpty else {
            let text =
                past.isWhole ? "No response has been recorded." : "looking through the responses"
            return StyledText(text, look[.textMuted])
        }
        let changes = past.changeCount
        let text =
            switch changes {
            case 0: "never changed"
            case 1: "1 change"
            default: "\(Readable.count(changes)) changes"
            }
        return StyledText("\(text) in \(count) responses", look[.textMuted])
    }

    private static func text(of number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : String(number)
    }

    private func drawValues(in area: Rect, into grid: inout Grid) {
        var scroll = past.scroll
        scroll.update(count: past.values.count, height: area.rows)
        let days = DayNames(now: model.clock.now.wall, zone: model.clock.zone)
        for (line, index) in scroll.visible.enumerated() {
            let value = past.values[index]
            let row = area.row(line)
            let isChange = past.isChange(at: index)
            if isChange {
                grid.put(look.symbols.tilde, x: row.x, y: row.y, style: look[.diffChanged])
            }
            let time = TextWidth.padded(days.time(of: value.exchange.started), to: 18)
            grid.draw(time, in: row.inset(left: 2), style: look[.textMuted])
            let plain: Scope = value.number == nil ? .treeString : .treeNumber
            let style = value.text == nil ? .textMuted : isChange ? .diffChanged : plain
            let missing =
                value.exchange.status.map { "not in this response (\($0))" } ?? "no response"
            grid.draw(
                value.text ?? missing,
                in: row.inset(left: 21),
                style: look[style]
            )
            if index == scroll.selection { grid.overlay(row, .selection, theme: look.theme) }
        }
    }
}
