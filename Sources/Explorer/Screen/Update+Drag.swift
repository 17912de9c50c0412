import Terminal
import TreeView

/// What the mouse is dragging.
enum MouseDrag: Equatable {
    /// A border, and the pointer's distance from it. Until the border moves, the press may turn out to be a click.
    case border(PaneBorder, distance: Int, isMoved: Bool = false)
    /// The thumb of a scrollbar, and how many rows below its top the pointer is.
    case thumb(PaneScrollbar.Owner, grip: Int)
}

/// A scrollbar on the screen.
struct PaneScrollbar {
    /// What it scrolls.
    enum Owner: Equatable {
        case pane(Focus)
        case picker
        /// The help.
        case page
    }

    let owner: Owner
    /// Its column, as high as the rows beside it.
    let column: Rect
    let visible: Range<Int>
    let total: Int

    init?(_ owner: Owner, beside area: Rect, _ visible: Range<Int>, of total: Int) {
        guard !area.isEmpty, Scrollbar.thumb(visible, of: total, rows: area.rows) != nil else {
            return nil
        }
        self.owner = owner
        column = Rect(x: area.maxX, y: area.y, columns: 1, rows: area.rows)
        (self.visible, self.total) = (visible, total)
    }
}

extension Model {
    /// Starts to drag what is under the mouse, drags it, or releases it; nil if there is nothing to drag.
    mutating func handleDrag(_ mouse: MouseEvent) -> [Effect]? {
        switch mouse.kind {
        case .press where mouse.button == .left: return grip(at: mouse.position)
        case .drag:
            guard let drag = panes.drag else { return nil }
            return move(drag, to: mouse.position)
        case .release:
            guard let held = panes.drag else { return nil }
            panes.drag = nil
            guard case .border(_, _, isMoved: false) = held, let pane = pane(at: mouse.position)
            else { return [] }
            return click(pane, at: mouse.position)
        default: return nil
        }
    }

    private mutating func grip(at point: Point) -> [Effect]? {
        panes.drag = nil
        if let bar = scrollbar(at: point), let thumb = thumb(of: bar) {
            let row = point.y - bar.column.y
            let isOnThumb = row >= thumb.place && row < thumb.place + thumb.length
            let grip = isOnThumb ? row - thumb.place : thumb.length / 2
            panes.drag = .thumb(bar.owner, grip: grip)
            return isOnThumb ? [] : scroll(bar, thumbAt: row - grip)
        }
        guard !layers.layers.contains(where: \.kind.holdsBorders),
            focusedDocument?.wholeValue == nil,
            let (border, distance) = layout.border(at: point)
        else { return nil }
        panes.drag = .border(border, distance: distance)
        return []
    }

    private mutating func move(_ drag: MouseDrag, to point: Point) -> [Effect] {
        switch drag {
        case .border(let border, let distance, _):
            self.panes.drag = .border(border, distance: distance, isMoved: true)
            let layout = layout
            let isAcross = border == .targets || border == .responses && layout.responsesAreBeside
            let position = (isAcross ? point.x : point.y) - distance
            guard layout.position(of: border) != nil else { return [] }
            panes.sizes = layout.sizes(panes.sizes, moving: border, to: position)
            fitPanes()
            return []
        case .thumb(let owner, let grip):
            guard let bar = scrollbars.first(where: { $0.owner == owner }) else { return [] }
            return scroll(bar, thumbAt: point.y - bar.column.y - grip)
        }
    }

    private mutating func scroll(_ bar: PaneScrollbar, thumbAt offset: Int) -> [Effect] {
        let first = Scrollbar.first(
            thumbAt: offset,
            of: bar.total,
            visible: bar.visible.count,
            rows: bar.column.rows
        )
        let rows = first - bar.visible.lowerBound
        guard rows != 0 else { return [] }
        switch bar.owner {
        case .pane(let pane): return scroll(pane, by: rows)
        case .picker:
            layers.picker?.scroll.scroll(by: rows)
            return []
        case .page:
            layers.help?.scroll.offset = first
            return []
        }
    }

    // MARK: Scrollbars

    private func scrollbar(at point: Point) -> PaneScrollbar? {
        scrollbars.first { $0.column.contains(point) }
    }

    private func thumb(of bar: PaneScrollbar) -> (place: Int, length: Int)? {
        Scrollbar.thumb(bar.visible, of: bar.total, rows: bar.column.rows)
    }

    /// The scrollbars that are drawn now.
    private var scrollbars: [PaneScrollbar] {
        if let picker = layers.picker {
            let layout = pickerLayout
            let area = layout.list.inset(right: layout.isFramed ? -1 : 0)
            let visible = picker.scroll.visible
            return PaneScrollbar(.picker, beside: area, visible, of: picker.shown.count)
                .map { [$0] } ?? []
        }
        if layers.page != nil { return pageScrollbar.map { [$0] } ?? [] }
        return paneScrollbars.compactMap(\.self)
    }

    private var pageScrollbar: PaneScrollbar? {
        let layout = PageLayout(size: size)
        // The explanation and the list of cookies have none that can be dragged.
        guard layers.page == .help, let help = layers.help else { return nil }
        let count = helpRows(help, layout.inside)
        let area = layout.inside.inset(right: layout.isFramed ? -1 : 0)
        let first = min(max(0, help.scroll.offset), max(0, count - area.rows))
        return PaneScrollbar(
            .page,
            beside: area,
            first..<first + area.rows,
            of: count
        )
    }

    private var paneScrollbars: [PaneScrollbar?] {
        let layout = layout
        guard layout.isFramed else { return [] }
        var bars = [
            PaneScrollbar(
                .pane(.targets),
                beside: layout.inside(layout.targets),
                targets.scroll.visible,
                of: targets.rows.count
            )
        ]
        if panes.focus == .progress, layout.progressIsFramed {
            bars.append(
                PaneScrollbar(
                    .pane(.progress),
                    beside: layout.inside(layout.progress),
                    session.scroll.visible,
                    of: session.lines.count
                )
            )
        }
        if let batch = shownBatch {
            bars.append(
                PaneScrollbar(
                    .pane(.server),
                    beside: batch.regions.list.inset(right: 1),
                    batch.scroll.visible,
                    of: batch.lines.count
                )
            )
            return bars
        }
        if showsRequestPane, layout.requestIsOpen {
            bars.append(
                PaneScrollbar(
                    .pane(.request),
                    beside: layout.requestParts.rows.inset(right: -1),
                    request.scroll.visible,
                    of: request.lines.count
                )
            )
        }
        return bars + [PaneSide.cache, .server].map { scrollbar(of: $0, in: layout) }
    }

    private func scrollbar(of side: PaneSide, in layout: Layout) -> PaneScrollbar? {
        let pane = layout.pane(side)
        guard !pane.isEmpty, !isChainSelected, let response = selectedView?[side] else {
            return nil
        }
        let owner = PaneScrollbar.Owner.pane(side == .cache ? .cache : .server)
        if response.showsPage {
            guard let page = response.page else { return nil }
            let area = layout.page(of: response, in: pane).inset(right: -1)
            return PaneScrollbar(owner, beside: area, page.scroll.visible, of: page.rows.count)
        }
        let body = layout.body(of: response, in: pane)
        func bar(_ scroll: ListScroll) -> PaneScrollbar? {
            let area = body.inset(bottom: max(0, body.rows - scroll.height))
            return PaneScrollbar(owner, beside: area, scroll.visible, of: scroll.count)
        }
        if let comparison { return bar(comparison.scroll) }
        let document = response.document
        return document.body == nil || document.showsPicture ? nil : bar(document.shownScroll)
    }
}
