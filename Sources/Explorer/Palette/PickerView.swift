import Documents
import Terminal
import TreeView

/// A picker: the palette, or a list of environments, sources or themes.
struct PickerView {
    let picker: Picker
    let size: Size
    let look: Look

    /// The footer's hints while the picker is open.
    static func hints(_ picker: Picker) -> [FooterHints.Hint] {
        if picker.kind == .sessions { return hintsOfSessions(picker.selected) }
        let words =
            switch picker.kind {
            case .palette: ("run", "close")
            case .environments, .sources, .sessions: ("choose", "close")
            case .exports: ("copy", "close")
            case .themes: ("keep", "revert")
            }
        return [.init("enter", words.0), .init("up down", "move"), .init("esc", words.1)]
    }

    private static func hintsOfSessions(_ item: Picker.Item?) -> [FooterHints.Hint] {
        let own: [FooterHints.Hint] =
            switch item?.choice {
            case .shared where item?.note == Picker.Item.watched:
                [.init("enter", "show it"), .init("^x", "stop watching")]
            case .shared: [.init("enter", "watch from the beginning"), .init("^n", "from now on")]
            case .server: [.init("enter", "another server")]
            default: [.init("enter", "show it")]
            }
        return own + [.init("up down", "move"), .init("esc", "close")]
    }

    /// Draws it; returns the position of the text cursor.
    func draw(into grid: inout Grid) -> Point? {
        let layout = PickerLayout(size: size)
        guard !layout.list.isEmpty else { return nil }
        grid.fill(layout.frame, style: look[.text])
        let place = picker.count == 0 ? 0 : picker.scroll.selection + 1
        PaneFrame(
            title: [StyledText(picker.kind.title, look[.paneTitleFocused])],
            trailing: StyledText(
                "\(Readable.count(place)) of \(Readable.count(picker.count))",
                look[.textMuted]
            ),
            isFocused: true,
            isFramed: layout.isFramed
        ).draw(in: layout.frame, into: &grid, look: look)
        let cursor = picker.field.draw(in: layout.field, into: &grid, look: look, isFocused: true)
        if picker.shown.isEmpty {
            grid.draw("no matches", in: layout.list, style: look[.textMuted])
        }
        for (line, index) in picker.scroll.visible.enumerated() {
            draw(picker.shown[index], in: layout.list.row(line), into: &grid)
            if index == picker.scroll.selection {
                grid.overlay(layout.list.row(line), .selection, theme: look.theme)
            }
        }
        Scrollbar.draw(
            picker.scroll.visible,
            of: picker.shown.count,
            beside: layout.list.inset(right: layout.isFramed ? -1 : 0),
            into: &grid,
            look: look
        )
        return cursor
    }

    private func draw(_ item: Picker.Item, in row: Rect, into grid: inout Grid) {
        // In a list of one kind, the kind on each line says nothing.
        let isMixed = [.palette, .sessions].contains(picker.kind)
        let text = isMixed || item.note == "in use" ? item.note : ""
        let noteColumns = min(TextWidth.columns(of: text), row.columns / 3)
        let note = Rect(x: row.maxX - noteColumns, y: row.y, columns: noteColumns, rows: 1)
        grid.draw(text, in: note, style: look[item.isAction ? .key : .textMuted])
        var room = row.inset(right: noteColumns == 0 ? 0 : noteColumns + 2)
        if case .target = item.choice {
            let tag = MethodTag(item.method)
            grid.draw(tag.full, in: room, style: look[tag.scope])
            room = room.inset(left: MethodTag.fullColumns + 1)
        }
        let isPlain = item.mark == EnvironmentMark()
        let used = grid.draw(
            item.mark.isDangerous ? "! \(item.name)" : item.name,
            in: room,
            style: isPlain ? look[.text] : look.style(of: item.mark)
        )
        // As wide as the longest name of a source, or of most actions.
        let column = max(used + 2, picker.kind == .sources ? 20 : 18)
        grid.draw(item.detail, in: room.inset(left: column), style: look[.textMuted])
    }
}
