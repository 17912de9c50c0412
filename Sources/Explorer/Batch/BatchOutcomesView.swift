import Apus
import Documents
import Terminal
import TreeView

/// How the requests of a batch ended: a line for each cause, and the requests below it.
///
/// ```
/// ▾ 503 Service Unavailable        12  ██▌  1.2 %
///     GET /products/213                 48 ms   1.2 kB
/// ▸ 200 OK                        985  ███ 98.1 %
/// ```
struct BatchOutcomesView {
    let state: BatchRunState
    let lines: [BatchLines.Line]
    let scroll: ListScroll
    let isFocused: Bool
    let look: Look

    func draw(in area: Rect, into grid: inout Grid) {
        guard !area.isEmpty else { return }
        var scroll = scroll
        scroll.update(count: lines.count, height: area.rows)
        let groups = state.endings.groups
        let columns = Columns(groups, width: area.columns - 1)
        for (line, index) in scroll.visible.enumerated() {
            let row = area.row(line).inset(right: 1)
            switch lines[index] {
            case .group(let place, let isOpen):
                draw(groups[place], isOpen, columns, in: row, into: &grid)
            case .row(let place, let request):
                let group = groups[place]
                guard group.rows.indices.contains(request) else { continue }
                let name = group.count == 1 ? group.cause : nil
                draw(group.rows[request], name, columns, in: row, into: &grid)
            case .more(let place, let count):
                let isListed = groups[place].rows.count + count > groups[place].count
                let text = "and \(Readable.count(count)) more"
                grid.draw(
                    isListed ? text : "\(text), in the session",
                    in: row.inset(left: 4),
                    style: look[.textMuted]
                )
            }
            if isFocused, index == scroll.selection {
                grid.overlay(area.row(line), .selection, theme: look.theme)
            }
        }
        Scrollbar.draw(
            scroll.visible,
            of: lines.count,
            beside: area.inset(right: 1),
            isFocused: isFocused,
            into: &grid,
            look: look
        )
    }

    /// The widths of the columns.
    private struct Columns {
        /// The width of the name of a cause.
        var name: Int
        var count: Int
        /// The width of the cause before the only request that it has.
        var single: Int
        /// 0 if there is no room for it.
        var size: Int
        static let duration = 8

        init(_ groups: [BatchOutcomes.Group], width: Int) {
            let widest = groups.map { TextWidth.columns(of: $0.cause.name) }.max() ?? 0
            count = groups.map { Readable.count($0.count).count }.max() ?? 1
            name = min(widest, max(8, width / 2 - 4))
            size = width >= 44 ? 9 : 0
            single = name
            // What was sent is more important than the phrase of a status, and than the size.
            let title =
                groups.filter { $0.count == 1 }.compactMap(\.rows.first)
                .map { TextWidth.columns(of: $0.title) }.max() ?? 0
            func lack() -> Int { 2 + single + 2 + title + 1 + Self.duration + size - width }
            guard lack() > 0 else { return }
            let short =
                groups.filter { $0.count == 1 }
                .map { TextWidth.columns(of: $0.cause.shortName) }.max() ?? 0
            single = min(single, short)
            if lack() > 0 { size = 0 }
        }
    }

    private func draw(
        _ group: BatchOutcomes.Group,
        _ isOpen: Bool,
        _ columns: Columns,
        in row: Rect,
        into grid: inout Grid
    ) {
        let sign = isOpen ? look.symbols.foldOpen : look.symbols.foldClosed
        grid.draw(String(sign), in: row, style: look[.treeFold])
        let style = style(of: group.cause)
        grid.draw(
            group.cause.name,
            in: row.inset(left: 2).first(columns.name),
            style: style,
            cut: .end
        )
        let end = row.x + 2 + columns.name + 2 + columns.count
        grid.draw(Readable.count(group.count), endingAt: end, y: row.y, style: look[.text])
        let share = Double(group.count) / Double(max(1, state.progress.ended))
        guard row.maxX - end >= 8 else { return }
        grid.draw(tenths(share), endingAt: row.maxX, y: row.y, style: look[.textMuted])
        let bar = row.from(x: end + 2).inset(right: 8)
        guard bar.columns > 3 else { return }
        // Even the rarest cause has a visible bar.
        let least = 1.0 / Double(bar.columns * 8)
        Gauge.draw(fraction: max(share, least), in: bar, into: &grid, look: look, fill: style)
    }

    private func draw(
        _ request: BatchOutcomes.Row,
        _ cause: BatchOutcomes.Cause?,
        _ columns: Columns,
        in row: Rect,
        into grid: inout Grid
    ) {
        var left = row.inset(left: cause == nil ? 4 : 2)
        if let cause {
            let fits = TextWidth.columns(of: cause.name) <= columns.single
            grid.draw(
                fits ? cause.name : cause.shortName,
                in: left.first(columns.single),
                style: style(of: cause),
                cut: .end
            )
            left = left.inset(left: columns.single + 2)
        }
        var end = row.maxX
        if columns.size > 0 {
            if request.size > 0 {
                let size = Readable.bytes(request.size)
                grid.draw(size, endingAt: end, y: row.y, style: look[.textMuted])
            }
            end -= columns.size
        }
        grid.draw(
            Readable.duration(request.duration),
            endingAt: end,
            y: row.y,
            style: look[.textMuted]
        )
        let title = left.first(max(0, end - Columns.duration - left.x))
        let used = grid.draw(request.title, in: title, style: look[.text], cut: .middle)
        guard let name = request.name, title.columns - used >= 10 else { return }
        // The group says the least.
        let own = name.split(separator: "/").last.map { String($0) } ?? name
        grid.draw(own, in: title.inset(left: used + 2), style: look[.textMuted], cut: .end)
    }

    private func style(of cause: BatchOutcomes.Cause) -> StyleID {
        guard !cause.isUnexpected, let status = cause.status else { return look[.statusFailure] }
        return look.style(ofStatus: status)
    }

    private func tenths(_ share: Double) -> String {
        let tenths = Int((share * 1000).rounded())
        return "\(tenths / 10).\(tenths % 10) %"
    }
}
