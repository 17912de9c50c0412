import Apus
import Documents
import Terminal

/// What the cache holds, or what the server said: a title with where it is from
/// and how old, a row of facts, the body, and why it is so.
///
/// ```
/// ╭─ Cache · disk · 4 min old ─────── 200 ╮
/// │ fresh ▰▰▱▱▱▱▱▱ 58 s left       1.2 kB │  facts
/// │ words about a failure, if there is one│
/// │ body                                  │
/// ╰─ path.of.the.cursor ── stored on disk ╯
/// ```
struct AnswerPane {
    /// Whose answer it is.
    let side: PaneSide
    let model: Model
    let layout: Layout
    let look: Look

    private var view: TargetView? { model.selectedView }
    var pane: ResponsePane {
        (side == .cache ? view?.cache : view?.server) ?? ResponsePane()
    }
    var isFocused: Bool { model.focus == (side == .cache ? .cache : .server) }

    /// The rows of the body: what `Layout.body(of:)` says, less the words about a failure.
    static func bodyRect(of pane: ResponsePane, in rect: Rect, layout: Layout) -> Rect {
        let body = layout.body(of: rect)
        return body.inset(top: headRows(of: pane, in: body, layout: layout))
    }

    /// Draws it; returns where the text cursor stands while something is typed.
    func draw(in rect: Rect, into grid: inout Grid) -> Point? {
        guard !rect.isEmpty else { return nil }
        let titles = AnswerTitle(pane: self, columns: rect.columns)
        let frame = PaneFrame(
            title: titles.title,
            trailing: titles.trailing,
            foot: titles.foot,
            footTrailing: titles.footTrailing,
            isFocused: isFocused,
            isFramed: layout.isFramed
        )
        let inside = frame.draw(in: rect, into: &grid, look: look)
        if layout.showsFacts(in: rect) {
            AnswerFacts(pane: self).draw(in: padded(inside.row(0)), into: &grid)
        }
        let area = layout.body(of: rect)
        guard pane.response == nil || isFailed else {
            return drawBody(in: rect, into: &grid)
        }
        drawWords(in: area, into: &grid)
        return isFailed ? drawBody(in: rect, into: &grid) : nil
    }

    /// The path of what is under the cursor.
    var path: String? {
        guard let comparison = model.comparison, comparison.rows != nil else {
            return pane.tree.currentPath
        }
        return comparison.node(in: side).flatMap { pane.tree.body?.document?.dottedPath(of: $0) }
    }

    private var isFailed: Bool {
        if case .failed = pane.content { true } else { false }
    }

    func padded(_ rect: Rect) -> Rect {
        layout.isFramed ? rect.inset(left: 1, right: 1) : rect
    }

    /// What the pane says when there is no answer, or only a part of one.
    private func drawWords(in area: Rect, into grid: inout Grid) {
        let room = padded(area)
        let words = AnswerWords(pane: self)
        if case .waiting = pane.content {
            words.drawWaiting(in: room, into: &grid)
            return
        }
        let limit = Self.headRows(of: pane, in: area, layout: layout)
        let rows = isFailed ? room.inset(bottom: room.rows - max(1, limit)) : room
        words.paragraph.draw(in: rows, into: &grid)
    }

    private func drawBody(in rect: Rect, into grid: inout Grid) -> Point? {
        let area = Self.bodyRect(of: pane, in: rect, layout: layout)
        if let problem = pane.bodyProblem {
            Paragraph(parts: [.init(text: problem, style: look[.error])])
                .draw(in: padded(area), into: &grid)
        } else if let comparison = model.comparison, !pane.tree.isTyping {
            ComparedRows(
                comparison: comparison,
                pane: pane.tree,
                side: side,
                isAlone: layout.showsOneAnswer,
                isFocused: isFocused,
                isPadded: layout.isFramed,
                now: model.now.uptime,
                look: look
            ).draw(in: area, into: &grid)
        } else if pane.tree.body != nil {
            return TreePaneView(
                pane: pane.tree,
                isFocused: isFocused,
                isPadded: layout.isFramed,
                now: model.now.uptime,
                look: look
            ).draw(in: area, into: &grid)
        } else if let response = pane.response, !isFailed || !response.body.isEmpty {
            Paragraph(parts: [.init(text: text(without: response), style: look[.textMuted])])
                .draw(in: padded(area), into: &grid)
        }
        return nil
    }

    /// What stands where a body would: that there is none, or that it is being opened.
    private func text(without response: Response) -> String {
        if response.body.isEmpty { return "The answer has no body." }
        // A small one is there in the next frame: words would only flicker.
        guard response.body.count > 1_000_000 else { return "" }
        return "opening \(Readable.bytes(response.body.count))\(look.symbols.ellipsis)"
    }

    /// The rows that words about a failure take above a partial body.
    private static func headRows(of pane: ResponsePane, in body: Rect, layout: Layout) -> Int {
        guard case .failed(let error) = pane.content else { return 0 }
        let columns = body.columns - (layout.isFramed ? 2 : 0)
        let rows = AnswerWords.texts(of: error)
            .reduce(0) { $0 + Paragraph.wrap($1, columns: columns).count }
        // Where both do not fit, each has a half.
        guard pane.tree.body != nil else { return min(rows, body.rows) }
        return min(rows + 1, max(1, body.rows / 2))
    }
}
