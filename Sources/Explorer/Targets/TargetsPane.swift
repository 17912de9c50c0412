import Apus
import Documents
import Terminal
import TreeView
import Workspaces

/// The list at the left: groups, targets, batches and chains, with their states.
struct TargetsPane: ScreenView {
    let context: ScreenContext

    private var isFocused: Bool { model.panes.focus == .targets }
    private var list: TargetList { model.targets }

    /// Draws it; returns the position of the text cursor; nil if no filter is typed.
    func draw(into grid: inout Grid) -> Point? {
        let pane = layout.targets
        guard !pane.isEmpty else { return nil }
        let frame = PaneFrame(
            title: title,
            trailing: trailing,
            footTrailing: place,
            isFocused: isFocused && model.layers.help == nil,
            isFramed: layout.isFramed
        )
        let inside = frame.draw(in: pane, into: &grid, look: look)
        table?.drawTitles(in: rowArea(pane.row(0).inset(left: 1, right: 1)), into: &grid)
        if list.rows.isEmpty {
            Paragraph(emptyText, look[.textMuted])
                .draw(in: inside.inset(left: 1, right: 1), into: &grid)
        }
        drawRows(in: inside, into: &grid)
        return FilterLine(filter: list.filter, isFramed: layout.isFramed, look: look).draw(
            in: pane,
            into: &grid
        )
    }

    private var title: [StyledText] {
        let name = StyledText("Targets", look[isFocused ? .paneTitleFocused : .paneTitle])
        guard table != nil else { return [name] }
        return [name, StyledText(Readable.count(list.targetCount), look[.textMuted])]
    }

    /// The columns of the list; nil unless the list has the whole screen.
    private var table: TargetsTable? {
        guard layout.isFramed else { return nil }
        return TargetsTable(context)
    }

    private func rowArea(_ row: Rect) -> Rect { row.inset(left: layout.isFramed ? 1 : 0, right: 1) }

    private var trailing: StyledText {
        if table != nil { return StyledText() }
        return layout.isFramed
            ? StyledText(Readable.count(list.targetCount), look[.textMuted])
            : StyledText(model.sending.source.title(for: model.selectedSource), look[.textAccent])
    }

    /// The position of the cursor in the list; empty if all rows are visible.
    private var place: StyledText {
        guard list.filter == nil, let ordinal = list.selected?.ordinal,
            list.rows.count > layout.inside(layout.targets).rows
        else { return StyledText() }
        let text = "\(Readable.count(ordinal)) of \(Readable.count(list.targetCount))"
        return StyledText(text, look[.textMuted])
    }

    private var emptyText: String {
        guard list.filter == nil else { return "No target matches. Esc clears the filter." }
        let key = model.keys.hint(for: .newRequest, in: [.targets, .explorer])?.key ?? ":"
        return "This workspace has no requests yet. \(key) makes one."
    }

    private func drawRows(in area: Rect, into grid: inout Grid) {
        var scroll = list.scroll
        scroll.update(count: list.rows.count, height: area.rows)
        let table = table
        for (line, index) in scroll.visible.enumerated() where list.rows.indices.contains(index) {
            let row = area.row(line)
            TargetRow(context: context, row: list.rows[index], table: table)
                .draw(in: rowArea(row), into: &grid)
            if index == scroll.selection {
                grid.overlay(row, isFocused ? .selection : .selectionInactive, theme: look.theme)
            }
        }
        if layout.isFramed, list.rows.count > area.rows {
            Scrollbar.draw(
                scroll.visible,
                of: list.rows.count,
                beside: area,
                isFocused: isFocused,
                into: &grid,
                look: look
            )
        }
    }
}

/// A row of the list: method, name, and the state at the right.
struct TargetRow: ScreenView {
    let context: ScreenContext
    let row: TargetList.Row
    /// The columns after the name; nil if only the state is shown.
    var table: TargetsTable?

    /// The width of the method or sign before the name.
    private var tagColumns: Int { MethodTag.columns + 1 }

    func draw(in area: Rect, into grid: inout Grid) {
        guard !area.isEmpty else { return }
        guard let table else { return draw(in: area, state, into: &grid) }
        if case .group = row.kind { return draw(in: area, state, into: &grid) }
        draw(in: area.first(table.name - 1), StyledText(), into: &grid)
        table.draw(row, state, in: area, into: &grid)
    }

    private func draw(in area: Rect, _ state: StyledText, into grid: inout Grid) {
        let indent = min(row.depth * 2, max(0, area.columns - 12))
        let x = area.x + indent
        let stateColumns = state.columns > 0 ? state.columns + 1 : 0
        let nameX = x + drawTag(x: x, y: area.y, width: area.maxX - x, after: indent, into: &grid)
        if model.request.edited.isEdited(row.id) {
            grid.draw("~", x: nameX - 1, y: area.y, width: 1, style: look[.diffChanged])
        }
        let room = max(0, area.maxX - stateColumns - nameX)
        let used = grid.draw(
            row.name,
            x: nameX,
            y: area.y,
            width: row.hasNote ? max(0, room - 2) : room,
            style: nameStyle,
            cut: .end
        )
        if row.hasNote, room > 4 {
            grid.draw("?", x: nameX + used + 1, y: area.y, width: 1, style: look[.textMuted])
        }
        // The state is left out if there would be no room for the name.
        if area.columns > stateColumns + indent + tagColumns {
            grid.draw(
                state,
                x: area.maxX - state.columns,
                y: area.y,
                width: state.columns
            )
        }
    }

    private var nameStyle: StyleID {
        if case .group = row.kind { look[.title] } else { look[.text] }
    }

    /// Draws the method or sign before the name; returns its width.
    ///
    /// A long method begins further left, in the blanks of the indent and beside the border.
    private func drawTag(
        x: Int,
        y: Int,
        width: Int,
        after indent: Int,
        into grid: inout Grid
    ) -> Int {
        let room = indent + (layout.isFramed ? 1 : 0)
        switch row.kind {
        case .group(let isFolded, _):
            let sign = isFolded ? look.symbols.foldClosed : look.symbols.foldOpen
            grid.draw(String(sign), x: x, y: y, width: width, style: look[.treeFold])
            return 2
        case .target(let method):
            let tag = MethodTag(method)
            let start = min(tag.overhang, room)
            let used = grid.draw(
                tag.full,
                x: x - start,
                y: y,
                width: width + start,
                style: look[tag.scope]
            )
            return max(tagColumns, used - start + 1)
        case .batch:
            let sign = String(look.symbols.batch)
            grid.draw(sign, x: x, y: y, width: width, style: look[.textAccent])
        case .chain:
            let sign = String(look.symbols.chain)
            grid.draw(sign, x: x, y: y, width: width, style: look[.textAccent])
        }
        return tagColumns
    }

    private var state: StyledText {
        if case .group(let isFolded, let count) = row.kind {
            return isFolded ? StyledText(Readable.count(count), look[.textMuted]) : StyledText()
        }
        if let run = model.runs.latest(of: row.id, in: model.workspace.environment),
            let text = state(of: run)
        {
            return text
        }
        return outcome
    }

    /// The state of a run; nil if the target's outcome is shown instead.
    private func state(of run: Run) -> StyledText? {
        switch run.state {
        case .single, .watch:
            return run.isRunning ? spinner : nil
        case .batch(let batch):
            let total = batch.total
            // A status of 400 or more is a response, but not a success.
            let isGood = batch.failedCount == 0 && batch.isAsExpected
            let counted = run.isRunning ? batch.progress.ended : batch.endings.goodCount
            let scope: Scope =
                run.isRunning ? .chainRunning : isGood ? .chainDone : .statusFailure
            // A percentage leaves the name more room than a long count.
            let count =
                total < 100
                ? "\(counted)/\(total)" : Readable.percent(Double(counted) / Double(total))
            return sign(of: run, isGood: isGood, count, scope)
        case .chain(let chain):
            let isGood =
                chain.problem == nil && chain.doneCount == chain.steps.count
                && chain.steps.allSatisfy { $0.unmetCount == 0 }
            let scope: Scope = run.isRunning ? .chainRunning : isGood ? .chainDone : .chainFailed
            return sign(of: run, isGood: isGood, "\(chain.doneCount)/\(chain.steps.count)", scope)
        }
    }

    private func sign(
        of run: Run,
        isGood: Bool,
        _ text: String,
        _ scope: Scope
    ) -> StyledText {
        let check = isGood ? look.symbols.check : look.symbols.crossMark
        let sign = run.isRunning ? look.spinner(at: model.clock.now.uptime) : String(check)
        return StyledText("\(text) \(sign)", look[scope])
    }

    private var spinner: StyledText {
        StyledText("  \(look.spinner(at: model.clock.now.uptime))", look[.chainRunning])
    }

    /// The outcome of the target's last run.
    private var outcome: StyledText {
        switch model.view(of: row.id)?.outcome {
        case .status(let status, let isFromCache):
            var text = StyledText(isFromCache ? "cache " : "", look[.sourceCache])
            text.append(String(status), look.style(ofStatus: status))
            let side: PaneSide = isFromCache ? .cache : .server
            guard let checked = model.view(of: row.id)?[side].checked else { return text }
            let sign = checked.isMet ? look.symbols.check : look.symbols.crossMark
            text.append(" \(sign)", look[checked.isMet ? .statusSuccess : .statusFailure])
            return text
        case .failed: return StyledText("\(look.symbols.crossMark)", look[.statusFailure])
        case .cancelled: return StyledText("cancelled", look[.textMuted])
        case nil: return StyledText()
        }
    }
}
