import Documents
package import Terminal

/// A document pane inside its frame: rows, a table, a picture or a list of matches, and the foot below.
package struct DocumentPaneView {
    let pane: DocumentPane
    let isFocused: Bool
    /// Whether a column at each side stays blank.
    let isPadded: Bool
    let now: Duration
    /// The key bindings, for the hints of what can be copied.
    let keys: KeyTable
    let look: Look

    /// Makes the view.
    package init(
        pane: DocumentPane,
        isFocused: Bool,
        isPadded: Bool,
        now: Duration,
        keys: KeyTable,
        look: Look
    ) {
        self.pane = pane
        self.isFocused = isFocused
        self.isPadded = isPadded
        self.now = now
        self.keys = keys
        self.look = look
    }

    /// Draws it; returns the position of the text cursor; nil if nothing is typed here.
    @discardableResult
    package func draw(in area: Rect, into grid: inout Grid) -> Point? {
        let (rows, strip) = area.splitBottom(min(pane.footRows, area.rows))
        if let table = pane.table {
            TableRows(table: table, isFocused: isFocused, isPadded: isPadded, look: look)
                .draw(in: rows, into: &grid)
        } else if pane.showsPicture, let picture = pane.picture {
            PictureView(picture: picture, isPadded: isPadded, look: look)
                .draw(in: rows, into: &grid)
        } else if let query = pane.findings?.query, let list = query.list, let body = pane.body {
            MatchList(
                body: body,
                query: query,
                list: list,
                isFocused: isFocused,
                isPadded: isPadded,
                look: look
            ).draw(in: rows, into: &grid)
        } else {
            BodyRows(pane: pane, isFocused: isFocused, isPadded: isPadded, look: look)
                .draw(in: rows, into: &grid)
        }
        let inside = isPadded ? strip.inset(left: 1, right: 1) : strip
        return PromptBar(pane: pane, now: now, keys: keys, look: look).draw(in: inside, into: &grid)
    }
}

/// The list of a query's matches: the path and the value of each.
struct MatchList {
    let body: BodyDocument
    let query: QueryFindings
    let list: ListScroll
    let isFocused: Bool
    let isPadded: Bool
    let look: Look

    func draw(in area: Rect, into grid: inout Grid) {
        guard !area.isEmpty, let document = body.document else { return }
        var list = list
        list.update(count: query.nodes.count, height: area.rows)
        let inside = isPadded ? area.inset(left: 1, right: 1) : area
        let limit = max(8, inside.columns * 3 / 5)
        let nodes = query.nodes[list.visible]
        let paths = nodes.map { node in
            let path = document.dottedPath(of: node, maximumLength: limit * 2)
            return TextWidth.cut(path, to: limit, .start, ellipsis: look.symbols.ellipsis)
        }
        let widest = paths.map { TextWidth.columns(of: $0) }.max() ?? 0
        let valueColumn = TreeRowView.valueColumn(after: widest)
        for (line, (node, path)) in zip(nodes, paths).enumerated() {
            let row = inside.row(line)
            grid.draw(path, in: row, style: look[.treeKey])
            let room = row.columns - valueColumn
            grid.draw(
                document.valueText(of: node, limit: max(16, room * 4)).line(look),
                x: row.x + valueColumn,
                y: row.y,
                width: max(0, room),
                cut: .end
            )
        }
        if isFocused, !nodes.isEmpty {
            let row = area.row(list.selection - list.offset)
            grid.overlay(row, .selection, theme: look.theme)
        }
        guard isPadded else { return }
        Scrollbar.draw(
            list.visible,
            of: query.nodes.count,
            beside: area,
            isFocused: isFocused,
            into: &grid,
            look: look
        )
    }
}

extension Document {
    /// A value for a row, of which at most `limit` bytes are read.
    fileprivate func valueText(of node: NodeIndex, limit: Int) -> ValueText {
        let kind = kind(of: node)
        if kind.isContainer {
            return ValueText(
                kind: kind,
                childCount: childCount(of: node),
                isIncomplete: isIncomplete(node)
            )
        }
        let range = valueRange(of: node)
        let text = bytes.string(in: range.prefix(limit))
        return ValueText(kind: kind, text: text, isCut: range.count > limit)
    }
}

/// The foot below a pane's rows: a prompt, the matches, or what can be copied.
package struct PromptBar {
    let pane: DocumentPane
    let now: Duration
    let keys: KeyTable
    let look: Look

    /// Makes the view.
    package init(
        pane: DocumentPane,
        now: Duration,
        keys: KeyTable,
        look: Look
    ) {
        self.pane = pane
        self.now = now
        self.keys = keys
        self.look = look
    }

    /// Draws it; returns the position of the text cursor; nil if nothing is typed here.
    package func draw(in area: Rect, into grid: inout Grid) -> Point? {
        guard !area.isEmpty else { return nil }
        switch pane.layer {
        case .prompt(let prompt): return draw(prompt, in: area, into: &grid)
        case .copying: drawCopying(in: area.row(0), into: &grid)
        case .rows, .value: drawFindings(in: area.row(0), into: &grid)
        }
        return nil
    }

    private func draw(_ prompt: DocumentPrompt, in area: Rect, into grid: inout Grid) -> Point? {
        let row = area.row(0)
        let used = grid.draw(sign(of: prompt.kind) + " ", x: row.x, y: row.y, style: look[.key])
        let place = row.inset(left: used)
        let cursor = prompt.field.draw(in: place, into: &grid, look: look, isFocused: true)
        if let column = prompt.problem?.column, TextWidth.columns(of: prompt.text) < place.columns {
            let before = String(prompt.text.unicodeScalars.prefix(column - 1))
            let x = place.x + TextWidth.columns(of: before)
            let cell = Rect(x: x, y: row.y, columns: 1, rows: 1)
            grid.overlay(cell.intersection(place), .matchCurrent, theme: look.theme)
        }
        drawStatus(of: prompt, in: area.row(1), into: &grid)
        return cursor
    }

    private func drawStatus(of prompt: DocumentPrompt, in row: Rect, into grid: inout Grid) {
        if let problem = prompt.problem {
            let place = problem.column.map { "column \($0): " } ?? ""
            let text = "\(look.symbols.crossMark) \(place)\(problem.text)"
            grid.draw(text, in: row, style: look[.error])
            return
        }
        let mode = prompt.kind == .search ? pane.searchRequest.words : ""
        FittingLine(
            leading: [count].filter { !$0.isEmpty },
            trailing: mode.isEmpty ? [] : [StyledText(mode, look[.textMuted])]
        ).draw(in: row, into: &grid)
    }

    /// Draws `/ london  3 of 135,204  keys+values`.
    private func drawFindings(in row: Rect, into grid: inout Grid) {
        guard let findings = pane.findings else { return }
        let (kind, text, mode): (DocumentPrompt.Kind, String, String) =
            switch findings {
            case .search(let search): (.search, search.request.text, search.request.words)
            case .query(let query): (.query, query.text, query.list == nil ? "" : "matches only")
            }
        var question = StyledText("\(sign(of: kind)) ", look[.key])
        let room = max(4, row.columns - count.columns - 4)
        let shown = TextWidth.cut(text, to: room, ellipsis: look.symbols.ellipsis)
        question.append(shown, look[.text])
        FittingLine(
            leading: [question, count],
            trailing: mode.isEmpty ? [] : [StyledText(mode, look[.textMuted])]
        ).draw(in: row, into: &grid)
    }

    private func sign(of kind: DocumentPrompt.Kind) -> String {
        switch kind {
        case .search: "/"
        case .query: "$"
        case .place: "#"
        }
    }

    /// `3 of 135,204`, with a spinner while more may come.
    private var count: StyledText {
        guard let findings = pane.findings else { return StyledText() }
        let (place, total): (Int?, Int) =
            switch findings {
            case .search(let search):
                (search.current?.number, search.engine.progress.hitCount)
            case .query(let query):
                (query.list?.selection ?? query.current, query.nodes.count)
            }
        let number = findings.search == nil ? place.map { $0 + 1 } : place
        var line = StyledText()
        if findings.isRunning { line.append("\(look.spinner(at: now)) ", look[.chainRunning]) }
        if total == 0 {
            guard !findings.isRunning else { return line }
            line.append("no matches", look[.warning])
        } else {
            let of = number.map { "\(Readable.count($0)) of " } ?? ""
            line.append("\(of)\(Readable.count(total))", look[.textAccent])
            if number == nil { line.append(" found", look[.textMuted]) }
        }
        return line
    }

    private func drawCopying(in row: Rect, into grid: inout Grid) {
        let used = grid.draw("copy  ", x: row.x, y: row.y, style: look[.textAccent])
        let hints = keys.bindings.filter { binding in
            guard binding.place == .copying, !binding.keys.isEmpty, binding.action != .back else {
                return false
            }
            let isAll = binding.action == .copyMatches || binding.action == .copyMatchPaths
            return !isAll || pane.findings?.query != nil
        }
        FooterHints(hints.map { .init($0.keys[0], $0.label) })
            .draw(in: row.inset(left: used), into: &grid, look: look)
    }
}
