import Documents
import FoundationEssentials
import Terminal

/// The state of `apus view`; the screen is a function of it.
struct ViewerModel {
    /// The state of the document.
    enum Content {
        /// Waiting for its first bytes.
        case opening
        /// It is in the pane.
        case open
        /// It could not be read, or only in part.
        case failed(String)
    }

    var size = Size(columns: 80, rows: 24)
    /// The time of the last event, since the start.
    var now = Duration.zero
    /// The wall-clock time of the start.
    var started = Date.distantPast
    /// The time zone for times of day; nil for the user's own.
    var timeZone: TimeZone?
    /// The file's name, or a name for standard input.
    let name: String
    let start: ViewerStart
    /// Which key does what.
    var keys = KeyTable.standard
    /// A document that was opened before the first frame.
    var early: BodyDocument?
    var content = Content.opening
    var pane: DocumentPane
    /// Earlier input of prompts.
    var history = PromptHistory()
    /// The open help.
    var help: PageScroll?
    /// A message in place of the footer, until the next key.
    var notice: Notice?
    /// Whether the terminal's size is not known yet.
    var isNew = true

    init(
        name: String,
        start: ViewerStart = ViewerStart(),
        services: TreeServices = .none
    ) {
        self.name = name
        pane = DocumentPane(services)
        self.start = start
    }

    /// The wall-clock time.
    var clock: WallClock {
        WallClock(now: started.addingTimeInterval(now / .seconds(1)), zone: timeZone)
    }

    var layout: ViewerLayout { ViewerLayout(size: size) }

    /// The places of the key table that apply now.
    var keyPlaces: [KeyBinding.Place] { pane.keyPlaces(around: pane.table == nil ? [.levels] : []) }

    /// Whether the screen changes without an event.
    var isMoving: Bool {
        if case .opening = content { return true }
        return pane.isMoving
    }
}

/// How a document opens.
struct ViewerStart: Equatable, Sendable {
    /// A query to begin with.
    var query: String?
    /// The number of levels to unfold; nil for all.
    var depth: Int?
}

/// Updates the viewer's model with one event; returns the effects to run.
///
/// Pure: no clock, no input or output; the time comes with the event.
func update(
    _ model: inout ViewerModel,
    _ event: TerminalEvent<ViewerMessage>,
    at now: Duration
) -> [ViewerEffect] {
    model.now = now
    switch event {
    case .key(let key): return model.handle(key)
    case .paste(let text): return model.inPane { $0.paste(text) }
    case .mouse(let mouse): return model.handle(mouse)
    case .message(let message): return model.handle(message)
    case .resize(let size):
        model.size = size
        model.fit()
        return model.begin()
    case .copied(let outcome):
        model.notice = model.notice?.after(outcome)
        return []
    case .tick, .resumed, .focus, .programEnded, .background: return []
    }
}

extension ViewerModel {
    /// Gives the pane the room that the layout has for it.
    mutating func fit() { pane.fit(layout.body.size, value: layout.valueRoom) }

    /// Changes the pane, and passes its effects on.
    mutating func inPane(
        _ change: (inout DocumentPane) -> [DocumentPaneEffect]
    ) -> [ViewerEffect] {
        let effects = change(&pane)
        fit()
        return effects.compactMap { pass($0) }
    }

    private mutating func pass(_ effect: DocumentPaneEffect) -> ViewerEffect? {
        switch effect {
        case .copy(let text): return .session(.copy(text))
        case .say(let notice): self.notice = notice
        case .refuse(let text): notice = Notice(kind: .information, text: text)
        case .remember(let kind, let text): history.keep(text, in: kind)
        case .keepWrap(let wraps): return .keepWrap(wraps)
        default: return .tree(effect)
        }
        return nil
    }

    /// Has the document read, or shows the one that was opened early; only once.
    fileprivate mutating func begin() -> [ViewerEffect] {
        guard isNew else { return [] }
        isNew = false
        guard let body = early else { return [.load] }
        early = nil
        return show(body)
    }

    // MARK: Keys

    fileprivate mutating func handle(_ key: Key) -> [ViewerEffect] {
        notice = nil
        guard help == nil else {
            let places: [KeyBinding.Place] = [.moving, .everywhere]
            return keys.action(for: key, in: places).map { performInHelp($0) } ?? []
        }
        guard let action = keys.action(for: key, in: keyPlaces) else {
            return inPane { $0.type(key) }
        }
        let history = history
        var isTaken = true
        let effects = inPane { pane in
            guard let effects = pane.perform(action, key: key, history: history) else {
                isTaken = false
                return []
            }
            return effects
        }
        return isTaken ? effects : perform(action)
    }

    private mutating func perform(_ action: Action) -> [ViewerEffect] {
        switch action {
        case .quit: return [.session(.quit(status: 0))]
        case .suspend: return [.session(.suspend)]
        case .redraw: return [.session(.redraw)]
        case .help: help = PageScroll()
        case .back:
            return inPane { $0.clearFindings() ? [.stop] : $0.say("q ends apus view") }
        default: break
        }
        return []
    }

    private mutating func performInHelp(_ action: Action) -> [ViewerEffect] {
        switch action {
        case .suspend: return [.session(.suspend)]
        case .redraw: return [.session(.redraw)]
        default:
            let area = PageLayout(size: size).inside
            let text = HelpText(keys, places: KeyBinding.Place.ofTree, columns: area.columns)
            help = help?.after(action, page: area.rows, count: text.rowCount)
        }
        return []
    }

    // MARK: The mouse

    fileprivate mutating func handle(_ mouse: MouseEvent) -> [ViewerEffect] {
        guard help == nil else { return [] }
        let body = layout.body
        switch mouse.kind {
        case .scrollUp: pane.scroll(by: -3)
        case .scrollDown: pane.scroll(by: 3)
        case .press where mouse.button == .left && body.contains(mouse.position):
            let point = Point(x: mouse.position.x - body.x, y: mouse.position.y - body.y)
            return inPane { $0.click(row: point.y, column: point.x, isSecond: true) }
        default: break
        }
        return []
    }

    // MARK: Messages

    fileprivate mutating func handle(_ message: ViewerMessage) -> [ViewerEffect] {
        switch message {
        case .opened(let body): return show(body)
        case .failed(let text): content = .failed(text)
        case .tree(let message): return inPane { $0.receive(message) }
        }
        return []
    }

    /// Shows the document as `start` says.
    mutating func show(_ body: BodyDocument) -> [ViewerEffect] {
        content = .open
        let start = start
        return inPane { pane in
            var effects = pane.show(body)
            if let depth = start.depth { pane.unfold(levels: depth) }
            if let query = start.query { effects += pane.query(query) }
            return effects
        }
    }
}

/// The result of a viewer's effect.
enum ViewerMessage: Sendable {
    /// The first rows can be shown.
    case opened(BodyDocument)
    /// The document could not be read, or only in part.
    case failed(String)
    /// The result of the document pane's effect.
    case tree(DocumentPaneMessage)
}

/// An effect of `apus view`.
enum ViewerEffect: Sendable {
    /// A command for the terminal.
    case session(SessionCommand)
    /// Read the document.
    case load
    /// Wrap lines of text at the next start, or do not.
    case keepWrap(Bool)
    /// An effect of the document pane.
    case tree(DocumentPaneEffect)
}
