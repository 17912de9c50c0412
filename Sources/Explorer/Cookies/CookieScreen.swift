import Apus
import Documents
import Terminal
import TreeView

/// The cookies of an environment, over the panes, one per row.
struct CookieScreen: ScreenView {
    let context: ScreenContext
    let list: CookieList

    /// The actions for the footer, the most useful first.
    static func hints(_ list: CookieList) -> [(Action, String?)] {
        guard list.cookies?.isEmpty == false else { return [(.back, "close"), (.help, nil)] }
        return [
            (.editValue, nil), (.removeRow, "delete"),
            (.revealValues, list.isRevealed ? "hide values" : "show values"), (.copyText, nil),
            (.removeAllCookies, nil), (.back, "close"), (.help, nil),
        ]
    }

    func draw(into grid: inout Grid) {
        let layout = PageLayout(size: model.size)
        let area = layout.inside
        grid.fill(layout.frame, style: look[.text])
        let count = list.cookies.map { Readable.count($0.count) } ?? ""
        PaneFrame(
            title: [
                StyledText("Cookies", look[.paneTitleFocused]),
                StyledText(list.environment, look[.title]),
            ],
            trailing: StyledText(count, look[.textMuted]),
            isFocused: true,
            isFramed: layout.isFramed
        ).draw(in: layout.frame, into: &grid, look: look)
        guard let cookies = list.cookies else { return }
        guard !cookies.isEmpty else {
            Paragraph(parts: [
                .init(text: "This environment has no cookies.", style: look[.text]),
                .init(
                    text:
                        "Cookies set by responses are kept until apus ends, and sent with matching requests.",
                    style: look[.textMuted]
                ),
            ]).draw(in: area, into: &grid)
            return
        }
        let shown = cookies[list.scroll.visible]
        let widest = shown.map { TextWidth.columns(of: $0.name) }.max() ?? 0
        let names = min(widest, max(8, area.columns / 4)) + 2
        let places =
            area.columns < 70
            ? 0
            : min(shown.map { TextWidth.columns(of: $0.place) }.max() ?? 0, area.columns / 3) + 2
        for (line, index) in list.scroll.visible.enumerated() {
            let row = area.row(line)
            draw(cookies[index], names, places, in: row, into: &grid)
            if index == list.scroll.selection {
                grid.overlay(row, .selection, theme: look.theme)
            }
        }
        Scrollbar.draw(
            list.scroll.visible,
            of: cookies.count,
            beside: area.inset(right: layout.isFramed ? -1 : 0),
            isFocused: true,
            into: &grid,
            look: look
        )
    }

    private func draw(
        _ cookie: Cookie,
        _ names: Int,
        _ places: Int,
        in row: Rect,
        into grid: inout Grid
    ) {
        grid.draw(cookie.name, in: row.first(names - 2), style: look[.treeKey])
        let rest = row.inset(left: names)
        let place = rest.first(places)
        grid.draw(cookie.place, in: place.inset(right: 2), style: look[.textMuted])
        let values = rest.inset(left: places)
        let remark = cookie.remark(at: model.clock.now.wall)
        let room = TextWidth.columns(of: remark) + 2
        // The remark is left out if there is no room for both.
        let leaves = values.columns - room >= 12
        grid.draw(
            look.shown(masked: list.value(of: cookie)),
            in: leaves ? values.inset(right: room) : values,
            style: look[.treeString]
        )
        guard leaves else { return }
        grid.draw(remark, endingAt: values.maxX, y: row.y, style: look[.textMuted])
    }
}
