import Documents
import Recordings
import Terminal
import TreeView

/// A value in earlier responses of a target.
extension Model {
    /// Shows the value under the cursor in earlier responses.
    mutating func showPastValues() -> [Effect] {
        guard session.hasHistory else { return sayNothingIsRecorded() }
        guard panes.focusedSide != nil, let document = focusedDocument,
            let tree = document.body?.document, let node = document.currentNode,
            let series = responses.opened.map({ ExchangeSeries($0.then) }) ?? selectedSeries
        else { return say("move to a value in a response's tree first") }
        let generation = (layers.pastValues?.generation ?? responses.lastPastValues) + 1
        responses.lastPastValues = generation
        let path = tree.path(of: node)
        layers.pastValues = PastValues(
            shownPath: tree.dottedPath(of: node),
            path: path,
            series: series,
            generation: generation
        )
        fitPanes()
        return [.history(.values(series, path: path, generation: generation))]
    }

    /// Handles a key while earlier values are shown; nil if it does the same everywhere.
    mutating func handleInPastValues(_ key: Key, _ past: PastValues) -> [Effect]? {
        // Its actions have the keys of the pane above.
        guard let action = keys.action(for: key, in: keyPlaces) else { return nil }
        if action != .quit { request.edited.mayLeave = false }
        switch action {
        case .quit, .suspend, .redraw, .help: return nil
        case .back, .pastValues:
            layers.close(.pastValues)
            fitPanes()
            return [.history(.endValues)]
        case .up, .down, .pageUp, .pageDown, .first, .last:
            layers.pastValues?.scroll.move(action)
        case .open, .activate:
            guard let value = past.selected else { return say("there is no earlier value to open") }
            return [
                .history(.endValues),
                .history(.open(value.exchange, beside: .latest, comparing: true)),
            ]
        default: say("esc closes the earlier values first")
        }
        return []
    }
}
