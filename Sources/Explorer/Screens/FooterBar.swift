import Documents
import Terminal

/// The last row: what is possible now; and the row of news.
struct FooterBar {
    let model: Model
    let look: Look

    func draw(_ layout: Layout, into grid: inout Grid) {
        let sharesRow = layout.notice == layout.footer
        if let notice = model.notice {
            drawNotice(notice, in: layout.notice, into: &grid)
            if sharesRow { return }
        }
        let row = layout.isFramed ? layout.footer.inset(left: 1) : layout.footer
        FooterHints(hints).draw(in: row, into: &grid, look: look)
    }

    private func drawNotice(_ notice: Notice, in row: Rect, into grid: inout Grid) {
        let scope: Scope =
            switch notice.kind {
            case .information: .textAccent
            case .warning: .warning
            case .failure: .error
            }
        let sign = notice.kind == .failure ? "\(look.symbols.crossMark) " : ""
        let x = row.columns >= 60 ? row.x + 1 : row.x
        grid.draw(
            sign + notice.text,
            x: x,
            y: row.y,
            width: max(0, row.maxX - x),
            style: look[scope],
            cut: .end
        )
    }

    /// Most useful first.
    private var hints: [FooterHints.Hint] {
        if model.help != nil { return helpHints }
        if model.list.isTypingFilter {
            return [.init("enter", "keep the filter"), .init("esc", "clear it")]
        }
        var actions: [(Action, String?)] =
            switch model.focus {
            case .targets: targetActions
            case .cache, .server: answerActions
            case .progress: []
            }
        if model.runs.runningCount > 0 { actions.insert((.cancel, nil), at: min(1, actions.count)) }
        // Where there is one pane at a time, the way to the others comes before what else it does.
        if !model.layout.isFramed {
            let place = model.focus == .targets ? min(1, actions.count) : 0
            actions.insert(contentsOf: waysToOtherPanes, at: place)
        }
        actions += [(.nextSource, nil)]
        if (model.catalog?.environments.count ?? 0) > 1 { actions.append((.nextEnvironment, nil)) }
        actions += [(.focusNext, nil), (.filter, nil), (.help, nil), (.zoom, nil)]
        actions += [(.fireAgain, nil), (.quit, nil)]
        var seen: Set<Action> = []
        let once = actions.filter { seen.insert($0.0).inserted }
        return withHelpInSight(once.compactMap { hint($0.0, $0.1) })
    }

    private var waysToOtherPanes: [(Action, String?)] {
        // A batch or a chain has one pane in place of the two answers.
        let hasAnswers =
            switch model.list.selected?.kind {
            case .batch, .chain: false
            case .target, .group, nil: true
            }
        return switch model.focus {
        case .targets: [(.focusNext, hasAnswers ? "cache" : "open")]
        case .cache where !hasAnswers: [(.back, "targets")]
        case .server where !hasAnswers: [(.back, "targets")]
        case .cache: [(.focusNext, "server"), (.back, "targets")]
        case .server: [(.focusCache, "cache"), (.back, "targets")]
        case .progress: [(.back, "targets")]
        }
    }

    private var targetActions: [(Action, String?)] {
        switch model.list.selected?.kind {
        case .group(let isFolded, _): [(.activate, isFolded ? "unfold" : "fold")]
        case .target: [(.activate, "send")]
        case .batch, .chain: [(.activate, "run")]
        case nil: []
        }
    }

    private var answerActions: [(Action, String?)] {
        var actions: [(Action, String?)] = []
        let pane = model.focus == .cache ? model.selectedView?.cache : model.selectedView?.server
        if let body = pane?.body, let pane {
            if case .tree(let row)? = body.row(at: pane.scroll.selection, textLimit: 1) {
                switch row.fold {
                case .open: actions.append((.toggleFold, "fold"))
                case .closed: actions.append((.toggleFold, "unfold"))
                case .leaf: break
                }
            }
            actions.append((.nextForm, nil))
            actions.append((.copyValue, nil))
        }
        return actions + [(.fireAgain, nil), (.back, "targets")]
    }

    private var helpHints: [FooterHints.Hint] {
        [.init("esc", "close"), .init("up down", "scroll"), .init("pgdn", "page")]
    }

    private func hint(_ action: Action, _ label: String?) -> FooterHints.Hint? {
        KeyTable.hint(for: action, in: model.focus)
            .map { FooterHints.Hint(KeyName.shown($0.key), label ?? $0.label) }
    }

    /// Where not all fit, the help stays: it has the rest.
    private func withHelpInSight(_ hints: [FooterHints.Hint]) -> [FooterHints.Hint] {
        var hints = hints
        let room = model.size.columns - (model.layout.isFramed ? 1 : 0)
        while width(hints) > room, hints.count > 1 {
            guard let place = hints.lastIndex(where: { $0.label != "help" }), place > 0 else {
                break
            }
            hints.remove(at: place)
        }
        return hints
    }

    private func width(_ hints: [FooterHints.Hint]) -> Int {
        hints.reduce(-2) {
            $0 + TextWidth.columns(of: $1.key) + TextWidth.columns(of: $1.label) + 3
        }
    }
}
