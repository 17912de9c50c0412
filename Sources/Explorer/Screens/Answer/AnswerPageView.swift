import Terminal

/// The names of an answer's tabs in a row, the one that is shown in the accent.
struct AnswerTabsView {
    let model: Model
    let side: PaneSide
    let answer: AnswerState
    let isFocused: Bool
    let look: Look

    func draw(in row: Rect, into grid: inout Grid) {
        guard !row.isEmpty else { return }
        let counts = model.answerDetails(side)?.counts ?? [:]
        let choosesLetter = model.choosesTab && isFocused
        var end = row.x
        for item in AnswerTabs(counts: counts, columns: row.columns).items {
            let isShown = item.tab == answer.tab
            let style = look[isShown ? (isFocused ? .textAccent : .text) : .textMuted]
            let x = row.x + item.column
            end = x + grid.draw(item.title, x: x, y: row.y, width: row.maxX - x, style: style)
            if choosesLetter, let at = letter(of: item) {
                let letter = String(item.title[at])
                let column = item.title.distance(from: item.title.startIndex, to: at)
                grid.draw(letter, x: x + column, y: row.y, width: 1, style: look[.key])
            }
        }
        guard answer.tab != .body, let response = answer.response else { return }
        let size = response.receivedSize
        guard size.count + 2 <= row.maxX - end else { return }
        grid.draw(size, endingAt: row.maxX, y: row.y, style: look[.textMuted])
    }

    /// Where the letter stands that chooses a tab.
    private func letter(of item: AnswerTabs.Item) -> String.Index? {
        let binding = model.keys.bindings.first {
            $0.place == .tabs && $0.action == item.tab.action
        }
        guard let key = binding?.keys.first else { return nil }
        return item.title.firstIndex { $0.lowercased() == key }
    }
}

/// A tab of an answer beside its body: names at the left, what they say at the right, bars for times.
struct AnswerPageView {
    let page: AnswerPage
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
        _ line: AnswerPage.Line,
        _ row: AnswerPage.Row,
        _ start: Int,
        in place: Rect,
        into grid: inout Grid
    ) {
        if row.isFirst {
            grid.draw(line.name, in: place.first(start - 1), style: look[.treeKey], cut: .end)
        }
        let used = grid.draw(page.text(of: row), in: place.inset(left: start), style: look[.text])
        guard let bar = line.bar else { return }
        // All bars begin in one column, whatever the times are.
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

    /// Shows where in a row what is looked for stands.
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

extension Array {
    /// The first index whose element, and all behind it, are so.
    fileprivate func partitioningIndex(where isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
