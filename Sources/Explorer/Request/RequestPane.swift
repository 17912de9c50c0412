import Apus
import Documents
import HTTPTypes
import Recordings
import Terminal
import TreeView

/// The closed request pane: the method and URL that will be sent, and details.
struct RequestPane: ScreenView {
    let context: ScreenContext

    func draw(into grid: inout Grid) {
        let pane = layout.request
        guard !pane.isEmpty, !layout.requestIsOpen else { return }
        guard layout.arrangement == .wide else {
            // There is one row between the header and the frames of the responses.
            drawRequest(in: pane.inset(left: 2, right: 2), into: &grid)
            return
        }
        let frame = PaneFrame(
            title: [StyledText(title, look[.title])]
                + (isEdited ? [StyledText("edited", look[.diffChanged])] : []),
            trailing: StyledText(hint, look[.keyHint]),
            isFocused: false,
            isFramed: true
        )
        let inside = frame.draw(in: pane, into: &grid, look: look).inset(left: 1, right: 1)
        let row = inside.row(0)
        drawRequest(in: row, into: &grid)
        drawDetails(in: inside.row(1), into: &grid)
    }

    private var selected: TargetList.Row? { model.targets.selected }

    private var isEdited: Bool {
        guard model.responses.opened == nil, let id = selected?.id else { return false }
        return model.request.edited.isEdited(id)
    }

    private var title: String {
        if let part = model.responses.openedPart { return part.name }
        guard let opened = model.responses.opened else { return selected?.name ?? "Request" }
        let name = opened.then.origin.target?.split(separator: "/").last.map(String.init)
        return name ?? "Exchange \(opened.then.id)"
    }

    private var hint: String {
        if model.responses.opened != nil { return "r sends it again" }
        if let part = model.responses.openedPart {
            return "of \(model.runs[part.run]?.name ?? "a run"); r sends it alone"
        }
        return switch selected?.kind {
        case .target: "enter sends"
        case .group(let isFolded, _): isFolded ? "enter unfolds" : "enter folds"
        default: ""
        }
    }

    private func drawRequest(in row: Rect, into grid: inout Grid) {
        if let opened = model.responses.opened {
            drawLine(opened.then.request.method, opened.then.request.url, in: row, into: &grid)
            return
        }
        if let part = model.responses.openedPart {
            if case .success(let request)? = model.selectedView?.request {
                drawLine(request.target.method.rawValue, request.url, in: row, into: &grid)
            } else {
                grid.draw(part.name, in: row, style: look[.text], cut: .middle)
            }
            return
        }
        switch (selected?.kind, model.selectedView?.request) {
        case (.target(let method), .success(let request)?):
            drawLine(method, request.url, in: row, into: &grid)
        case (.target(let method), .failure(let problem)?):
            let used = drawLine(method, "", in: row, into: &grid)
            grid.draw(
                "\(look.symbols.crossMark) \(problem.description)",
                in: row.inset(left: used),
                style: look[.error]
            )
        case (.target(let method), nil): drawLine(method, "", in: row, into: &grid)
        case (.group(_, let count), _):
            let targets = count == 1 ? "1 target" : "\(Readable.count(count)) targets"
            grid.draw("\(targets) in \(selected?.name ?? "")", in: row, style: look[.text])
        default: break
        }
    }

    @discardableResult
    private func drawLine(
        _ method: String,
        _ url: String,
        in row: Rect,
        into grid: inout Grid
    ) -> Int {
        let tag = MethodTag(method)
        let used = grid.draw(tag.full, in: row, style: look[tag.scope])
        let start = max(used, MethodTag.columns) + 1
        // The end of a path tells more than its middle.
        grid.draw(url, in: row.inset(left: start), style: look[.text], cut: .middle)
        return start
    }

    private func drawDetails(in row: Rect, into grid: inout Grid) {
        switch model.selectedView?.request {
        case .success(let request)?:
            let isSelection = model.responses.opened == nil && model.responses.openedPart == nil
            let summary = isSelection ? selected?.summary : nil
            // That it is not cached stands in the line below.
            let details = request.details.filter {
                !model.keepsNothing || $0 != CachePolicy.none.words
            }
            let pieces =
                (summary.map { [StyledText($0, look[.text])] } ?? [])
                + details.map { StyledText($0, look[.textMuted]) }
            guard !pieces.isEmpty else { return }
            FittingLine(leading: pieces, gap: StyledText("   ", look[.textMuted]))
                .draw(in: row, into: &grid)
        default: break
        }
    }
}
