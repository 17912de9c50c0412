import Terminal
import TreeView

/// What can be open over the panes, the top one first.
///
/// This is the one order of precedence: keys, mouse, footer and drawing ask the same stack. Each layer takes an
/// event or leaves it to the one below, gives its hints, and draws itself.
enum Layer: CaseIterable {
    /// Labels to jump to.
    case jump
    /// What is typed after a refused key, which does not count as keys.
    case refusedText
    /// A question before something is sent.
    case confirmation
    case picker
    /// The input line.
    case prompt
    /// The filter that is being typed: of the help, the session or the targets.
    case filter
    case explanation
    case help
    case cookies
    /// A value of the request that is being typed.
    case requestField
    /// The letter of a tab.
    case tabLetter
    /// A pasted request that is still being read.
    case pasting
    /// The letter of a format to copy the request in.
    case copyLetter
    /// Earlier values, below the answer.
    case pastValues

    /// Whether it covers the panes, so that neither they nor their keys are there.
    var isPage: Bool { self == .explanation || self == .help || self == .cookies }
}

extension Model {
    /// The layers that are open, the top one first.
    var layers: [Layer] { Layer.allCases.filter(isOpen) }

    /// The page that covers the panes; nil if none does.
    var page: Layer? { layers.first(where: \.isPage) }

    private func isOpen(_ layer: Layer) -> Bool {
        switch layer {
        case .jump: jump != nil
        case .refusedText: swallowsText
        case .confirmation: confirmation != nil
        case .picker: picker != nil
        case .prompt: prompt != nil
        case .filter: typedFilter != nil
        case .explanation: explanation != nil
        case .help: help != nil
        case .cookies: cookies != nil
        case .requestField: focus == .request && showsRequestPane && requestPane.field != nil
        case .tabLetter: choosesTab
        case .pasting: editedRequests.pasting != nil
        case .copyLetter: focus == .request && requestPane.isCopying
        case .pastValues: pastValues != nil
        }
    }

    // MARK: Keys

    /// Handles a key in a layer; nil if it is for the layers below.
    mutating func handle(_ key: Key, in layer: Layer) -> [Effect]? {
        switch layer {
        case .jump: handleInJump(key)
        case .refusedText: handleAfterRefusal(key)
        case .confirmation: handleInConfirmation(key)
        case .picker: handleInPicker(key)
        case .prompt: handleInPrompt(key)
        case .filter: handleInFilter(key)
        case .explanation, .help: handleInPage(key)
        case .cookies: handleInCookies(key)
        case .requestField: handleInRequestField(key)
        case .tabLetter: handleTabLetter(key)
        case .pasting: handleWhilePasting(key)
        case .copyLetter: handleInRequestCopy(key)
        // Its actions have the keys of the pane above.
        case .pastValues: nil
        }
    }

    // MARK: Mouse

    /// Handles a mouse event in a layer; nil if it is for what lies below.
    mutating func handle(_ mouse: MouseEvent, in layer: Layer) -> [Effect]? {
        switch layer {
        case .jump:
            if mouse.kind == .press { jump = nil }
            return nil
        case .confirmation:
            guard mouse.kind == .press else { return nil }
            confirmation = nil
            say("not sent")
            return []
        case .picker: return handleDrag(mouse) ?? handleInPicker(mouse)
        case .cookies:
            if let effects = handleDrag(mouse) ?? clickFooter(mouse) { return effects }
            if mouse.kind == .scrollUp { cookies?.scroll.scroll(by: -3) }
            if mouse.kind == .scrollDown { cookies?.scroll.scroll(by: 3) }
            return []
        case .prompt, .explanation, .help, .pastValues:
            return handleDrag(mouse) ?? clickFooter(mouse) ?? []
        case .refusedText, .filter, .requestField, .tabLetter, .pasting, .copyLetter: return nil
        }
    }
}
