import Terminal
import TreeView

/// What is refused says so.
extension Model {
    /// Says why a key does nothing here.
    mutating func say(_ text: String) {
        notice = Notice(kind: .information, text: text)
    }

    /// Says why a key that asks for a text cannot; the text that is typed next does not count as keys.
    mutating func refuse(_ text: String) -> [Effect] {
        say(text)
        swallowsText = true
        return []
    }

    /// Says what is wrong with what was typed, and asks again.
    mutating func ask(again prompt: LinePrompt, _ problem: String) -> [Effect] {
        notice = Notice(kind: .failure, text: problem)
        self.prompt = prompt
        return []
    }

    /// Handles a key after a refusal; nil if the panes take it.
    mutating func handleAfterRefusal(_ key: Key) -> [Effect]? {
        guard swallowsText else { return nil }
        if key.text != nil { return [] }
        swallowsText = false
        notice = nil
        return key.code == .enter || key.code == .escape ? [] : nil
    }

    /// Gives a pane the keys; says so if it has them.
    mutating func moveAloud(to pane: Focus) {
        let isOne = isBatchSelected || isChainSelected
        let answers: Set<Focus> = [.cache, .server]
        if pane == focus || isOne && answers.contains(pane) && answers.contains(focus) {
            say("the keys are in this pane")
        }
        move(to: pane)
    }

    /// Opens the request pane at a tab; says so if it is there.
    mutating func openRequestAloud(at tab: RequestTab) -> [Effect] {
        let isThere = focus == .request && showsRequestPane && requestPane.tab == tab
        let effects = openRequest(at: tab)
        if isThere, notice == nil { say("this tab is open") }
        return effects
    }

    /// Performs an action of the request pane, and says why if it does nothing; nil if it has no such action.
    mutating func performInRequestAloud(_ action: Action) -> [Effect]? {
        let (before, lines) = (requestPane, requestPane.lines.count)
        guard let effects = performInRequest(action) else { return nil }
        let isSame =
            requestPane.tab == before.tab && requestPane.lines.count == lines
            && (requestPane.field == nil) == (before.field == nil)
            && requestPane.isCopying == before.isCopying && requestPane.needle == before.needle
        guard effects.isEmpty, isSame, notice == nil, prompt == nil, focus == .request else {
            return effects
        }
        switch action {
        case .editValue, .replaceValue, .editURL:
            say(requestPane.problem ?? "this row cannot be edited")
        case .addRow: say(requestPane.problem ?? "no row can be added on this tab")
        case .removeRow: say(requestPane.problem ?? "there is no row to remove")
        case .changeKind:
            say(requestPane.problem ?? "only the body and the credentials have other kinds")
        case .toggleFold, .foldAll, .unfoldAll: say("there is nothing to fold or unfold here")
        default: break
        }
        return effects
    }
}
