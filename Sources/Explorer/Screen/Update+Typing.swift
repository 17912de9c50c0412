import Terminal
import TreeView

/// The filters of the lists, and pasted text.
extension Model {
    /// The filter that is being typed; nil if none is.
    var typedFilter: ListFilter? {
        let filters = layers.help.map { [$0.filter] } ?? [session.filter, targets.filter]
        return filters.compactMap(\.self).first(where: \.isTyping)
    }

    /// Handles a key for the filter that is being typed; nil if there is none.
    mutating func handleInFilter(_ key: Key) -> [Effect]? {
        if var help = layers.help {
            guard let outcome = help.filter.handle(key) else { return nil }
            help.scroll = PageScroll()
            layers.help = help
            arrangeHelp()
            return effects(of: outcome) { _ in [] }
        }
        if session.filter.isTyping, key.code == .enter, let problem = session.filterProblem {
            return fail(problem)
        }
        if let outcome = session.filter.handle(key) {
            return effects(of: outcome) { $0.sessionFilterChanged() }
        }
        if targets.filter.isTyping, key.code == .enter, targets.rows.isEmpty,
            targets.filter?.text.isEmpty == false
        {
            return say("no target matches; esc clears the filter")
        }
        return targets.filter.handle(key).map { effects(of: $0) { $0.targetFilterChanged() } }
    }

    private mutating func effects(
        of outcome: ListFilter.Outcome,
        _ changed: (inout Model) -> [Effect]
    ) -> [Effect] {
        switch outcome {
        case .changed: changed(&self)
        case .unchanged: []
        case .quit: leave()
        }
    }

    mutating func targetFilterChanged() -> [Effect] {
        if let catalog = workspace.catalog { targets.arrange(catalog, isSame: true) }
        fitPanes()
        return lookAtSelection()
    }

    /// Handles pasted text: what is open takes it, else it is read as a request.
    mutating func paste(_ text: String) -> [Effect] {
        for layer in openLayers {
            if let effects = paste(text, in: layer) { return effects }
        }
        guard let side = panes.focusedSide, focusedDocument?.isTyping == true else {
            return pasteRequest(text)
        }
        return inDocument(side) { $0.paste(text) }
    }

    /// Puts pasted text into the filter that is being typed.
    mutating func pasteIntoFilter(_ text: String) -> [Effect] {
        if var help = layers.help {
            help.filter?.field.paste(text)
            help.scroll = PageScroll()
            layers.help = help
            arrangeHelp()
            return []
        }
        if session.filter.isTyping {
            session.filter?.field.paste(text)
            return sessionFilterChanged()
        }
        targets.filter?.field.paste(text)
        return targetFilterChanged()
    }
}
