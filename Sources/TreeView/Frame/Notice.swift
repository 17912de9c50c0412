package import Terminal

/// A message above the footer.
package struct Notice: Equatable, Sendable {
    /// How serious it is.
    package enum Kind: Equatable, Sendable { case information, warning, failure }
    /// How serious it is, which colors it.
    package var kind: Kind
    /// One line for people.
    package var text: String

    /// Makes a notice.
    package init(kind: Kind, text: String) { (self.kind, self.text) = (kind, text) }

    /// This notice, saying who has what was copied; unchanged if it is not about a copy.
    package func after(_ outcome: ClipboardOutcome) -> Notice {
        let copied = "copied "
        guard text.hasPrefix(copied) else { return self }
        let what = text.dropFirst(copied.count)
        switch outcome {
        case .taken(let names):
            let shown = names.map { $0 == "tmux" ? "tmux's buffer" : $0 }
            return Notice(
                kind: kind,
                text: "copied to \(shown.joined(separator: " and ")): \(what)"
            )
        case .sentToTerminal:
            // No terminal replies to OSC 52, and many ignore it.
            return Notice(
                kind: .warning,
                text: "perhaps copied \(what): only the terminal could take it"
            )
        }
    }
}

/// A notice in a row.
package struct NoticeLine {
    let notice: Notice
    let look: Look

    /// Makes the view.
    package init(
        notice: Notice,
        look: Look
    ) {
        self.notice = notice
        self.look = look
    }

    /// Draws it; if it does not fit, in up to `rows` rows, the last of which is `row`.
    package func draw(in row: Rect, growingTo rows: Int = 1, into grid: inout Grid) {
        let sign = notice.kind == .failure ? "\(look.symbols.crossMark) " : ""
        let text = sign + notice.text
        let most = min(rows, row.y + 1)
        guard TextWidth.columns(of: text) > row.columns, most > 1 else {
            grid.draw(text, in: row, style: look[scope])
            return
        }
        let lines = Paragraph.wrap(text, columns: row.columns, rows: most)
        let area = Rect(
            x: row.x,
            y: row.y - lines.count + 1,
            columns: row.columns,
            rows: lines.count
        )
        grid.fill(area, style: look[.text])
        for (index, line) in lines.enumerated() {
            grid.draw(line, in: area.row(index), style: look[scope])
        }
    }

    private var scope: Scope {
        switch notice.kind {
        case .information: .textAccent
        case .warning: .warning
        case .failure: .error
        }
    }
}
