import Terminal
import TreeView

/// The page over the panes that explains what the cache did.
extension Model {
    /// Handles a key while the explanation is open.
    mutating func handleInExplanation(_ key: Key, _ scroll: PageScroll) -> [Effect] {
        guard let action = pageAction(for: key) else { return [] }
        if let effects = performOnAnyPage(action, .explanation) { return effects }
        let area = PageLayout(size: size).inside
        let count = explanationLines(columns: area.columns).count
        layers.explanation = scroll.after(action, page: area.rows, count: count)
        return []
    }

    func pageAction(for key: Key) -> Action? {
        keys.action(for: key, in: [.moving, .everywhere, .explorer])
    }

    mutating func performOnAnyPage(_ action: Action, _ page: Layer.Kind) -> [Effect]? {
        switch action {
        case .suspend: return [.session(.suspend)]
        case .redraw: return [.session(.redraw)]
        case .explain:
            layers.close(page)
            return []
        default: return nil
        }
    }
}
