import Documents
import Recordings
import Terminal
import TreeView

/// The last row, with hints of keys, and the row of notices.
struct FooterBar: ScreenView {
    let context: ScreenContext

    /// Draws it; returns the position of the text cursor; nil if nothing is typed here.
    func draw(into grid: inout Grid) -> Point? {
        let sharesRow = layout.notice == layout.footer
        if let confirmation = model.layers.confirmation {
            let row = layout.notice.inset(left: layout.notice.columns >= 60 ? 1 : 0)
            let question = sharesRow ? "! y sends it: " : "! "
            var line = StyledText("\(question)\(confirmation.what) on ", look[.error])
            line.append(confirmation.environment, look[.badge])
            if !sharesRow { line.append(". Send it?", look[.error]) }
            grid.draw(line, in: row)
            if !sharesRow { drawHints(into: &grid) }
            return nil
        }
        if let question = model.layers.changeQuestion {
            let row = layout.notice.inset(left: layout.notice.columns >= 60 ? 1 : 0)
            let text = sharesRow ? "! y: \(question.text)" : "! \(question.text)"
            grid.fill(layout.notice, style: look[.text])
            grid.draw(text, in: row, style: look[.error], cut: .middle)
            if !sharesRow { drawHints(into: &grid) }
            return nil
        }
        if let prompt = model.layers.prompt {
            let row = layout.notice.inset(left: layout.notice.columns >= 60 ? 1 : 0)
            let label = grid.draw("\(prompt.label) ", in: row, style: look[.key])
            let cursor = prompt.field.draw(
                in: row.inset(left: label),
                into: &grid,
                look: look,
                isFocused: true
            )
            guard let notice = model.notice else {
                if !sharesRow { drawHints(into: &grid) }
                return cursor
            }
            // What is wrong with the text is said below it, or over it until the next key.
            grid.fill(hintsRow, style: look[.text])
            NoticeLine(notice: notice, look: look).draw(in: hintsRow, into: &grid)
            return sharesRow ? nil : cursor
        }
        if let notice = model.notice ?? model.workspace.notice, model.layers.picker == nil {
            let row = layout.notice
            NoticeLine(notice: notice, look: look).draw(
                in: row.inset(left: row.columns >= 60 ? 1 : 0),
                growingTo: layout.isFramed ? 4 : 1,
                into: &grid
            )
            if sharesRow { return nil }
        }
        drawHints(into: &grid)
        return nil
    }

    private func drawHints(into grid: inout Grid) {
        FooterHints(hints).draw(in: hintsRow, into: &grid, look: look)
    }

    private var hintsRow: Rect {
        layout.isFramed ? layout.footer.inset(left: 1) : layout.footer
    }

    /// Whether no hints are drawn: before there is a catalog, and while something else takes their row.
    private var isHidden: Bool {
        let sharesRow = layout.notice == layout.footer
        let hasNotice =
            model.layers.picker == nil && (model.notice ?? model.workspace.notice) != nil
        return model.workspace.catalog == nil
            || sharesRow
                && (hasNotice || model.layers.prompt != nil || model.layers.confirmation != nil
                    || model.layers.changeQuestion != nil)
    }

    /// The key of the hint at a point; the last one if the hint has several.
    func key(at point: Point) -> Key? {
        guard !isHidden else { return nil }
        let hint = FooterHints(hints).hint(at: point, in: hintsRow)
        let names = hint?.key.split(separator: " ") ?? []
        return names.last.flatMap { Key(String($0).replacing("^", with: "ctrl+")) }
    }

    /// The keys of the hints that are drawn, each with its position.
    var keys: [(key: Key, place: Rect)] {
        guard !isHidden else { return [] }
        return FooterHints(hints).places(in: hintsRow.row(0)).compactMap { hint, place in
            let name = hint.key.split(separator: " ").last.map(String.init) ?? ""
            return Key(name.replacing("^", with: "ctrl+")).map { ($0, place) }
        }
    }

    /// The hints, the most useful first.
    private var hints: [FooterHints.Hint] {
        if let hints = model.openLayers.lazy.compactMap(hints(of:)).first { return hints }
        if model.panes.focus == .request, model.showsRequestPane {
            return RequestHints(model: model).hints
        }
        if model.shownPage == nil, let tree = model.focusedDocument,
            let actions = DocumentPaneHints.own(of: tree)
        {
            return actions.compactMap { hint($0.0, $0.1) }
        }
        var actions: [(Action, String?)] =
            switch model.panes.focus {
            case .targets, .request: targetActions
            case .cache, .server: responseActions
            case .progress: sessionActions
            }
        if model.runs.runningCount > 0 { actions.insert((.cancel, nil), at: min(1, actions.count)) }
        // If only one pane is shown at a time, the keys of the others come first.
        if !layout.isFramed {
            let index = model.panes.focus == .targets ? min(1, actions.count) : 0
            actions.insert(contentsOf: keysOfOtherPanes, at: index)
        }
        actions += [(.filter, nil)]
        actions += [(.palette, nil)]
        if model.panes.focus == .targets, model.canShowRequest {
            actions += [(.edit, "file"), (.details, nil)]
        }
        if (model.workspace.catalog?.environments.count ?? 0) > 1 {
            actions.append((.nextEnvironment, nil))
        }
        actions.append((.nextSource, nil))
        if model.panes.focus == .targets { actions.append((.newRequest, nil)) }
        actions += [(.focusNext, nil), (.zoom, nil)]
        actions += [(.sendAgain, nil), (.help, nil), (.quit, nil)]
        var seen: Set<Action> = []
        let once = actions.filter { seen.insert($0.0).inserted }
        return once.compactMap { hint($0.0, $0.1) }
    }

    private var keysOfOtherPanes: [(Action, String?)] {
        // A batch or a chain has one pane in place of the two responses.
        let hasResponses =
            switch model.targets.selected?.kind {
            case .batch, .chain: false
            case .target, .group, nil: true
            }
        return switch model.panes.focus {
        case .targets where model.canShowRequest:
            [(.focusNext, "request"), (.focusServer, "response")]
        case .targets, .request: [(.focusNext, hasResponses ? "cache" : "open")]
        case .cache where !hasResponses: [(.back, "targets")]
        case .server where !hasResponses: [(.back, "targets")]
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
            if model.session.marked.count == 2 { actions.insert((.compareMarked, nil), at: 3) }
            actions.append((.copyCommand, "curl"))
        case .entry(.run(let run)):
            actions = [(.open, model.session.isOpen(run.id) ? "close" : "open")]
        case .run, .day, nil: break
        }
        guard model.session.hasHistory else { return [] }
        // In place of the word for a run, because no run is there to be cancelled.
        if model.sharing.watched != nil, model.runs.runningCount == 0 {
            actions.insert((.cancel, "stop watching"), at: 0)
        }
        return actions + [
            (.filter, nil), (.recordSession, nil), (.listSessions, nil), (.back, nil),
        ]
    }

    private var targetActions: [(Action, String?)] {
        switch model.targets.selected?.kind {
        case .group(let isFolded, _):
            [(.activate, isFolded ? "unfold" : "fold")] + changeActions
        case .target:
            [(.activate, "send")] + RequestHints(model: model).defaults
                + (model.canCompare ? [(.compare, nil)] : []) + requestActions
        case .batch:
            [(.activate, "run")] + (model.canRunFailedAgain ? [(.runFailedAgain, nil)] : [])
                + [(.runByWorkers, nil)]
        case .chain: [(.activate, "run")]
        case nil: [(.newRequest, nil), (.pasteRequest, nil), (.makeGroup, nil)]
        }
    }

    /// What can be done with the request in hand, by worth: looking and changing, another one, and its response.
    private var requestActions: [(Action, String?)] {
        let hasResponse = model.selectedView?.server.hasResponse == true
        return [(.focusRequest, "request"), (.pasteRequest, nil)]
            + (hasResponse ? [(.details, nil)] : [])
    }

    /// What can be done with a group in the file.
    private var changeActions: [(Action, String?)] {
        guard model.workspace.catalog?.source.changeRefusal == nil else { return [] }
        return [(.newRequest, nil), (.makeGroup, nil), (.moveItem, nil), (.removeItem, nil)]
    }

    private var responseActions: [(Action, String?)] {
        var actions: [(Action, String?)] = []
        if let batch = model.shownBatch {
            let again: [(Action, String?)] = model.canRunFailedAgain ? [(.runFailedAgain, nil)] : []
            let open =
                switch batch.selected {
                case .group(_, let isOpen)?: isOpen ? "fold" : "unfold"
                case .row?: "open"
                case .more?: "show all"
                case nil: batch.state == nil ? "run" : "open"
                }
            return [(.open, open)] + again
                + [(.sendAgain, "run again"), (.runByWorkers, nil), (.back, "targets")]
        }
        if model.isChainSelected {
            guard model.shownChain?.state != nil else {
                return [(.open, "run"), (.back, "targets")]
            }
            let from = model.selectedView?.chosenStep == nil ? "run again" : nil
            return [(.open, nil), (.sendAgain, from), (.runAlone, nil), (.back, "targets")]
        }
        if model.shownPage != nil {
            actions = [
                (.right, nil), (.back, nil), (.search, nil), (.nextMatch, nil), (.copyText, nil),
                (.copyPage, nil), (.saveBody, "save the body"),
            ]
            if let side = model.panes.focusedSide, model.selectedView?[side].tab == .tls {
                actions.insert((.showAllFields, nil), at: 0)
            }
            if model.selectedCheck != nil {
                actions.insert(
                    contentsOf: [(.open, nil), (.expect, "change"), (.removeExpectation, nil)],
                    at: 0
                )
            } else if canExpect {
                actions.insert((.expect, "expect"), at: min(2, actions.count))
            }
            return actions.filter { $0.0 != .nextMatch || model.shownPage?.needle.isEmpty == false }
        }
        if let side = model.panes.focusedSide, let filter = model.selectedView?[side].filter {
            actions += [
                (.back, filter.ending == nil ? "stop" : "show the body"), (.filterBody, "again"),
            ]
        }
        if let tree = model.focusedDocument {
            actions += model.comparison == nil ? DocumentPaneHints.ofRows(tree) : comparingActions
        }
        if model.responses.opened != nil {
            actions += [
                (.compare, nil), (.details, nil), (.olderResponse, nil), (.newerResponse, nil),
                (.pastValues, nil),
            ]
            return actions + [(.sendAgain, nil), (.copyCommand, "curl"), (.back, "session")]
        }
        if canExpect { actions.insert((.expect, nil), at: min(1, actions.count)) }
        if case .target? = model.targets.selected?.kind {
            actions += [(.details, nil), (.explain, nil), (.saveBody, nil)]
        }
        if model.session.hasHistory, model.focusedDocument?.body?.document != nil {
            actions += [(.pastValues, nil), (.olderResponse, nil)]
        }
        return actions + [(.sendAgain, nil), (.back, "targets")]
    }

    /// Whether something can be expected of the response that is shown.
    private var canExpect: Bool {
        guard model.responses.showsSelection, case .target? = model.targets.selected?.kind,
            let side = model.panes.focusedSide
        else { return false }
        return model.workspace.catalog?.source.changeRefusal == nil
            && model.selectedView?[side].response != nil
    }

    private var comparingActions: [(Action, String?)] {
        [
            (.nextMatch, nil), (.previousMatch, nil), (.listMatches, "fold equal"),
            (.compare, "end"), (.toggleFold, nil), (.copy, nil),
        ]
    }

    func hint(_ action: Action, _ label: String?) -> FooterHints.Hint? {
        model.keys.hint(for: action, label, in: model.keyPlaces)
    }
}

extension Model {
    /// The key of the footer's hint at a point.
    func footerKey(at point: Point) -> Key? {
        FooterBar(context: ScreenContext(self, Look(theme: appearance.theme))).key(at: point)
    }

    /// The keys of all hints that the footer shows, each with its position.
    var footerKeys: [(key: Key, place: Rect)] {
        FooterBar(context: ScreenContext(self, Look(theme: appearance.theme))).keys
    }
}
