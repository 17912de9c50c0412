import Documents
import Terminal

/// One value over the panes: its path, its size, and its text in wrapped lines.
struct WholeValueView {
    let value: WholeValue
    let isFramed: Bool
    let now: Duration
    let look: Look

    func draw(in rect: Rect, into grid: inout Grid) {
        grid.fill(rect, style: look[.text])
        PaneFrame(
            title: [StyledText(shownPath(in: rect), look[.paneTitleFocused])],
            trailing: StyledText(size, look[.textMuted]),
            footTrailing: StyledText(place, look[.textMuted]),
            isFocused: true,
            isFramed: isFramed
        ).draw(in: rect, into: &grid, look: look)
        let area = rect.textArea(isFramed: isFramed)
        guard value.text != nil else {
            let line = "\(look.spinner(at: now)) decoding \(size)\(look.symbols.ellipsis)"
            grid.draw(line, in: area, style: look[.textMuted])
            return
        }
        let style = look[value.kind == .string ? .text : .treeNumber]
        for (line, text) in value.rows.prefix(area.rows).enumerated() {
            grid.draw(text, in: area.row(line), style: style)
        }
        guard isFramed else { return }
        let border = area.inset(right: -1)
        Scrollbar.draw(
            value.visible,
            of: value.text?.count ?? 0,
            beside: border,
            into: &grid,
            look: look
        )
    }

    private func shownPath(in rect: Rect) -> String {
        let room = rect.columns - TextWidth.columns(of: size) - (isFramed ? 9 : 2)
        return TextWidth.cut(value.path, to: room, .start, ellipsis: look.symbols.ellipsis)
    }

    /// `string · 1.2 kB`.
    private var size: String {
        let bytes = value.text?.count ?? value.sourceLength
        let kind = value.kind == .string ? "string\(look.separator)" : ""
        return kind + Readable.bytes(bytes)
    }

    /// How far the end of what is in sight is.
    private var place: String {
        guard let text = value.text, text.count > 0 else { return "" }
        let visible = value.visible
        guard visible.lowerBound > 0 || visible.upperBound < text.count else { return "" }
        return visible.upperBound == text.count
            ? "end" : "\(visible.upperBound * 100 / text.count) %"
    }
}
