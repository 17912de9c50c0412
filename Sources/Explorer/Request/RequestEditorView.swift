import Apus
import Documents
import Secrets
import Terminal
import TreeView
import Workspaces

/// The open request pane: method and URL, the tabs, and the lines of one of them.
struct RequestEditorView: ScreenView {
    let context: ScreenContext

    private var pane: RequestPaneState { model.request }
    private var isFocused: Bool { model.panes.focus == .request && model.layers.help == nil }

    /// Draws it; returns the position of the text cursor; nil if nothing is typed here.
    func draw(into grid: inout Grid) -> Point? {
        guard layout.requestIsOpen, !layout.request.isEmpty else { return nil }
        frame.draw(in: layout.request, into: &grid, look: look)
        let parts = layout.requestParts
        let inLine = drawRequestLine(in: parts.line, into: &grid)
        drawTabs(in: parts.tabs, into: &grid)
        let inRows = grid.clipped(to: parts.rows) { drawLines(in: parts.rows, into: &$0) }
        return isFocused ? inLine ?? inRows : nil
    }

    // MARK: The frame

    private var frame: PaneFrame {
        let scope: Scope = isFocused ? .paneTitleFocused : .paneTitle
        var title = [StyledText(model.targets.selected?.name ?? "Request", look[scope])]
        if isEdited { title.append(StyledText("edited", look[.diffChanged])) }
        if let id = pane.target, model.request.edited.isNew(id) {
            title.append(StyledText("not saved yet", look[.textMuted]))
        }
        return PaneFrame(
            title: title,
            trailing: StyledText(isEdited ? "ctrl+r undoes" : "5 closes", look[.keyHint]),
            foot: foot,
            isFocused: isFocused,
            isFramed: layout.isFramed
        )
    }

    private var isEdited: Bool { pane.target.map(model.request.edited.isEdited) ?? false }

    /// The completions that tab offers while a field is typed in.
    private var foot: StyledText {
        guard let completion = pane.completion(model.workspace.variables),
            !completion.candidates.isEmpty
        else {
            return StyledText(model.targets.selected?.summary ?? "", look[.textMuted])
        }
        // The completion that was inserted stays visible.
        let first = max(0, (completion.chosen ?? 0) - 2)
        var line = StyledText("tab ", look[.key])
        for (index, text) in completion.candidates.enumerated().dropFirst(first).prefix(6) {
            let style = look[index == completion.chosen ? .textAccent : .textMuted]
            if index > first { line.append("  ", style) }
            line.append(text, style)
        }
        return line
    }

    // MARK: Method and URL

    private func drawRequestLine(in row: Rect, into grid: inout Grid) -> Point? {
        if let field = pane.field, case .request = field.subject {
            return field.value.draw(in: row, into: &grid, look: look, isFocused: isFocused)
        }
        let edits = model.request.shownEdits?.edits
        let method = edits?.method ?? selectedMethod
        let tag = MethodTag(method)
        let used = grid.draw(tag.full, in: row, style: look[tag.scope]) + 1
        let isEdited = edits.map { $0.url != $0.original.url || $0.method != $0.original.method }
        if isEdited == true {
            grid.draw("~", in: row.from(x: row.x + used - 1), style: look[.diffChanged])
        }
        let mask = CredentialMask()
        let url = edits.map { mask.masking(url: $0.url) } ?? resolvedURL ?? ""
        let start = row.inset(left: max(used, MethodTag.columns + 1))
        let columns = grid.draw(url, in: start, style: look[.text], cut: .middle)
        // Also the URL as it is sent, if both have room.
        guard let resolved = resolvedURL, resolved != url,
            columns + TextWidth.columns(of: resolved) + 3 <= start.columns
        else { return nil }
        grid.draw(resolved, endingAt: row.maxX, y: row.y, style: look[.textMuted])
        return nil
    }

    private var selectedMethod: String {
        if case .target(let method)? = model.targets.selected?.kind { method } else { "" }
    }

    private var resolvedURL: String? {
        if case .success(let request)? = model.selectedView?.request { request.url } else { nil }
    }

    // MARK: Tabs

    private func drawTabs(in row: Rect, into grid: inout Grid) {
        for label in model.requestTabs.fitting(row) {
            let isChosen = label.tab == pane.tab
            let place = label.place
            grid.draw(label.name, in: place, style: look[isChosen ? .textAccent : .text])
            let used = TextWidth.columns(of: label.name)
            grid.draw(label.count, in: place.inset(left: used + 1), style: look[.textMuted])
            guard isChosen else { continue }
            grid.overlay(
                place.first(used),
                isFocused ? .selection : .selectionInactive,
                theme: look.theme
            )
        }
    }

    // MARK: Lines

    private func drawLines(in area: Rect, into grid: inout Grid) -> Point? {
        var scroll = pane.scroll
        scroll.update(count: pane.lines.count, height: area.rows)
        let names = RequestLineView.nameColumns(pane.lines[scroll.visible], columns: area.columns)
        let view = RequestLineView(
            nameColumns: names,
            isPreview: pane.tab == .preview,
            needle: pane.needle,
            look: look
        )
        var cursor: Point?
        var line = 0
        for index in scroll.visible where line < area.rows {
            let row = area.row(line)
            let isCurrent = index == scroll.selection
            if isCurrent, let field = pane.field, !field.isNew, field.subject != .request {
                cursor = view.draw(field, pane.lines[index], in: row, into: &grid)
            } else {
                view.draw(pane.lines[index], in: row, into: &grid)
                if isCurrent, pane.field == nil {
                    let overlay: Overlay = isFocused ? .selection : .selectionInactive
                    grid.overlay(row, overlay, theme: look.theme)
                }
                view.markFound(pane.lines[index], in: row, isCurrent: isCurrent, into: &grid)
            }
            line += 1
            if isCurrent, let field = pane.field, field.isNew, line < area.rows || line == 1 {
                let place = area.row(min(line, area.rows - 1))
                grid.fill(place, style: look[.text])
                cursor = view.draw(field, nil, in: place, into: &grid)
                line += 1
            }
        }
        if pane.lines.isEmpty, let field = pane.field, field.isNew {
            cursor = view.draw(field, nil, in: area.row(0), into: &grid)
        }
        Scrollbar.draw(
            scroll.visible,
            of: pane.lines.count,
            beside: area.inset(right: layout.isFramed ? -1 : 0),
            isFocused: isFocused,
            into: &grid,
            look: look
        )
        return cursor
    }
}

/// The footer's hints while the request pane has the focus, the most useful first.
struct RequestHints {
    let model: Model

    /// The letters of the formats to copy the request in.
    static var ofFormats: [FooterHints.Hint] {
        CopyFormat.all.map { .init($0.key, $0.title) }
            + [.init("capital letter", "with secrets"), .init("esc", "cancel")]
    }

    var hints: [FooterHints.Hint] {
        if let field = model.request.field { return typing(field) }
        var actions: [(Action, String?)] = []
        let tab = model.request.tab
        let isFinding = !model.request.needle.isEmpty
        if !tab.isOfPrepared, model.request.problem == nil {
            actions += [(.editValue, nil), (.replaceValue, nil)]
            if tab != .authorization, tab != .options, !isFinding { actions.append((.addRow, nil)) }
            actions.append((.removeRow, nil))
        }
        actions.insert((.sendAgain, "send"), at: min(1, actions.count))
        if isFinding {
            let finding: [(Action, String?)] = [
                (.nextMatch, nil), (.previousMatch, nil), (.back, "clear"),
            ]
            actions = finding + actions
        }
        actions += defaults
        actions.append((.nextTab, nil))
        if isEdited { actions.append((.takeBack, nil)) }
        if isEdited || isNew { actions += [(.save, nil), (.saveAs, nil)] }
        if tab == .body || tab == .authorization { actions.append((.changeKind, nil)) }
        if tab == .body, model.request.shownEdits?.edits.body.text != nil {
            actions.append((.edit, "in $EDITOR"))
        }
        actions += [
            (.editURL, nil), (.copy, nil), (.copyCommand, nil), (.search, nil),
        ]
        if !isFinding { actions.append((.back, "close")) }
        actions += [(.help, nil), (.quit, nil)]
        return actions.compactMap { model.keys.hint(for: $0.0, $0.1, in: model.keyPlaces) }
    }

    /// The key that adds what the workspace would add, or leaves it out again.
    var defaults: [(Action, String?)] {
        let names = model.leftOutOfSelected
        if !names.isEmpty { return [(.takeDefaults, "add \(names.joined(separator: ", "))")] }
        return model.hasTakenDefaults ? [(.takeDefaults, "as pasted")] : []
    }

    private var isEdited: Bool {
        model.targets.selected.map { model.request.edited.isEdited($0.id) } ?? false
    }

    private var isNew: Bool {
        model.targets.selected.map { model.request.edited.isNew($0.id) } ?? false
    }

    private func typing(_ field: RequestField) -> [FooterHints.Hint] {
        let ends = field.isNew && field.part == .name
        var hints: [FooterHints.Hint] = [.init("enter", ends ? "value" : "keep")]
        if !ends { hints.append(.init("alt+enter", "keep and send")) }
        hints += [.init("esc", "cancel"), .init("tab", "complete"), .init("^z", "undo")]
        if field.value.isMasked { hints.append(.init("alt+s", "show")) }
        if field.hasName, !ends { hints.append(.init("shift+tab", "name")) }
        return hints + [.init("up", "earlier input")]
    }
}
