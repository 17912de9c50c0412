import Apus
import Documents
import Terminal
import TreeView
import Workspaces

/// The page of environments and variables.
///
/// ```
/// ╭─ Environments and variables · staging ──────────────────────── 4 ╮
/// │ ✓ local      in use        baseURL  https://staging.example.com  │
/// │   staging    on local      user     1                    staging │
/// │   every environment        token    ••••••     every environment │
/// ╰──────────────────────────────────────────────────────────────────╯
/// ```
struct VariablesScreen: ScreenView {
    let context: ScreenContext
    let page: VariablesPage

    /// The words for what holds in all environments.
    static let everywhere = "every environment"

    /// The actions for the footer, the most useful first.
    static func hints(_ page: VariablesPage) -> [(Action, String?)] {
        switch page.column {
        case .environments:
            let isOne = page.environment != nil
            var actions: [(Action, String?)] = isOne ? [(.editValue, "use it")] : []
            actions += [(.nextColumn, "its variables"), (.addRow, "new environment")]
            if isOne { actions += [(.moveItem, "rename"), (.copyItem, nil), (.removeRow, nil)] }
            return actions + [(.undoChange, nil), (.back, "close"), (.help, nil)]
        case .values:
            let isVariable = page.selected?.isSetting == false
            return [(.editValue, nil), (.addRow, "new variable")]
                + (isVariable ? [(.moveItem, "rename")] : [])
                + [
                    (.removeRow, nil), (.nextColumn, "environments"), (.undoChange, nil),
                    (.back, "close"), (.help, nil),
                ]
        }
    }

    func draw(into grid: inout Grid) {
        let layout = PageLayout(size: model.size)
        grid.fill(layout.frame, style: look[.text])
        let names = page.environment ?? Self.everywhere
        PaneFrame(
            title: [
                StyledText("Environments and variables", look[.paneTitleFocused]),
                StyledText(names, look[.title]),
            ],
            trailing: StyledText(
                Readable.count(page.rows.count { !$0.isSetting }),
                look[.textMuted]
            ),
            isFocused: true,
            isFramed: layout.isFramed
        ).draw(in: layout.frame, into: &grid, look: look)
        let area = layout.inside
        guard layout.isFramed else {
            return page.column == .environments
                ? drawEnvironments(in: area, into: &grid) : drawValues(in: area, into: &grid)
        }
        let (left, right) = VariablesPage.columns(of: area)
        drawEnvironments(in: left.inset(right: 2), into: &grid)
        drawValues(in: right, into: &grid)
        Scrollbar.draw(
            page.values.visible,
            of: page.rows.count,
            beside: right.inset(right: -1),
            isFocused: page.column == .values,
            into: &grid,
            look: look
        )
    }

    private func drawEnvironments(in area: Rect, into grid: inout Grid) {
        let environments = model.workspace.catalog?.environments ?? []
        for (line, index) in page.environments.visible.enumerated() {
            let row = area.row(line)
            defer { mark(row, index == page.environments.selection, .environments, &grid) }
            guard page.names.indices.contains(index) else {
                grid.draw(Self.everywhere, in: row.inset(left: 2), style: look[.text], cut: .end)
                continue
            }
            let name = page.names[index]
            let own = environments.firstIndex(of: name)
            let isUsed = own == model.workspace.environment
            let mark = own.map { model.workspace.mark(ofEnvironment: $0) } ?? EnvironmentMark()
            if isUsed { grid.draw(String(look.symbols.check), in: row, style: look[.textAccent]) }
            let note = isUsed ? "in use" : mark.isDangerous ? "danger" : ""
            let room = note.isEmpty ? 0 : TextWidth.columns(of: note) + 1
            grid.draw(
                (mark.isDangerous ? "! " : "") + name,
                in: row.inset(left: 2, right: room),
                style: look.style(of: mark),
                cut: .end
            )
            grid.draw(note, endingAt: row.maxX, y: row.y, style: look[.textMuted])
        }
    }

    private func drawValues(in area: Rect, into grid: inout Grid) {
        let visible = page.rows[page.values.visible]
        let widest = visible.map { TextWidth.columns(of: $0.definition.name) }.max() ?? 0
        let names = min(widest, max(8, area.columns / 3)) + 2
        for (line, index) in page.values.visible.enumerated() {
            let (row, area) = (page.rows[index], area.row(line))
            let name = area.first(names - 1)
            grid.draw(
                row.definition.name,
                in: name,
                style: look[row.isSetting ? .textMuted : .treeKey],
                cut: .end
            )
            let origin = origin(of: row)
            let rest = area.inset(left: names)
            let room = TextWidth.columns(of: origin) + 2
            // Where it comes from is left out if there is no room for both.
            let leaves = !origin.isEmpty && rest.columns - room >= 12
            drawValue(of: row, in: leaves ? rest.inset(right: room) : rest, into: &grid)
            if leaves {
                grid.draw(origin, endingAt: rest.maxX, y: area.y, style: look[.textMuted])
            }
            mark(area, index == page.values.selection, .values, &grid)
        }
    }

    private func drawValue(of row: VariablesPage.Row, in area: Rect, into grid: inout Grid) {
        let definition = row.definition
        let isSet = !definition.shown.isEmpty || !definition.written.isEmpty
        guard isSet else {
            grid.draw(
                row.isSetting ? "not set" : "empty",
                in: area,
                style: look[.textMuted],
                cut: .end
            )
            return
        }
        let source = definition.written.hasPrefix("{") ? "  \(definition.written)" : ""
        let used = grid.draw(
            look.shown(masked: definition.shown),
            in: area,
            style: look[definition.isSecret ? .textMuted : .treeString],
            cut: .end
        )
        // What a secret is read from is no secret.
        grid.draw(source, in: area.inset(left: used), style: look[.textMuted], cut: .end)
    }

    /// Where a value comes from.
    private func origin(of row: VariablesPage.Row) -> String {
        let definition = row.definition
        if row.isSetting {
            guard definition.written.isEmpty, !definition.shown.isEmpty else { return "" }
            return definition.environment ?? "defaults"
        }
        if let note = definition.note { return note }
        let files = Set(page.rows.compactMap(\.definition.location?.file))
        let file = files.count > 1 ? definition.location.map { "  \($0)" } ?? "" : ""
        return (definition.environment ?? Self.everywhere) + file
    }

    private func mark(
        _ row: Rect,
        _ isSelected: Bool,
        _ column: VariablesPage.Column,
        _ grid: inout Grid
    ) {
        guard isSelected else { return }
        let overlay: Overlay = page.column == column ? .selection : .selectionInactive
        grid.overlay(row, overlay, theme: look.theme)
    }
}
