import Documents
import Terminal

/// The whole screen of `apus view`.
///
/// Pure, like `Screen`.
struct ViewerScreen {
    let model: ViewerModel
    let look: Look

    private var layout: ViewerLayout { model.layout }
    private var pane: DocumentPane { model.pane }

    /// Draws the model; returns the position of the text cursor, nil to hide it.
    static func render(_ model: ViewerModel, into grid: inout Grid, look: Look) -> Point? {
        ViewerScreen(model: model, look: look).draw(into: &grid)
    }

    private func draw(into grid: inout Grid) -> Point? {
        var cursor: Point?
        if let help = model.help {
            HelpScreen(
                size: model.size,
                keys: model.keys,
                places: KeyBinding.Place.ofTree,
                scroll: help,
                look: look
            ).draw(into: &grid)
        } else if let value = pane.wholeValue {
            WholeValueView(
                value: value,
                isFramed: layout.isFramed,
                now: model.now,
                clock: model.clock,
                look: look
            ).draw(in: layout.pane, into: &grid)
        } else {
            cursor = drawPane(into: &grid)
        }
        ViewerFooter(model: model, look: look).draw(in: layout.footer, into: &grid)
        return cursor
    }

    private func drawPane(into grid: inout Grid) -> Point? {
        let titles = ViewerTitle(model: model, look: look)
        PaneFrame(
            title: titles.title,
            trailing: titles.trailing,
            foot: titles.path(columns: layout.pane.columns - titles.place.columns - 9),
            footTrailing: titles.place,
            isFocused: true,
            isFramed: layout.isFramed
        ).draw(in: layout.pane, into: &grid, look: look)
        grid.draw(titles.path(columns: layout.path.columns), in: layout.path)
        if pane.body == nil {
            drawWords(in: layout.body.inset(left: layout.isFramed ? 1 : 0), into: &grid)
            return nil
        }
        return DocumentPaneView(
            pane: pane,
            isFocused: true,
            isPadded: layout.isFramed,
            now: model.now,
            keys: model.keys,
            look: look
        ).draw(in: layout.body, into: &grid)
    }

    /// Draws a message in place of the rows.
    private func drawWords(in area: Rect, into grid: inout Grid) {
        switch model.content {
        case .failed(let text): Paragraph(text, look[.error]).draw(in: area, into: &grid)
        case .opening:
            Paragraph("\(look.spinner(at: model.now)) waiting for data", look[.textMuted])
                .draw(in: area, into: &grid)
        case .open: break
        }
    }
}

/// Where every part of `apus view` stands, for a size of the terminal.
///
/// ```
/// ╭─ name · JSON · 1.2 MB ────────── 38 % ╮      name              12 of 340
/// │ rows                                  │      rows
/// ╰─ path.of.the.cursor ──── 12 of 1,204 ─╯      path.of.the.cursor
///  footer                                        footer
/// ```
struct ViewerLayout: Equatable {
    /// The pane, including its border or title row.
    let pane: Rect
    /// The rows of the document, and what stands below them.
    let body: Rect
    /// The path of the cursor, if there is no border to hold it.
    let path: Rect
    let footer: Rect
    /// Whether the pane has a border.
    let isFramed: Bool

    init(size: Size) {
        isFramed = size.hasRoomForFrames
        let (rest, footer) = Rect(size: size).splitBottom(1)
        self.footer = footer
        if isFramed {
            pane = rest
            body = rest.inset(by: 1)
            path = .empty
        } else {
            // In a low terminal the document's rows come before the path.
            let (above, below) = rest.splitBottom(rest.rows >= 6 ? 1 : 0)
            pane = above
            path = below
            body = above.inset(top: 1)
        }
    }

    /// The room for the text of one value.
    var valueRoom: Size { pane.textArea(isFramed: isFramed).size }
}

/// The last row: hints, or the notice.
struct ViewerFooter {
    let model: ViewerModel
    let look: Look

    func draw(in rect: Rect, into grid: inout Grid) {
        let row = model.layout.isFramed ? rect.inset(left: 1) : rect
        if let notice = model.notice {
            NoticeLine(notice: notice, look: look).draw(in: row, into: &grid)
        } else {
            FooterHints(hints).draw(in: row, into: &grid, look: look)
        }
    }

    private var hints: [FooterHints.Hint] {
        if model.help != nil { return HelpScreen.hints }
        let pane = model.pane
        let actions =
            DocumentPaneHints.own(of: pane)
            ?? DocumentPaneHints.ofRows(pane) + [(.help, nil), (.quit, nil)]
            + (pane.showsPicture
                ? []
                : [(.unfoldLevels, nil), (.foldAll, nil), (.unfoldAll, nil), (.goTo, nil)])
        return actions.compactMap { model.keys.hint(for: $0, $1, in: model.keyPlaces) }
    }
}

/// The texts around the document: its name, size and faults, and the cursor's position.
struct ViewerTitle {
    let model: ViewerModel
    let look: Look

    private var pane: DocumentPane { model.pane }

    /// The name, the format and the size.
    var title: [StyledText] {
        let name = StyledText(model.name, look[.paneTitleFocused])
        guard let body = pane.body else { return [name] }
        let facts = [form(of: body), Readable.bytes(body.bytes.expectedCount ?? body.bytes.count)]
        return [name] + facts.map { StyledText($0, look[.paneTitle]) }
    }

    private func form(of body: BodyDocument) -> String {
        switch body.form {
        case .tree: body.format?.name ?? "JSON"
        case .text: body.isPretty ? "pretty text" : "text"
        case .hex: pane.showsPicture ? "picture" : "bytes"
        }
    }

    /// The fault, or the progress of reading; else, if there is no border, the cursor's position.
    var trailing: StyledText {
        if case .failed(let text) = model.content, pane.body != nil {
            return StyledText("\(look.symbols.crossMark) \(text)", look[.error])
        }
        if let fault = pane.faultWords {
            return StyledText("\(look.symbols.crossMark) \(fault)", look[.error])
        }
        guard let body = pane.body else { return StyledText() }
        if !pane.isOpening { return model.layout.isFramed ? StyledText() : place }
        return StyledText(progress(of: body), look[.chainRunning])
    }

    private func progress(of body: BodyDocument) -> String {
        let progress = body.progress
        let spinner = look.spinner(at: model.now)
        guard progress.totalBytes > 0, progress.parsedBytes < progress.totalBytes else {
            return "\(spinner) \(Readable.bytes(progress.parsedBytes))"
        }
        return "\(spinner) \(progress.parsedBytes * 100 / progress.totalBytes) %"
    }

    /// The path of the cursor; a long one is cut at the start.
    func path(columns: Int) -> StyledText {
        guard columns > 0, let path = pane.currentPath else { return StyledText() }
        let shown = TextWidth.cut(path, to: columns, .start, ellipsis: look.symbols.ellipsis)
        return StyledText(shown, look[.textMuted])
    }

    /// `12 of 1,204`.
    var place: StyledText {
        guard !pane.showsPicture else { return StyledText() }
        let (row, count) = (pane.shownScroll.selection, pane.shownScroll.count)
        guard count > 0 else { return StyledText() }
        let text = "\(Readable.count(row + 1)) of \(Readable.count(count))"
        return StyledText(text, look[.textMuted])
    }
}
