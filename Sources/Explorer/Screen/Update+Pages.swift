import Terminal
import TreeView

/// The pages over the panes that are only read: the explanation and the help.
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

    /// Handles a key while the help is open and its search is not being typed.
    mutating func handleInHelp(_ key: Key, _ page: HelpPage) -> [Effect] {
        var page = page
        if keys.action(for: key, in: [.targets]) == .filter {
            page.filter.start(placeholder: "a key, or what it does", limit: 64)
            layers.help = page
            return []
        }
        guard let action = pageAction(for: key) else { return [] }
        if let effects = performOnAnyPage(action, .help) { return effects }
        if action == .back, page.filter != nil {
            page.filter = nil
            layers.help = page
            return []
        }
        let area = PageLayout(size: size).inside
        let text = HelpText(
            keys,
            places: KeyBinding.Place.ofExplorer,
            columns: area.columns,
            matching: page.filter?.text ?? "",
            synonyms: PaletteWords.words
        )
        let moved = page.scroll.after(action, page: area.rows, count: text.rowCount)
        layers.help = moved.map { HelpPage(scroll: $0, filter: page.filter) }
        return []
    }

    private func pageAction(for key: Key) -> Action? {
        keys.action(for: key, in: [.moving, .everywhere, .explorer])
    }

    private mutating func performOnAnyPage(_ action: Action, _ page: Layer.Kind) -> [Effect]? {
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
