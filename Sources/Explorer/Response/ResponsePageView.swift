import Terminal
import TreeView

/// The tabs of a response in a row, the one that is shown in the accent color.
struct ResponseTabsView: ScreenView {
    let context: ScreenContext
    let side: PaneSide
    let pane: ResponseState
    let isFocused: Bool

    func draw(in row: Rect, into grid: inout Grid) {
        guard !row.isEmpty else { return }
        let counts = model.responseDetails(side)?.counts ?? [:]
        let choosesLetter = isFocused && model.layers.isOpen(.tabLetter)
        var end = row.x
        for item in ResponseTabs(counts: counts, columns: row.columns).items {
            let isShown = item.tab == pane.tab
            let style = look[isShown ? (isFocused ? .textAccent : .text) : .textMuted]
            let x = row.x + item.column
            end = x + grid.draw(item.title, x: x, y: row.y, width: row.maxX - x, style: style)
            if choosesLetter, let at = letter(of: item) {
                let letter = String(item.title[at])
                let column = item.title.distance(from: item.title.startIndex, to: at)
                grid.draw(letter, x: x + column, y: row.y, width: 1, style: look[.key])
            }
        }
        guard pane.tab != .body, let response = pane.response else { return }
        let size = pane.sizeText(of: response)
        guard size.count + 2 <= row.maxX - end else { return }
        grid.draw(size, endingAt: row.maxX, y: row.y, style: look[.textMuted])
    }

    /// The index of the letter that chooses a tab.
    private func letter(of item: ResponseTabs.Item) -> String.Index? {
        let binding = model.keys.bindings.first {
            $0.place == .tabs && $0.action == item.tab.action
        }
        guard let key = binding?.keys.first else { return nil }
        return item.title.firstIndex { $0.lowercased() == key }
    }
}

/// A tab of a response other than its body: names at the left, texts at the right, and bars for times.
struct ResponsePageView {
    let page: ResponsePage
    let isFocused: Bool
    let isFramed: Bool
    let look: Look

    func draw(in area: Rect, into grid: inout Grid) {
        guard !area.isEmpty else { return }
        let start = page.nameColumns
        let visible = page.scroll.visible
        for (index, row) in zip(visible, page.rows[visible]) {
            let place = area.row(index - visible.lowerBound)
            let line = page.lines[row.line]
            switch line.kind {
            case .blank: break
            case .title: grid.draw(line.name, in: place, style: look[.title], cut: .middle)
            case .remark: grid.draw(page.text(of: row), in: place, style: look[.textMuted])
            case .text: grid.draw(page.text(of: row), in: place, style: look[.text])
            case .fact: drawFact(line, row, start, in: place, into: &grid)
            }
            mark(index, in: line.kind == .fact ? place.inset(left: start) : place, into: &grid)
            if isFocused, index == page.scroll.selection {
                let wide = isFramed ? place.inset(left: -1, right: -1) : place
                grid.overlay(wide, .selection, theme: look.theme)
            }
        }
        guard isFramed else { return }
        Scrollbar.draw(
            visible,
            of: page.rows.count,
            beside: area.inset(right: -1),
            isFocused: isFocused,
            into: &grid,
            look: look
        )
    }

    private func drawFact(
        _ line: ResponsePage.Line,
        _ row: ResponsePage.Row,
        _ start: Int,
        in place: Rect,
        into grid: inout Grid
    ) {
        if row.isFirst {
            if let isMet = line.isMet {
                let sign = isMet ? look.symbols.check : look.symbols.crossMark
                let style = look[isMet ? .statusSuccess : .statusFailure]
                grid.draw(String(sign), in: place, style: style)
            }
            let isRemark = line.item != nil && line.isMet == nil
            grid.draw(
                line.name,
                in: place.first(start - 1).inset(left: page.signColumns),
                style: look[isRemark ? .textMuted : .treeKey],
                cut: .end
            )
        }
        let used = grid.draw(page.text(of: row), in: place.inset(left: start), style: look[.text])
        guard let bar = line.bar else { return }
        // At least ten columns for the text, so that all bars begin in the same column.
        let scale = place.inset(left: start + max(10, used + 2))
        guard scale.columns >= 8 else { return }
        let first = Int((bar.lowerBound * Double(scale.columns)).rounded(.down))
        let last = max(first + 1, Int((bar.upperBound * Double(scale.columns)).rounded(.up)))
        let filled = Rect(x: scale.x + first, y: scale.y, columns: last - first, rows: 1)
        grid.fill(
            filled.intersection(scale),
            with: look.symbols.gaugeEighths[7],
            style: look[line.name == "wait" ? .gaugeUnknown : .gaugeFill]
        )
    }

    /// Highlights the matches in a row.
    private func mark(_ index: Int, in place: Rect, into grid: inout Grid) {
        guard !page.needle.isEmpty else { return }
        let row = page.rows[index]
        let first = page.matches.partitioningIndex { $0.row >= index }
        for (number, match) in page.matches[first...].enumerated() {
            guard match.row == index else { break }
            guard let bytes = match.bytes?.clamped(to: row.bytes), !bytes.isEmpty else { continue }
            let text = page.text(of: row)
            let start = row.bytes.lowerBound
            grid.overlay(
                [bytes.lowerBound - start..<bytes.upperBound - start],
                of: text,
                at: place,
                page.current == first + number ? .matchCurrent : .match,
                theme: look.theme
            )
        }
    }
}
