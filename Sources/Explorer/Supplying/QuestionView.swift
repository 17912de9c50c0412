import Terminal
import TreeView
import Workspaces

/// A question over the panes: what is asked for, and a line to type it or the values to choose from; or the commands
/// that want to run.
struct QuestionView {
    let question: QuestionLayer
    let size: Size
    let look: Look

    /// The most rows of a text before what is typed or chosen.
    private static let textRows = 6

    /// Draws it; returns the position of the text cursor.
    func draw(into grid: inout Grid) -> Point? {
        let picker = PickerLayout(size: size)
        let columns = picker.frame.textArea(isFramed: picker.isFramed).columns
        let text = lines(columns: columns)
        let rows = text.count + 1 + max(1, bodyRows(columns: columns))
        let frame = Rect(
            x: picker.frame.x,
            y: picker.frame.y,
            columns: picker.frame.columns,
            rows: picker.isFramed ? min(picker.frame.rows, rows + 2) : picker.frame.rows
        )
        grid.fill(frame, style: look[.text])
        PaneFrame(
            title: [StyledText(title, look[.paneTitleFocused])],
            trailing: StyledText("", look[.textMuted]),
            isFocused: true,
            isFramed: picker.isFramed
        ).draw(in: frame, into: &grid, look: look)
        let inside = frame.textArea(isFramed: picker.isFramed)
        for (index, line) in text.enumerated() where index < inside.rows {
            grid.draw(line, in: inside.row(index), style: look[.text])
        }
        return drawBody(in: inside.inset(top: text.count + 1), into: &grid)
    }

    private var title: String {
        switch question.asked {
        case .value(let value): value.name
        case .commands: "Run these commands?"
        }
    }

    private func lines(columns: Int) -> [String] {
        let text =
            switch question.asked {
            case .value(let value): value.text
            case .commands(_, let workspace):
                """
                \(workspace) takes values from commands. They run with all that you may do; they are asked for again \
                if one of them changes.
                """
            }
        return Paragraph.wrap(text, columns: columns, rows: Self.textRows)
    }

    private func bodyRows(columns: Int) -> Int {
        switch question.asked {
        case .value(let value): value.choices.count
        case .commands(let commands, _): Self.rows(of: commands, columns: columns).count
        }
    }

    private static func rows(of commands: [ShellCommand], columns: Int) -> [String] {
        commands.flatMap { command in
            // A command that is cut could hide what it does.
            Paragraph.wrap("$ \(command.text)", columns: columns, rows: .max)
        }
    }

    private func drawBody(in area: Rect, into grid: inout Grid) -> Point? {
        switch question.asked {
        case .value(let value) where value.choices.isEmpty:
            return question.field.draw(in: area.row(0), into: &grid, look: look, isFocused: true)
        case .value(let value):
            var scroll = question.scroll
            scroll.update(count: value.choices.count, height: area.rows)
            for (line, index) in scroll.visible.enumerated() {
                grid.draw(value.choices[index], in: area.row(line), style: look[.text])
                if index == scroll.selection {
                    grid.overlay(area.row(line), .selection, theme: look.theme)
                }
            }
        case .commands(let commands, _):
            let rows = Self.rows(of: commands, columns: area.columns)
            let first = min(question.scroll.selection, max(0, rows.count - area.rows))
            for (line, row) in rows[first...].prefix(area.rows).enumerated() {
                grid.draw(row, in: area.row(line), style: look[.key])
            }
        }
        return nil
    }
}
