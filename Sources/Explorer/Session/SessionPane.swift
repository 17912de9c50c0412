import Apus
import Documents
import FoundationEssentials
import Recordings
import Terminal
import TreeView

/// Runs and recorded exchanges, a row for each: those that run first, then back to the first day.
struct SessionPane: ScreenView {
    let context: ScreenContext

    private var isFocused: Bool { model.panes.focus == .progress }
    private var session: SessionList { model.session }

    /// Draws it; returns the position of the text cursor; nil if nothing is typed here.
    func draw(into grid: inout Grid) -> Point? {
        let pane = layout.progress
        guard !pane.isEmpty else { return nil }
        let inside = drawFrame(in: pane, into: &grid)
        let cursor = FilterLine(
            filter: session.filter,
            isFramed: layout.progressIsFramed,
            look: look
        ).draw(in: pane, into: &grid)
        if session.lines.isEmpty {
            drawWords(in: inside.inset(left: 1, right: layout.isFramed ? 1 : 0), into: &grid)
        } else {
            drawLines(in: inside, into: &grid)
        }
        return cursor
    }

    private func drawWords(in area: Rect, into grid: inout Grid) {
        if let problem = session.filterProblem {
            Paragraph(problem.asSentence, look[.error]).draw(in: area, into: &grid)
            return
        }
        guard session.isEmpty || !model.session.hasHistory else { return }
        let text =
            session.filter == nil
            ? "Nothing has run yet. Requests show their progress here."
            : "Nothing in the history matches the filter. Esc clears it."
        grid.draw(text, in: area, style: look[.textMuted])
    }

    private func drawLines(in area: Rect, into grid: inout Grid) {
        var scroll = session.scroll
        scroll.update(count: session.lines.count, height: area.rows)
        let shown = scroll.visible.map { session.lines[$0] }
        let inset = layout.isFramed ? 2 : 1
        let columns = SessionColumns(
            width: area.columns - inset,
            model.session.hasHistory ? shown : nil
        )
        let days = DayNames(now: model.clock.now.wall, zone: model.clock.zone)
        let longest = shown.compactMap(barTime).max() ?? .zero
        for (line, index) in scroll.visible.enumerated() {
            let row = area.row(line)
            SessionRow(
                context: context,
                line: session.lines[index],
                columns: columns,
                days: days,
                longest: longest
            ).draw(in: row.inset(left: 1, right: inset - 1), into: &grid)
            if index == scroll.selection, isFocused {
                grid.overlay(row, .selection, theme: look.theme)
            }
        }
        if isFocused, layout.progressIsFramed, session.lines.count > area.rows {
            Scrollbar.draw(
                scroll.visible,
                of: session.lines.count,
                beside: area,
                isFocused: true,
                into: &grid,
                look: look
            )
        }
    }

    /// The time that a line's bar shows; nil if the line has no bar.
    private func barTime(of line: SessionList.Line) -> Duration? {
        switch line {
        case .entry(.exchange(let exchange)), .part(let exchange):
            return exchange.phases == nil || exchange.errorCode != nil ? nil : exchange.duration
        case .run(let id):
            guard case .single(let single)? = model.runs[id]?.state else { return nil }
            return single.duration ?? single.metrics?.phases.total
        case .day, .entry(.run): return nil
        }
    }

    private func drawFrame(in pane: Rect, into grid: inout Grid) -> Rect {
        let hasTitle = layout.progressIsFramed || !layout.isFramed
        // Among framed panes, a session without a frame has no title either.
        guard hasTitle else { return pane }
        let frame = PaneFrame(
            title: title,
            trailing: StyledText(tally, look[.textMuted]),
            foot: session.filter == nil ? foot : StyledText(),
            isFocused: isFocused,
            isFramed: layout.progressIsFramed
        )
        return frame.draw(in: pane, into: &grid, look: look)
    }

    private var title: [StyledText] {
        let name = model.session.hasHistory ? "Session" : "Progress"
        var pieces = [StyledText(name, look[isFocused ? .paneTitleFocused : .paneTitle])]
        if let sessionStatus = model.session.status {
            pieces.append(
                StyledText("\(look.symbols.recording) \(sessionStatus.name)", look[.error])
            )
        }
        if let watched = model.sharing.watched {
            pieces.append(
                watched.problem == nil
                    ? StyledText("watching \(watched.name)", look[.textAccent])
                    : StyledText(
                        "\(look.symbols.crossMark) waiting for \(watched.name)",
                        look[.warning]
                    )
            )
        }
        return pieces
    }

    private var tally: String {
        let running = model.runs.runningCount
        let ended = model.runs.endedCount
        let pieces = [
            running > 0 ? "\(Readable.count(running)) running" : nil,
            ended > 0 ? "\(Readable.count(ended)) done" : nil,
        ]
        return pieces.compactMap(\.self).joined(separator: look.separator)
    }

    /// The note of the exchange under the cursor, and where its time went.
    private var foot: StyledText {
        guard isFocused, let exchange = session.selectedExchange else { return StyledText() }
        let phases = exchange.phases.map { TransferPhase.parts(of: $0) } ?? []
        let texts =
            [exchange.note.map { "\u{201C}\($0)\u{201D}" }].compactMap(\.self)
            + phases.map { "\($0.name) \(Readable.duration($0.duration))" }
        return StyledText(texts.joined(separator: look.separator), look[.textMuted])
    }
}

/// The columns of the rows of the session, for a width.
///
/// ```
/// ● 15:22:36  local    GET   /users/7          200  ▏▒▒▒▒██▏            1.4 ms    416 B
/// mark, time  place    tag   target            status, bar              duration  size
/// ```
struct SessionColumns: Equatable {
    /// The widths; 0 if there is no room for a column.
    var mark = 0
    var time = 0
    var place = 0
    /// The columns after those, which are the same as for runs of this program.
    var rest: ProgressColumns
    var duration = 0
    var size = 0
    var bar = 0

    static let status = 5

    /// The columns for lines of the history; nil for runs only.
    init(width: Int, _ lines: [SessionList.Line]?) {
        guard let lines else {
            rest = ProgressColumns(width: width)
            return
        }
        mark = 2
        time = width >= 60 ? 10 : width >= 44 ? 7 : 0
        if width >= 84 {
            let widest = lines.map { TextWidth.columns(of: $0.environment ?? "") }.max() ?? 0
            place = widest == 0 ? 0 : min(12, widest) + 2
        }
        let left = width - mark - time - place
        rest = ProgressColumns(width: left)
        duration = left >= 34 ? 8 : 0
        size = left >= 56 ? 9 : 0
        let room = left - rest.gaugeStart - Self.status - duration - size
        bar = left >= 60 ? min(40, max(0, room - 2)) : 0
        if bar < 6 { bar = 0 }
    }

    /// Where the tag begins.
    var start: Int { mark + time + place }
}

extension SessionList.Line {
    /// The environment in which it was sent.
    var environment: String? {
        switch self {
        case .run, .day: nil
        case .entry(.exchange(let exchange)), .part(let exchange): exchange.origin.environment
        case .entry(.run(let run)): run.environment
        }
    }
}
