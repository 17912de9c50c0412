import Terminal
import TreeView

/// Something that is open over the panes, with its state.
///
/// Each layer takes an event or leaves it to the one below, gives its hints, and draws itself.
enum Layer {
    case jump(Jump)
    case refusedText
    case question(QuestionLayer)
    case confirmation(Confirmation)
    case changeQuestion(ChangeQuestion)
    case picker(Picker)
    case prompt(LinePrompt)
    case filter
    case explanation(PageScroll)
    case help(HelpPage)
    case cookies(CookieList)
    case signIn
    case variables(VariablesPage)
    case requestField
    case tabLetter
    case pasting
    case copyLetter
    case pastValues(PastValues)

    /// The kinds of layers, the top one first: the one order of precedence.
    enum Kind: Int {
        /// Labels to jump to.
        case jump
        /// What is typed after a refused key, which does not count as keys.
        case refusedText
        /// What a request waits for.
        case question
        /// A question before something is sent.
        case confirmation
        /// A question before something is deleted.
        case changeQuestion
        case picker
        /// The input line.
        case prompt
        /// The filter that is being typed: of the help, the session or the targets.
        case filter
        case explanation
        case help
        case cookies
        /// What a person has to do to sign in.
        case signIn
        /// The environments and their variables.
        case variables
        /// A value of the request that is being typed.
        case requestField
        /// The letter of a tab.
        case tabLetter
        /// A pasted request that is still being read.
        case pasting
        /// The letter of a format to copy the request in.
        case copyLetter
        /// Earlier values, below the response.
        case pastValues

        /// Whether it covers the panes, so that neither they nor their keys are there.
        var isPage: Bool {
            [.explanation, .help, .cookies, .signIn, .variables].contains(self)
        }

        /// Whether the borders of the panes below it cannot be dragged.
        var holdsBorders: Bool {
            isPage || self == .picker || self == .prompt || self == .pastValues || self == .question
        }
    }

    var kind: Kind {
        switch self {
        case .jump: .jump
        case .refusedText: .refusedText
        case .question: .question
        case .confirmation: .confirmation
        case .changeQuestion: .changeQuestion
        case .picker: .picker
        case .prompt: .prompt
        case .filter: .filter
        case .explanation: .explanation
        case .help: .help
        case .cookies: .cookies
        case .signIn: .signIn
        case .variables: .variables
        case .requestField: .requestField
        case .tabLetter: .tabLetter
        case .pasting: .pasting
        case .copyLetter: .copyLetter
        case .pastValues: .pastValues
        }
    }
}

/// What is open over the panes, the top one first, at most one of each kind.
struct LayerStack {
    private(set) var layers: [Layer] = []

    /// The page that covers the panes; nil if none does.
    var page: Layer.Kind? { layers.lazy.map(\.kind).first(where: \.isPage) }

    func isOpen(_ kind: Layer.Kind) -> Bool { layers.contains { $0.kind == kind } }

    /// Puts a layer at its height, in place of an open one of its kind.
    mutating func open(_ layer: Layer) {
        close(layer.kind)
        let below = layers.firstIndex { $0.kind.rawValue > layer.kind.rawValue }
        layers.insert(layer, at: below ?? layers.endIndex)
    }

    mutating func close(_ kind: Layer.Kind) { layers.removeAll { $0.kind == kind } }

    private func first<State>(_ state: (Layer) -> State?) -> State? {
        for layer in layers {
            if let found = state(layer) { return found }
        }
        return nil
    }

    private mutating func set(_ layer: Layer?, _ kind: Layer.Kind) {
        if let layer { open(layer) } else { close(kind) }
    }

    // MARK: The state of each; nil closes it

    var jump: Jump? {
        get { first { if case .jump(let jump) = $0 { jump } else { nil } } }
        set { set(newValue.map { .jump($0) }, .jump) }
    }

    var question: QuestionLayer? {
        get { first { if case .question(let question) = $0 { question } else { nil } } }
        set { set(newValue.map { .question($0) }, .question) }
    }

    var confirmation: Confirmation? {
        get { first { if case .confirmation(let waiting) = $0 { waiting } else { nil } } }
        set { set(newValue.map { .confirmation($0) }, .confirmation) }
    }

    var changeQuestion: ChangeQuestion? {
        get { first { if case .changeQuestion(let question) = $0 { question } else { nil } } }
        set { set(newValue.map { .changeQuestion($0) }, .changeQuestion) }
    }

    var picker: Picker? {
        get { first { if case .picker(let picker) = $0 { picker } else { nil } } }
        set { set(newValue.map { .picker($0) }, .picker) }
    }

    var prompt: LinePrompt? {
        get { first { if case .prompt(let prompt) = $0 { prompt } else { nil } } }
        set { set(newValue.map { .prompt($0) }, .prompt) }
    }

    var explanation: PageScroll? {
        get { first { if case .explanation(let scroll) = $0 { scroll } else { nil } } }
        set { set(newValue.map { .explanation($0) }, .explanation) }
    }

    var help: HelpPage? {
        get { first { if case .help(let page) = $0 { page } else { nil } } }
        set { set(newValue.map { .help($0) }, .help) }
    }

    var cookies: CookieList? {
        get { first { if case .cookies(let list) = $0 { list } else { nil } } }
        set { set(newValue.map { .cookies($0) }, .cookies) }
    }

    var variables: VariablesPage? {
        get { first { if case .variables(let page) = $0 { page } else { nil } } }
        set { set(newValue.map { .variables($0) }, .variables) }
    }

    var pastValues: PastValues? {
        get { first { if case .pastValues(let values) = $0 { values } else { nil } } }
        set { set(newValue.map { .pastValues($0) }, .pastValues) }
    }
}

extension Model {
    /// What is open over the panes, and in its place in that order what is typed or read in a pane.
    var openLayers: [Layer] {
        var stack = layers
        if typedFilter != nil { stack.open(.filter) }
        if panes.focus == .request, showsRequestPane, request.field != nil {
            stack.open(.requestField)
        }
        if request.edited.pasting != nil { stack.open(.pasting) }
        return stack.layers
    }

    // MARK: Keys

    /// Handles a key in a layer; nil if it is for the layers below.
    mutating func handle(_ key: Key, in layer: Layer) -> [Effect]? {
        switch layer {
        case .jump(let jump): handleInJump(key, jump)
        case .refusedText: handleAfterRefusal(key)
        case .question(let question): handleInQuestion(key, question)
        case .confirmation(let waiting): handleInConfirmation(key, waiting)
        case .changeQuestion(let question): handleInChangeQuestion(key, question)
        case .picker: handleInPicker(key)
        case .prompt(let prompt): handleInPrompt(key, prompt)
        case .filter: handleInFilter(key)
        case .explanation(let scroll): handleInExplanation(key, scroll)
        case .help(let page): handleInHelp(key, page)
        case .cookies(let list): handleInCookies(key, list)
        case .signIn: handleInSignIn(key)
        case .variables(let page): handleInVariables(key, page)
        case .requestField: handleInRequestField(key)
        case .tabLetter: handleTabLetter(key)
        case .pasting: handleWhilePasting(key)
        case .copyLetter: handleCopyLetter(key)
        case .pastValues(let past): handleInPastValues(key, past)
        }
    }

    /// Puts pasted text into a layer; nil if it is for what lies below.
    mutating func paste(_ text: String, in layer: Layer) -> [Effect]? {
        switch layer {
        case .refusedText: return []
        case .question(let question): return paste(text, into: question)
        case .picker: return pasteIntoPicker(text)
        case .prompt(let prompt): return paste(text, into: prompt)
        case .filter: return pasteIntoFilter(text)
        case .requestField:
            request.field?.paste(text)
            return []
        case .jump, .confirmation, .changeQuestion, .explanation, .help, .cookies, .signIn,
            .variables, .tabLetter, .pasting, .copyLetter, .pastValues:
            return nil
        }
    }

    // MARK: Mouse

    /// Handles a mouse event in a layer; nil if it is for what lies below.
    mutating func handle(_ mouse: MouseEvent, in layer: Layer) -> [Effect]? {
        switch layer {
        case .jump:
            if mouse.kind == .press { layers.close(.jump) }
            return nil
        case .confirmation:
            guard mouse.kind == .press else { return nil }
            layers.close(.confirmation)
            return say("not sent")
        case .changeQuestion:
            guard mouse.kind == .press else { return nil }
            layers.changeQuestion = nil
            return say("nothing was deleted")
        case .picker: return handleDrag(mouse) ?? handleInPicker(mouse)
        case .cookies:
            if let effects = handleDrag(mouse) ?? clickFooter(mouse) { return effects }
            if mouse.kind == .scrollUp { layers.cookies?.scroll.scroll(by: -3) }
            if mouse.kind == .scrollDown { layers.cookies?.scroll.scroll(by: 3) }
            return []
        case .variables: return handleInVariables(mouse)
        case .question, .prompt, .explanation, .help, .signIn, .pastValues:
            return handleDrag(mouse) ?? clickFooter(mouse) ?? []
        case .copyLetter:
            // A click elsewhere may give another pane the keys.
            if let effects = clickFooter(mouse) { return effects }
            if mouse.kind == .press { layers.close(.copyLetter) }
            return nil
        case .refusedText, .filter, .requestField, .tabLetter, .pasting: return nil
        }
    }
}
