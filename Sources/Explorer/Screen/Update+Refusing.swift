import Terminal
import TreeView

/// What is refused says so.
extension Model {
    /// Says something in the notice line, such as why a key does nothing here; there is nothing else to do.
    @discardableResult
    mutating func say(_ text: String) -> [Effect] {
        notice = Notice(kind: .information, text: text)
        return []
    }

    /// Says what may be a problem.
    @discardableResult
    mutating func warn(_ text: String) -> [Effect] {
        notice = Notice(kind: .warning, text: text)
        return []
    }

    /// Says what has failed.
    @discardableResult
    mutating func fail(_ text: String) -> [Effect] {
        notice = Notice(kind: .failure, text: text)
        return []
    }

    /// Says why a key that asks for a text cannot; the text that is typed next does not count as keys.
    mutating func refuse(_ text: String) -> [Effect] {
        say(text)
        layers.open(.refusedText)
        return []
    }

    /// Says what is wrong with what was typed, and asks again.
    mutating func ask(again prompt: LinePrompt, _ problem: String) -> [Effect] {
        notice = Notice(kind: .failure, text: problem)
        layers.prompt = prompt
        return []
    }

    /// Handles a key after a refusal; nil if the panes take it.
    mutating func handleAfterRefusal(_ key: Key) -> [Effect]? {
        if key.text != nil { return [] }
        layers.close(.refusedText)
        notice = nil
        return key.code == .enter || key.code == .escape ? [] : nil
    }

    /// Gives a pane the keys; says so if it has them.
    mutating func moveAloud(to pane: Focus) {
        let isOne = isBatchSelected || isChainSelected
        let responses: Set<Focus> = [.cache, .server]
        if pane == panes.focus
            || isOne && responses.contains(pane) && responses.contains(panes.focus)
        {
            say("the keys are in this pane")
        }
        move(to: pane)
    }

    /// Opens the request pane at a tab; says so if it is there.
    mutating func openRequestAloud(at tab: RequestTab) -> [Effect] {
        let isThere = panes.focus == .request && showsRequestPane && request.tab == tab
        let effects = openRequest(at: tab)
        if isThere, notice == nil { say("this tab is open") }
        return effects
    }

    /// Performs an action of the request pane, and says why if it does nothing; nil if it has no such action.
    mutating func performInRequestAloud(_ action: Action) -> [Effect]? {
        let (tab, lines, hasField) = (request.tab, request.lines.count, request.field != nil)
        let needle = request.needle
        guard let effects = performInRequest(action) else { return nil }
        let isSame =
            request.tab == tab && request.lines.count == lines
            && (request.field != nil) == hasField && request.needle == needle
        guard effects.isEmpty, isSame, notice == nil, layers.layers.isEmpty,
            panes.focus == .request
        else {
            return effects
        }
        switch action {
        case .editValue, .replaceValue, .editURL:
            say(request.problem ?? "this row cannot be edited")
        case .addRow: say(request.problem ?? "no row can be added on this tab")
        case .removeRow: say(request.problem ?? "there is no row to remove")
        case .changeKind:
            say(request.problem ?? "only the body and the credentials have other kinds")
        case .toggleFold, .foldAll, .unfoldAll: say("there is nothing to fold or unfold here")
        default: break
        }
        return effects
    }
}
