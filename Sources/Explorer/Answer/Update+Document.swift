import Documents
import Terminal
import TreeView

/// The documents in the two panes.
extension Model {
    /// The document that takes the keys; nil if a list takes them.
    var focusedDocument: DocumentPane? { focusedSide.flatMap { selectedView?[$0].document } }

    /// The places of the key table that apply now.
    var keyPlaces: [KeyBinding.Place] {
        if page == .cookies { return [.cookies, .moving, .everywhere] }
        switch focus {
        case .targets:
            let batch: [KeyBinding.Place] = canRunFailedAgain ? [.batch] : []
            return [.targets] + batch + [.explorer, .moving, .everywhere]
        case .request:
            let found: [KeyBinding.Place] = requestPane.needle.isEmpty ? [] : [.found]
            return found + [.request, .explorer, .moving, .everywhere]
        case .progress:
            return [hasHistory ? .session : .targets, .explorer, .moving, .everywhere]
        case .cache, .server:
            if isBatchSelected { return [.batch, .explorer, .moving, .everywhere] }
            if isChainSelected { return [.chain, .targets, .explorer, .moving, .everywhere] }
            if shownPage != nil { return [.page, .explorer, .moving, .everywhere] }
            let around: [KeyBinding.Place] = [.explorer]
            return (focusedDocument ?? DocumentPane(.engine)).keyPlaces(around: around)
        }
    }

    /// Changes the document of a side, and passes its effects on.
    mutating func inDocument(
        _ side: PaneSide,
        _ change: (inout DocumentPane) -> [DocumentPaneEffect]
    ) -> [Effect] {
        guard let id = shownItem, let view = views[id] else { return [] }
        let address = PaneAddress(
            item: id,
            environment: view.environment,
            side: side,
            generation: view[side].generation
        )
        return inDocument(at: address, change)
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
        case .remember(let kind, let text): history.note(text, in: kind)
        case .keepWrap(let wraps):
            wrapsText = wraps
            fitPanes()
            return .keepWrap(wraps)
        default: return .tree(address, effect)
        }
        return nil
    }

    /// Performs an action in the focused document; nil if there is none, or it has no such action.
    mutating func performInDocument(_ action: Action, _ key: Key) -> [Effect]? {
        guard let side = focusedSide, selectedView != nil else { return nil }
        let history = history
        var isTaken = true
        let effects = inDocument(side) { tree in
            guard let effects = tree.perform(action, key: key, history: history) else {
                isTaken = false
                return []
            }
            return effects
        }
        return isTaken ? effects : nil
    }

    /// Handles a key without an action, as text for a prompt.
    mutating func type(_ key: Key) -> [Effect] {
        guard let side = focusedSide else { return [] }
        return inDocument(side) { $0.type(key) }
    }

    /// Handles pasted text: it goes to the input line that is open, else it is taken as a request.
    mutating func paste(_ text: String) -> [Effect] {
        if swallowsText { return [] }
        if picker != nil { return pasteIntoPicker(text) }
        if prompt != nil {
            // A request has several lines, but a field has only one.
            if case .request? = prompt?.purpose {
                prompt = nil
                return pasteRequest(text)
            }
            prompt?.field.paste(text)
            return []
        }
        if focus == .request, showsRequestPane, requestPane.field != nil {
            requestPane.field?.paste(text)
            return []
        }
        if session.filter.isTyping {
            session.filter?.field.paste(text)
            return sessionFilterChanged()
        }
        if list.filter.isTyping {
            list.filter?.field.paste(text)
            return filterChanged()
        }
        guard let side = focusedSide, focusedDocument?.isTyping == true else {
            return pasteRequest(text)
        }
        return inDocument(side) { $0.paste(text) }
    }
}
