import Documents
import Recordings
import Terminal
import TreeView

/// A value in earlier answers of a target.
extension Model {
    /// Shows the value under the cursor in earlier answers.
    mutating func showPastValues() -> [Effect] {
        guard hasHistory else { return sayNothingIsRecorded() }
        guard focusedSide != nil, let document = focusedDocument,
            let tree = document.body?.document, let node = document.currentNode,
            let series = opened.map({ ExchangeSeries($0.then) }) ?? selectedSeries
        else {
            notice = Notice(kind: .information, text: "move to a value in an answer's tree first")
            return []
        }
        let generation = (pastValues?.generation ?? lastPastValues) + 1
        lastPastValues = generation
        let path = tree.path(of: node)
        pastValues = PastValues(
            shownPath: tree.dottedPath(of: node),
            path: path,
            series: series,
            generation: generation
        )
        fitPanes()
        return [.history(.values(series, path: path, generation: generation))]
    }

    /// Performs an action while values over time are shown; nil if they are not, or if it works everywhere.
    mutating func performInPastValues(_ action: Action) -> [Effect]? {
        guard var past = pastValues else { return nil }
        switch action {
        case .quit: return nil
        case .back, .pastValues:
            pastValues = nil
            fitPanes()
            return [.history(.endValues)]
        case .up, .down, .pageUp, .pageDown, .first, .last:
            past.scroll.move(action)
            pastValues = past
        case .open, .activate:
            guard let value = past.selected else {
                say("there is no earlier value to open")
                return []
            }
            return [
                .history(.endValues),
                .history(.open(value.exchange, beside: .latest, comparing: true)),
            ]
        case .suspend, .redraw, .help: return nil
        default: say("esc closes the earlier values first")
        }
        return []
    }
}
