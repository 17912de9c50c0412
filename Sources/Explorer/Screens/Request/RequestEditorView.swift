import Apus
import Documents
import Terminal

/// The request pane while it is open: method and URL, the tabs, and the lines of one of them.
struct RequestEditorView {
    let model: Model
    let layout: Layout
    let look: Look

    private var pane: RequestPaneState { model.requestPane }
    private var isFocused: Bool { model.focus == .request && model.help == nil }

    /// Draws it; returns where the text cursor stands while something is typed.
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
        var title = [StyledText(model.list.selected?.name ?? "Request", look[scope])]
        if isEdited { title.append(StyledText("edited", look[.diffChanged])) }
        if let id = pane.target, model.hands.isNew(id) {
            title.append(StyledText("in no file yet", look[.textMuted]))
        }
        return PaneFrame(
            title: title,
            trailing: StyledText(isEdited ? "ctrl+r takes back" : "5 closes", look[.keyHint]),
            foot: foot,
            isFocused: isFocused,
            isFramed: layout.isFramed
        )
    }

    private var isEdited: Bool { pane.target.map(model.hands.isEdited) ?? false }

    /// What tab can put in, while something is typed.
    private var foot: StyledText {
        guard let completion = pane.completion(model.requestVariables),
            !completion.candidates.isEmpty
        else { return StyledText() }
        // The one that was put in is among those that are seen.
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
        let edits = model.shownHand?.edits
        let method = edits?.method ?? selectedMethod
        let tag = MethodTag(method)
        let used = grid.draw(tag.text, in: row, style: look[tag.scope]) + 1
        let isEdited = edits.map { $0.url != $0.original.url || $0.method != $0.original.method }
        if isEdited == true {
            grid.draw("~", in: row.from(x: row.x + used - 1), style: look[.diffChanged])
        }
        let mask = CredentialMask()
        let url = edits.map { mask.masking(url: $0.url) } ?? resolvedURL ?? ""
        let start = row.inset(left: max(used, MethodTag.columns + 1))
        let columns = grid.draw(url, in: start, style: look[.text], cut: .middle)
        // As it is sent, where both have room.
        guard let resolved = resolvedURL, resolved != url,
            columns + TextWidth.columns(of: resolved) + 3 <= start.columns
        else { return nil }
        grid.draw(resolved, endingAt: row.maxX, y: row.y, style: look[.textMuted])
        return nil
    }

    private var selectedMethod: String {
        if case .target(let method)? = model.list.selected?.kind { method } else { "" }
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

/// A line of the request pane: mark, name, value, and what there is to say of it.
struct RequestLineView {
    let nameColumns: Int
    let isPreview: Bool
    /// What is looked for; empty for nothing.
    let needle: String
    let look: Look

    private static let markColumns = 2
    private static let step = 2

    /// The columns of the widest name, and a gap.
    static func nameColumns(_ lines: ArraySlice<RequestLine>, columns: Int) -> Int {
        let limit = max(8, columns * 2 / 5)
        let widest = lines.reduce(0) { widest, line in
            let name = line.depth * step + TextWidth.columns(of: line.name)
            return name <= limit ? max(widest, name) : widest
        }
        // In steps of four, so that an edit seldom moves the values.
        return widest == 0 ? 0 : (widest + 3) / 4 * 4 + 2
    }

    func draw(_ line: RequestLine, in row: Rect, into grid: inout Grid) {
        if case .note = line.subject, line.name.isEmpty {
            drawNote(shown(line.value), in: row, into: &grid)
            return
        }
        if let mark = line.mark { grid.draw(sign(mark), in: row, style: style(mark)) }
        let value = drawName(line, in: row, into: &grid)
        let style = line.mark == .removed ? look[.diffRemoved] : valueStyle(line)
        let remark = shown(line.remark)
        let room = TextWidth.columns(of: remark)
        // The remark is left out before the value is hidden.
        let leaves = !remark.isEmpty && value.columns >= 24
        let most = max(value.columns / 2, value.columns - room - 3)
        let columns = grid.draw(
            shown(line.value),
            in: leaves ? value.first(most) : value,
            style: style
        )
        guard leaves else { return }
        grid.draw(
            remark,
            endingAt: value.maxX,
            y: row.y,
            width: value.columns - columns - 3,
            style: look[.textMuted]
        )
    }

    /// A text with the sign for what is kept secret that the terminal has.
    private func shown(_ text: String) -> String {
        let dot = look.symbols.maskedDot
        return dot == Symbols.unicode.maskedDot
            ? text : text.replacing(String(Symbols.unicode.maskedDot), with: String(dot))
    }

    private func drawNote(_ text: String, in row: Rect, into grid: inout Grid) {
        guard isPreview else {
            grid.draw(text, in: row, style: look[.textMuted])
            return
        }
        let colon = text.firstIndex(of: ":")
        let name = colon.map { text[..<$0] } ?? ""
        guard let colon, !name.isEmpty, !name.contains(where: { " \"{}[]".contains($0) }) else {
            grid.draw(text, in: row, style: look[.text])
            return
        }
        let used = grid.draw(name, in: row, style: look[.treeKey])
        grid.draw(text[colon...], in: row.inset(left: used), style: look[.text])
    }

    /// Draws the name; returns the room for the value.
    private func drawName(_ line: RequestLine, in row: Rect, into grid: inout Grid) -> Rect {
        let name = namePlace(line, in: row)
        drawFold(line, before: name, into: &grid)
        let style =
            line.mark == .removed
            ? look[.diffRemoved] : look[line.mark == nil ? .treeKey : .diffChanged]
        grid.draw(line.name, in: name, style: style)
        return valuePlace(line, in: row)
    }

    private func namePlace(_ line: RequestLine, in row: Rect) -> Rect {
        let start = row.inset(left: Self.markColumns + line.depth * Self.step)
        return start.first(max(4, start.columns * 2 / 3))
    }

    private func valuePlace(_ line: RequestLine, in row: Rect) -> Rect {
        let name = namePlace(line, in: row)
        guard !line.name.isEmpty else { return row.from(x: name.x) }
        let used = min(TextWidth.columns(of: line.name), name.columns)
        return row.from(x: max(row.x + Self.markColumns + nameColumns, name.x + used + 2))
    }

    private func drawFold(_ line: RequestLine, before name: Rect, into grid: inout Grid) {
        // The outermost value has its mark there.
        guard line.fold != .leaf, line.depth > 0 || line.mark == nil else { return }
        let symbols = look.symbols
        let sign = line.fold == .open ? symbols.foldOpen : symbols.foldClosed
        grid.put(sign, x: name.x - Self.step, y: name.y, style: look[.treeFold])
    }

    /// Shows where in a line what is looked for stands.
    func markFound(_ line: RequestLine, in row: Rect, isCurrent: Bool, into grid: inout Grid) {
        guard !needle.isEmpty else { return }
        let overlay: Overlay = isCurrent ? .matchCurrent : .match
        let isNote = if case .note = line.subject { line.name.isEmpty } else { false }
        for (text, place) in [
            (line.name, namePlace(line, in: row)),
            (shown(line.value), isNote ? row : valuePlace(line, in: row)),
        ] {
            let found = text.places(of: needle, limit: row.columns)
            grid.overlay(found, of: text, at: place, overlay, theme: look.theme)
        }
    }

    /// Draws a line that is typed; returns where the text cursor stands.
    func draw(
        _ field: RequestField,
        _ line: RequestLine?,
        in row: Rect,
        into grid: inout Grid
    ) -> Point? {
        let mark: RequestLine.Mark = field.isNew ? .added : .changed
        grid.draw(sign(mark), in: row, style: style(mark))
        guard field.hasName else {
            let value =
                line.map { drawName($0, in: row, into: &grid) } ?? row.inset(left: Self.markColumns)
            return field.value.draw(in: value, into: &grid, look: look, isFocused: true)
        }
        let start = row.inset(left: Self.markColumns)
        let columns = max(nameColumns, min(24, start.columns / 2))
        let names = start.first(columns - 1)
        let values = start.inset(left: columns)
        let inName = field.name.draw(
            in: names,
            into: &grid,
            look: look,
            isFocused: field.part == .name
        )
        let inValue = field.value.draw(
            in: values,
            into: &grid,
            look: look,
            isFocused: field.part == .value
        )
        return inName ?? inValue
    }

    private func sign(_ mark: RequestLine.Mark) -> String {
        switch mark {
        case .added: "+"
        case .removed: "-"
        case .changed: "~"
        }
    }

    private func style(_ mark: RequestLine.Mark) -> StyleID {
        switch mark {
        case .added: look[.diffAdded]
        case .removed: look[.diffRemoved]
        case .changed: look[.diffChanged]
        }
    }

    private func valueStyle(_ line: RequestLine) -> StyleID {
        switch line.kind {
        case .string: look[.treeString]
        case .integer, .decimal: look[.treeNumber]
        case .true, .false: look[.treeBoolean]
        case .null: look[.treeNull]
        case .object, .array: look[.treeCount]
        case nil: look[.text]
        }
    }
}

/// What the footer says while the request pane has the keys, the most useful first.
struct RequestHints {
    let model: Model

    var hints: [FooterHints.Hint] {
        if let field = model.requestPane.field { return typing(field) }
        if model.requestPane.isCopying {
            return RequestCode.Language.allCases.map { .init($0.key, $0.title) }
                + [.init("a capital", "with its secrets"), .init("esc", "cancel")]
        }
        var actions: [(Action, String?)] = []
        let tab = model.requestPane.tab
        let isFinding = !model.requestPane.needle.isEmpty
        if !tab.isOfPrepared, model.requestPane.problem == nil {
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
        actions.append((.nextTab, nil))
        if isEdited { actions += [(.takeBack, nil), (.save, nil), (.saveAs, nil)] }
        if tab == .body || tab == .authorization { actions.append((.changeKind, nil)) }
        if tab == .body, model.shownHand?.edits.body.text != nil {
            actions.append((.edit, "in $EDITOR"))
        }
        actions += [
            (.editURL, nil), (.copy, nil), (.copyCommand, nil), (.search, nil),
        ]
        if !isFinding { actions.append((.back, "close")) }
        actions.append((.help, nil))
        return actions.compactMap { model.keys.hint(for: $0.0, $0.1, in: model.keyPlaces) }
    }

    private var isEdited: Bool { model.list.selected.map { model.hands.isEdited($0.id) } ?? false }

    private func typing(_ field: RequestField) -> [FooterHints.Hint] {
        let ends = field.isNew && field.part == .name
        var hints: [FooterHints.Hint] = [.init("enter", ends ? "value" : "keep")]
        if !ends { hints.append(.init("alt+enter", "keep and send")) }
        hints += [.init("esc", "cancel"), .init("tab", "complete"), .init("^z", "undo")]
        if field.value.isMasked { hints.append(.init("alt+s", "show")) }
        if field.hasName, !ends { hints.append(.init("shift+tab", "name")) }
        return hints + [.init("up", "typed before")]
    }
}
