import Documents
import Terminal
import TreeView

/// The documents in the two panes.
extension Model {
    /// The document that takes the keys; nil if a list takes them.
    var focusedDocument: DocumentPane? { panes.focusedSide.flatMap { selectedView?[$0].document } }

    /// The places of the key table that apply now.
    var keyPlaces: [KeyBinding.Place] {
        if layers.page == .cookies { return [.cookies, .moving, .everywhere] }
        if layers.page == .variables { return [.variables, .moving, .everywhere] }
        switch panes.focus {
        case .targets:
            let batch: [KeyBinding.Place] = isBatchSelected ? [.batch] : []
            return [.targets] + batch + [.explorer, .moving, .everywhere]
        case .request:
            let found: [KeyBinding.Place] = request.needle.isEmpty ? [] : [.found]
            return found + [.request, .explorer, .moving, .everywhere]
        case .progress:
            return [session.hasHistory ? .session : .targets, .explorer, .moving, .everywhere]
        case .cache, .server:
            if isBatchSelected { return [.batch, .explorer, .moving, .everywhere] }
            if isChainSelected { return [.chain, .targets, .explorer, .moving, .everywhere] }
            if shownPage != nil {
                let isExpectations =
                    panes.focusedSide.flatMap { selectedView?[$0].tab } == .expectations
                let own: [KeyBinding.Place] = isExpectations ? [.expectations] : []
                return own + [.page, .explorer, .moving, .everywhere]
            }
            let around: [KeyBinding.Place] = [.explorer]
            return (focusedDocument ?? DocumentPane(.engine)).keyPlaces(around: around)
        }
    }

    /// Changes the document of a side, and passes its effects on.
    mutating func inDocument(
        _ side: PaneSide,
        _ change: (inout DocumentPane) -> [DocumentPaneEffect]
    ) -> [Effect] {
        guard let id = shownItem, let view = view(of: id) else { return [] }
        return inDocument(at: view.address(of: side, in: id), change)
    }

    /// Changes a document, if it is still the one at an address.
    mutating func inDocument(
        at address: PaneAddress,
        _ change: (inout DocumentPane) -> [DocumentPaneEffect]
    ) -> [Effect] {
        var effects: [DocumentPaneEffect] = []
        changeBody(at: address) { effects = change(&$0.document) }
        fitPanes()
        return effects.compactMap { pass($0, at: address) }
    }

    /// Handles an effect of the pane here, or passes it on.
    private mutating func pass(_ effect: DocumentPaneEffect, at address: PaneAddress) -> Effect? {
        switch effect {
        case .copy(let text): return .session(.copy(text))
        case .say(let notice): self.notice = notice
        case .refuse(let text): _ = refuse(text)
        case .remember(let kind, let text): responses.prompts.keep(text, in: kind)
        case .keepWrap(let wraps):
            responses.wrapsText = wraps
            fitPanes()
            return .keepWrap(wraps)
        default: return .tree(address, effect)
        }
        return nil
    }

    /// Performs an action in the focused document; nil if there is none, or it has no such action.
    mutating func performInDocument(_ action: Action, _ key: Key) -> [Effect]? {
        guard let side = panes.focusedSide, selectedView != nil else { return nil }
        let prompts = responses.prompts
        var isTaken = true
        let effects = inDocument(side) { tree in
            guard let effects = tree.perform(action, key: key, history: prompts) else {
                isTaken = false
                return []
            }
            return effects
        }
        return isTaken ? effects : nil
    }

    /// Handles a key without an action, as text for a prompt.
    mutating func type(_ key: Key) -> [Effect] {
        guard let side = panes.focusedSide else { return [] }
        return inDocument(side) { $0.type(key) }
    }
}
