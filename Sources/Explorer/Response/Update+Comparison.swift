import Documents
import Terminal
import TreeView

/// Compares the cache's response with the server's, row by row.
extension Model {
    /// The comparison that is shown.
    var comparison: Comparison? {
        guard let id = shownItem else { return nil }
        return view(of: id)?.comparison
    }

    /// Whether both responses of the selected target are trees.
    var canCompare: Bool {
        guard let view = selectedView else { return false }
        return view.cache.document.body?.document != nil
            && view.server.document.body?.document != nil
    }

    /// Starts comparing the two responses, or stops.
    mutating func toggleComparison() -> [Effect] {
        guard let id = shownItem, let view = view(of: id) else {
            return say("there are no two responses to compare")
        }
        guard view.comparison == nil else { return endComparison() }
        guard canCompare else {
            let text = "only two trees can be compared, one in each pane"
            return say(text)
        }
        // A comparison takes its keys in the response panes, and it is about the bodies.
        if panes.focusedSide == nil { panes.focus = .server }
        for side in [PaneSide.cache, .server] { changePane(side) { $0.tab = .body } }
        return compare(id)
    }

    /// Ends the comparison; the panes show their own rows again.
    mutating func endComparison() -> [Effect] {
        guard let id = shownItem else { return [] }
        changeView(of: id) { $0.comparison = nil }
        fitPanes()
        return [.endComparison(id)]
    }

    /// Compares again when a body of a compared target arrives or is complete.
    mutating func refreshComparison(of id: CatalogID) -> [Effect] {
        guard let view = view(of: id), let comparison = view.comparison else { return [] }
        let isOther = comparison.address != Self.address(of: id, view)
        let isWhole = !view.cache.document.isOpening && !view.server.document.isOpening
        let isStale = isWhole && (comparison.rows?.diff.isOutdated ?? false)
        return isOther || isStale ? compare(id) : []
    }

    private mutating func compare(_ id: CatalogID) -> [Effect] {
        guard let view = view(of: id) else { return [] }
        guard let left = view.cache.document.body?.document,
            let right = view.server.document.body?.document
        else { return [.endComparison(id)] }
        let address = Self.address(of: id, view)
        var comparison = Comparison(address: address)
        // A repeated comparison keeps its scroll position.
        comparison.scroll = view.comparison?.scroll ?? ListScroll()
        changeView(of: id) { $0.comparison = comparison }
        fitPanes()
        return [.compare(address, left, right)]
    }

    private static func address(of id: CatalogID, _ view: TargetState) -> ComparisonAddress {
        ComparisonAddress(
            item: id,
            environment: view.environment,
            cache: view.cache.generation,
            server: view.server.generation
        )
    }

    /// Shows the rows of a comparison, unless they are outdated.
    mutating func show(_ rows: AlignedRows, of address: ComparisonAddress) -> [Effect] {
        guard view(of: address.item)?.comparison?.address == address else { return [] }
        fitPanes()
        changeView(of: address.item) { $0.comparison?.show(rows) }
        fitPanes()
        return refreshComparison(of: address.item)
    }

    // MARK: Keys

    /// Performs an action in a comparison; nil if it is left to the pane.
    mutating func performInComparison(_ action: Action, _ key: Key) -> [Effect]? {
        guard let side = panes.focusedSide, let comparison, focusedDocument?.showsRows == true
        else {
            return nil
        }
        if comparison.rows == nil {
            // The differences are not known yet.
            guard Self.ofRows.contains(action) else { return nil }
            return say("the responses are still being compared")
        }
        switch action {
        case .nextMatch, .previousMatch: return stepDifference(forward: action == .nextMatch)
        case .back: return endComparison()
        case .search, .query, .goTo, .nextForm, .table:
            // These apply to one document only.
            let ending = endComparison()
            return ending + (performInDocument(action, key) ?? [])
        case .copy, .copyPath, .pastValues:
            guard putDocumentCursor(side) else { return [] }
            return nil
        case .open where comparison.row(at: comparison.scroll.selection)?.fold == .leaf:
            guard putDocumentCursor(side) else { return [] }
            return nil
        default: break
        }
        var changed = comparison
        guard changed.perform(action) else { return nil }
        if Self.ofRows.contains(action), changed.rows?.rowCount == comparison.rows?.rowCount {
            say(
                action == .listMatches
                    ? "no equal rows to fold" : "there is nothing to fold or unfold here"
            )
        }
        changeComparison { $0 = changed }
        return []
    }

    /// The actions that need the rows of a comparison.
    private static let ofRows: Set<Action> = [
        .nextMatch, .previousMatch, .listMatches, .open, .toggleFold, .foldAll, .unfoldAll,
        .unfoldMore, .unfoldLess,
    ]

    private mutating func stepDifference(forward: Bool) -> [Effect] {
        guard comparison?.rows?.diff.isEqual == false else { return say("no differences") }
        var isWrapped = false
        changeComparison { isWrapped = $0.step(forward: forward) }
        if isWrapped { notice = DocumentPane.wrapped(forward: forward) }
        return []
    }

    /// Changes the comparison that is shown.
    mutating func changeComparison(_ change: (inout Comparison) -> Void) {
        guard let id = shownItem, var comparison = view(of: id)?.comparison else { return }
        change(&comparison)
        changeView(of: id) { $0.comparison = comparison }
    }

    /// Moves the cursor of a pane's own rows to the value under the comparison's cursor; returns false if the side
    /// does not have the value.
    private mutating func putDocumentCursor(_ side: PaneSide) -> Bool {
        guard let node = comparison?.node(in: side) else {
            say("this side does not have this value")
            return false
        }
        changePane(side) { $0.document.reveal(node) }
        return true
    }
}

extension DocumentDiff {
    /// Whether it was made while a side was still being parsed that is complete now.
    fileprivate var isOutdated: Bool {
        isPartial && left.isFinished && right.isFinished && left.fault == nil && right.fault == nil
    }
}
