import Documents
import Terminal

/// The words around the document: its name, size and faults, and where the cursor is.
struct ViewerTitle {
    let model: ViewerModel
    let look: Look

    private var pane: TreePane { model.pane }

    /// The name, what it is, and how much.
    var title: [StyledText] {
        let name = StyledText(model.name, look[.paneTitleFocused])
        guard let body = pane.body else { return [name] }
        let facts = [form(of: body), Readable.bytes(body.bytes.expectedCount ?? body.bytes.count)]
        return [name] + facts.map { StyledText($0, look[.paneTitle]) }
    }

    private func form(of body: BodyDocument) -> String {
        switch body.form {
        case .tree: body.format?.name ?? "JSON"
        case .text: "text"
        case .hex: "bytes"
        }
    }

    /// What is wrong, or how far the reading is; where there is no border, where the cursor is.
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

    /// The path of the cursor; of a long one, the end.
    func path(columns: Int) -> StyledText {
        guard columns > 0, let path = pane.currentPath else { return StyledText() }
        let shown = TextWidth.cut(path, to: columns, .start, ellipsis: look.symbols.ellipsis)
        return StyledText(shown, look[.textMuted])
    }

    /// `12 of 1,204`.
    var place: StyledText {
        let (row, count): (Int, Int) =
            if let list = pane.findings?.query?.list {
                (list.selection, list.count)
            } else {
                (pane.scroll.selection, pane.body?.rowCount ?? 0)
            }
        guard count > 0 else { return StyledText() }
        let text = "\(Readable.count(row + 1)) of \(Readable.count(count))"
        return StyledText(text, look[.textMuted])
    }
}
