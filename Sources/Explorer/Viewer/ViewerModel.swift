import Documents
import Terminal

/// All that `apus view` knows; what the screen shows is a function of it.
struct ViewerModel {
    /// What is known of the document.
    enum Content {
        /// Its first bytes are awaited.
        case opening
        /// It is in the pane.
        case open
        /// It could not be read, or not further.
        case failed(String)
    }

    /// The terminal's size.
    var size = Size(columns: 80, rows: 24)
    /// The stop-watch, when the last event came.
    var now = Duration.zero
    /// The file's name, or what standard input is called.
    let name: String
    /// How the document opens.
    let start: ViewerStart
    /// What was read before there was a screen, for its first frame.
    var early: BodyDocument?
    /// What is known of it.
    var content = Content.opening
    /// The document.
    var pane = TreePane()
    /// What was typed into prompts.
    var history = PromptHistory()
    /// The help, when it is open.
    var help: HelpView?
    /// One line of news in place of the footer, until the next key.
    var notice: Notice?
    /// Whether the terminal's size is still to come.
    var isNew = true

    init(name: String, start: ViewerStart = ViewerStart()) {
        self.name = name
        self.start = start
    }

    /// Where everything stands.
    var layout: ViewerLayout { ViewerLayout(size: size) }

    /// Which lines of the key table count now.
    var keyPlaces: [KeyBinding.Place] { pane.keyPlaces(around: [.levels]) }

    /// Whether something moves on the screen without an event.
    var isMoving: Bool {
        if case .opening = content { return true }
        return pane.isMoving
    }
}

/// How a document opens.
struct ViewerStart: Equatable, Sendable {
    /// A query to begin with.
    var query: String?
    /// The levels that are unfolded; nil for all.
    var depth: Int?
}
