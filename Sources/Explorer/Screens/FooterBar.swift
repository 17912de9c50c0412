import Documents
import Recordings
import Terminal

/// The last row: what is possible now; and the row of news.
struct FooterBar {
    let model: Model
    let look: Look

    /// Draws it; returns where the text cursor stands while something is typed here.
    func draw(_ layout: Layout, into grid: inout Grid) -> Point? {
        let sharesRow = layout.notice == layout.footer
        if let confirmation = model.confirmation {
            let row = layout.notice.inset(left: layout.notice.columns >= 60 ? 1 : 0)
            let words = confirmation.sentence
            let question = sharesRow ? "! y sends \(words)" : "! Send \(words)?"
            grid.draw(question, in: row, style: look[.error])
            if !sharesRow { drawHints(layout, into: &grid) }
            return nil
        }
        if let prompt = model.prompt {
            let row = layout.notice.inset(left: layout.notice.columns >= 60 ? 1 : 0)
            let label = grid.draw("\(prompt.label) ", in: row, style: look[.key])
            let place = prompt.field.draw(
                in: row.inset(left: label),
                into: &grid,
                look: look,
                isFocused: true
            )
            if !sharesRow { drawHints(layout, into: &grid) }
            return place
        }
        if let notice = model.notice ?? model.catalogNotice, model.picker == nil {
            let row = layout.notice
            NoticeLine(notice: notice, look: look)
                .draw(in: row.inset(left: row.columns >= 60 ? 1 : 0), into: &grid)
            if sharesRow { return nil }
        }
        drawHints(layout, into: &grid)
        return nil
    }

    private func drawHints(_ layout: Layout, into grid: inout Grid) {
        FooterHints(hints).draw(in: Self.row(layout), into: &grid, look: look)
    }

    private static func row(_ layout: Layout) -> Rect {
        layout.isFramed ? layout.footer.inset(left: 1) : layout.footer
    }

    /// The key of the hint at a place; of several, the last.
    func key(at point: Point, _ layout: Layout) -> Key? {
        let isHidden =
            layout.notice == layout.footer
            && (model.notice != nil || model.prompt != nil || model.confirmation != nil)
        guard !isHidden, model.catalog != nil else { return nil }
        let hint = FooterHints(hints).hint(at: point, in: Self.row(layout))
        let names = hint?.key.split(separator: " ") ?? []
        return names.last.flatMap { Key(String($0).replacing("^", with: "ctrl+")) }
    }

    /// The keys of the hints that are drawn, each with its place.
    func keys(_ layout: Layout) -> [(key: Key, place: Rect)] {
        let isHidden =
            layout.notice == layout.footer && (model.notice != nil || model.prompt != nil)
        guard !isHidden else { return [] }
        return FooterHints(hints).places(in: Self.row(layout).row(0)).compactMap { hint, place in
            let name = hint.key.split(separator: " ").last.map(String.init) ?? ""
            return Key(name.replacing("^", with: "ctrl+")).map { ($0, place) }
        }
    }

    /// Most useful first.
    private var hints: [FooterHints.Hint] {
        if model.confirmation != nil { return Confirmation.hints }
        if let picker = model.picker { return PickerView.hints(picker.kind) }
        if model.explanation != nil || model.help != nil {
            return HelpScreen.hints
        }
        if let list = model.cookies, model.prompt == nil {
            return CookieScreen.hints(list).compactMap { hint($0.0, $0.1) }
        }
        if let prompt = model.prompt {
            return [.init("enter", prompt.accepting), .init("esc", "cancel")]
                + prompt.examples.map { .init($0.typed, $0.meaning) }
        }
        if model.choosesTab {
            return model.keys.bindings.filter { $0.place == .tabs }.map {
                .init($0.keys[0], $0.label)
            }
        }
        if model.pastValues != nil {
            return [
                .init("enter", "open that answer"), .init("up down", "move"), .init("esc", "close"),
            ]
        }
        if model.focus == .request, model.showsRequestPane {
            return RequestHints(model: model).hints
        }
        if model.list.filter.isTyping || model.session.filter.isTyping {
            return [.init("enter", "keep the filter"), .init("esc", "clear it")]
        }
        if model.shownPage == nil, let tree = model.focusedDocument,
            let actions = DocumentPaneHints.own(of: tree)
        {
            return actions.compactMap { hint($0.0, $0.1) }
        }
        var actions: [(Action, String?)] =
            switch model.focus {
            case .targets, .request: targetActions
            case .cache, .server: answerActions
            case .progress: sessionActions
            }
        if model.runs.runningCount > 0 { actions.insert((.cancel, nil), at: min(1, actions.count)) }
        // Where there is one pane at a time, the way to the others comes before what else it does.
        if !model.layout.isFramed {
            let place = model.focus == .targets ? min(1, actions.count) : 0
            actions.insert(contentsOf: waysToOtherPanes, at: place)
        }
        actions += [(.nextSource, nil)]
        if (model.catalog?.environments.count ?? 0) > 1 { actions.append((.nextEnvironment, nil)) }
        actions += [(.focusNext, nil), (.filter, nil), (.palette, nil), (.help, nil), (.zoom, nil)]
        actions += [(.sendAgain, nil), (.quit, nil)]
        var seen: Set<Action> = []
        let once = actions.filter { seen.insert($0.0).inserted }
        return once.compactMap { hint($0.0, $0.1) }
    }

    private var waysToOtherPanes: [(Action, String?)] {
        // A batch or a chain has one pane in place of the two answers.
        let hasAnswers =
            switch model.list.selected?.kind {
            case .batch, .chain: false
            case .target, .group, nil: true
            }
        return switch model.focus {
        case .targets, .request: [(.focusNext, hasAnswers ? "cache" : "open")]
        case .cache where !hasAnswers: [(.back, "targets")]
        case .server where !hasAnswers: [(.back, "targets")]
        case .cache: [(.focusNext, "server"), (.back, "targets")]
        case .server: [(.focusCache, "cache"), (.back, "targets")]
        case .progress: [(.back, "targets")]
        }
    }

    private var sessionActions: [(Action, String?)] {
        var actions: [(Action, String?)] = []
        switch model.session.selected {
        case .entry(HistoryEntry.exchange), .part:
            actions = [(.open, nil), (.sendAgain, nil), (.mark, nil), (.note, nil)]
            if model.marked.count == 2 { actions.insert((.compareMarked, nil), at: 3) }
            actions.append((.copyCommand, nil))
        case .entry(.run(let run)):
            actions = [(.open, model.session.isOpen(run.id) ? "close" : "open")]
        case .run, .day, nil: break
        }
        guard model.hasHistory else { return [] }
        return actions + [(.filter, nil), (.recordSession, nil), (.back, nil)]
    }

    private var targetActions: [(Action, String?)] {
        switch model.list.selected?.kind {
        case .group(let isFolded, _): [(.activate, isFolded ? "unfold" : "fold")]
        case .target: [(.activate, "send")] + (model.canCompare ? [(.compare, nil)] : [])
        case .batch:
            [(.activate, "run")] + (model.canRunFailedAgain ? [(.runFailedAgain, nil)] : [])
        case .chain: [(.activate, "run")]
        case nil: []
        }
    }

    private var answerActions: [(Action, String?)] {
        var actions: [(Action, String?)] = []
        if model.isBatchSelected {
            let again: [(Action, String?)] = model.canRunFailedAgain ? [(.runFailedAgain, nil)] : []
            let open =
                switch model.batchLine {
                case .group(_, let isOpen)?: isOpen ? "fold" : "unfold"
                case .row?: "open"
                case .more?: "show all"
                case nil: model.batchRun == nil ? "run" : "open"
                }
            return [(.open, open)] + again + [(.sendAgain, "run again"), (.back, "targets")]
        }
        if model.isChainSelected {
            guard model.chainRun != nil else { return [(.open, "run"), (.back, "targets")] }
            let from = model.selectedView?.chosenStep == nil ? "run again" : nil
            return [(.open, nil), (.sendAgain, from), (.runAlone, nil), (.back, "targets")]
        }
        if model.shownPage != nil {
            actions = [
                (.right, nil), (.back, nil), (.search, nil), (.nextMatch, nil), (.copyText, nil),
                (.copyPage, nil), (.saveBody, "save the body"),
            ]
            return actions.filter { $0.0 != .nextMatch || model.shownPage?.needle.isEmpty == false }
        }
        if let side = model.focusedSide, let filter = model.selectedView?[side].filter {
            actions += [
                (.back, filter.ending == nil ? "end it" : "the body"), (.filterBody, "again"),
            ]
        }
        if let tree = model.focusedDocument {
            actions += model.comparison == nil ? DocumentPaneHints.ofRows(tree) : comparingActions
        }
        if model.opened != nil {
            actions += [
                (.compare, nil), (.details, nil), (.olderAnswer, nil), (.newerAnswer, nil),
                (.pastValues, nil),
            ]
            return actions + [(.sendAgain, nil), (.copyCommand, nil), (.back, "session")]
        }
        if case .target? = model.list.selected?.kind {
            actions += [(.details, nil), (.explain, nil), (.saveBody, nil)]
        }
        if model.hasHistory, model.focusedDocument?.body?.document != nil {
            actions += [(.pastValues, nil), (.olderAnswer, nil)]
        }
        return actions + [(.sendAgain, nil), (.back, "targets")]
    }

    private var comparingActions: [(Action, String?)] {
        [
            (.nextMatch, nil), (.previousMatch, nil), (.listMatches, "fold equal"),
            (.compare, "end"), (.toggleFold, nil), (.copy, nil),
        ]
    }

    private func hint(_ action: Action, _ label: String?) -> FooterHints.Hint? {
        model.keys.hint(for: action, label, in: model.keyPlaces)
    }
}

extension Model {
    /// The key of the hint that the footer shows at a place.
    func footerKey(at point: Point) -> Key? {
        FooterBar(model: self, look: Look(theme: theme)).key(at: point, layout)
    }

    /// The keys of all hints that it shows.
    var footerKeys: [(key: Key, place: Rect)] {
        FooterBar(model: self, look: Look(theme: theme)).keys(layout)
    }
}

/// A line of news.
struct NoticeLine {
    let notice: Notice
    let look: Look

    func draw(in row: Rect, into grid: inout Grid) {
        let sign = notice.kind == .failure ? "\(look.symbols.crossMark) " : ""
        grid.draw(sign + notice.text, in: row, style: look[scope])
    }

    private var scope: Scope {
        switch notice.kind {
        case .information: .textAccent
        case .warning: .warning
        case .failure: .error
        }
    }
}

/// What the footer says of a pane, the most useful first.
enum DocumentPaneHints {
    /// The actions while something has the keys that leaves no other; nil for the rows.
    static func own(of pane: DocumentPane) -> [(Action, String?)]? {
        switch pane.layer {
        case .rows: nil
        case .copying: [(.back, nil)]
        case .value(let value): ofValue(value)
        case .prompt(let prompt): typing(prompt.kind)
        }
    }

    private static func ofValue(_ value: WholeValue) -> [(Action, String?)] {
        let value = value.innermost
        let form: [(Action, String?)] =
            value.decoded == nil ? [] : [(.nextForm, value.isWritten ? "decoded" : nil)]
        guard value.pane?.body?.form == .tree else {
            return [(.open, "close"), (.copyText, nil)] + form
                + [(.down, "scroll"), (.pageDown, "page")]
        }
        return [(.open, "open"), (.back, "close"), (.copyText, nil)] + form + [(.toggleFold, nil)]
    }

    private static func typing(_ kind: DocumentPrompt.Kind) -> [(Action, String?)] {
        switch kind {
        case .search:
            [
                (.accept, nil), (.dismiss, nil), (.nextPart, nil), (.toggleExpression, nil),
                (.older, nil),
            ]
        case .query: [(.accept, nil), (.dismiss, nil), (.older, nil)]
        case .place: [(.accept, "go"), (.dismiss, "close")]
        }
    }

    private static func ofTable(_ table: DocumentTable, _ pane: DocumentPane) -> [(Action, String?)]
    {
        let matches: [(Action, String?)] =
            pane.findings == nil ? [] : [(.nextMatch, nil), (.previousMatch, nil)]
        let hidden: [(Action, String?)] = table.hiddenCount > 0 ? [(.showColumns, nil)] : []
        return [(.table, nil), (.sortColumn, nil), (.open, nil), (.hideColumn, nil)] + hidden
            + matches
            + [(.columnLeft, "> move"), (.search, nil), (.copy, nil)]
    }

    /// The actions while the rows have the keys.
    static func ofRows(_ pane: DocumentPane) -> [(Action, String?)] {
        guard let body = pane.body else { return [] }
        if let table = pane.table { return ofTable(table, pane) }
        if pane.showsPicture { return [(.nextForm, "bytes")] }
        if pane.findings?.query?.list != nil {
            return [
                (.open, "show in the tree"), (.listMatches, "all rows"), (.copy, nil),
                (.back, "clear"),
            ]
        }
        var actions: [(Action, String?)] = []
        if body.fault(atRow: pane.scroll.selection) != nil {
            actions = [(.open, "show in the text"), (.resumeAfterFault, nil)]
        }
        if let row = pane.currentRow {
            switch row.fold {
            case .open: actions.append((.open, "fold"))
            case .closed: actions.append((.open, "unfold"))
            case .leaf where !row.kind.isContainer: actions.append((.open, "full value"))
            case .leaf: break
            }
        }
        if pane.findings != nil {
            actions += [(.nextMatch, nil), (.previousMatch, nil)]
            if pane.findings?.query != nil { actions.append((.listMatches, nil)) }
        }
        actions.append((.search, nil))
        if let document = body.document {
            if let node = pane.currentNode,
                DocumentTable.container(around: node, of: document) != nil
            {
                actions.append((.table, nil))
            }
            actions.append((.query, nil))
        }
        actions += [(.copy, nil), (.nextForm, nil)]
        let isAtFault = body.fault(atRow: pane.scroll.selection) != nil
        if body.fault != nil || body.breakingFault != nil { actions.append((.showFault, nil)) }
        if body.fault != nil, !isAtFault { actions.append((.resumeAfterFault, nil)) }
        return actions
    }
}
