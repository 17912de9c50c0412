import FoundationEssentials
import Terminal
import TreeView

/// The explorer's state; the screen is a function of it.
///
/// What one pane needs is in that pane's value; what is open over the panes is in `layers`.
struct Model {
    /// The terminal's size.
    var size = Size(columns: 80, rows: 24)
    /// The time of the last event, from which ages and rates are computed.
    var clock = EventClock()
    /// What can be sent, and the environment to send it in.
    var workspace: WorkspaceState
    /// How it is sent.
    var sending = SendingChoices()
    /// Requests, batches and chains that run or have run.
    var runs = RunLog()

    /// What is open over the panes.
    var layers = LayerStack()
    /// A message above the footer, until the next key.
    var notice: Notice?
    /// Which key does what.
    var keys = KeyTable.explorer
    /// Which pane takes the keys, and how much room each has.
    var panes = PaneArrangement()
    var appearance = Appearance()

    /// The list at the left.
    var targets = TargetList()
    /// The request pane, and the edits of all requests.
    var request = RequestPaneState()
    /// The panes of the cache's and the server's responses, which also show batches and chains.
    var responses = ResponsePanes()
    /// The lines of the history, and what is recorded.
    var session = SessionList()
    /// The sessions that are shared with a team.
    var sharing = SharingState()
    /// Who is signed in.
    var signIn = SignInState()
    /// What the palette finds besides actions.
    var palette = PaletteIndex()

    /// What requests wait for, to be asked one after another.
    var questions: [QuestionLayer] = []

    /// The state that was last kept for the next start; nil if none is kept.
    var keptState: KeptState?

    init(sourceName: String) { workspace = WorkspaceState(sourceName: sourceName) }
}

/// A time, by the wall clock and since the start.
struct Moment: Equatable, Sendable {
    var wall: Date
    /// Since the program started.
    var uptime: Duration
}

/// The clock that the model goes by: it stands still between events.
struct EventClock {
    /// The time of the last event.
    var now = Moment(wall: .distantPast, uptime: .zero)
    /// The time zone for times of day; nil for the user's own.
    var zone: TimeZone?
}

/// The pane that takes the keys.
enum Focus: Equatable, CaseIterable {
    case targets, request, cache, server, progress
}

/// Which pane takes the keys, and how much room each has.
struct PaneArrangement {
    /// The pane that takes the keys.
    var focus = Focus.targets
    /// Whether the focused pane fills the screen.
    var isZoomed = false
    /// The pane sizes that the user set.
    var sizes = PaneSizes()
    /// What the mouse is dragging.
    var drag: MouseDrag?
    /// Whether the program gets the mouse, rather than the terminal.
    var hasMouse = true

    /// The focused response; nil if another pane has the focus.
    var focusedSide: PaneSide? {
        switch focus {
        case .cache: .cache
        case .server: .server
        case .targets, .request, .progress: nil
        }
    }
}

/// The theme, and what it depends on.
struct Appearance {
    var theme = Theme.standard
    /// The theme's name; that of a theme that is still being read, if one was chosen.
    var themeName = Theme.standard.name
    /// The names of all themes.
    var themeNames = ThemeLoader.builtInNames
    /// Whether no theme was chosen, so that it follows the terminal's background.
    var followsBackground = false
    /// The terminal's background; nil until the terminal has reported it.
    var background: PixelColor?

    /// The theme that a choice means, for the automatic one that of the terminal's background.
    func themeName(of choice: String) -> String {
        choice == AutomaticTheme.name ? AutomaticTheme.name(on: background) : choice
    }

    /// Notes the terminal's background; returns the name of the theme to read for it, nil if the theme stays.
    mutating func follow(_ color: PixelColor) -> String? {
        background = color
        let name = AutomaticTheme.name(on: color)
        guard followsBackground, name != themeName else { return nil }
        themeName = name
        return name
    }
}
