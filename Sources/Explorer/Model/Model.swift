import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Recordings
import Terminal

/// The explorer's state; the screen is a function of it.
struct Model {
    /// The terminal's size.
    var size = Size(columns: 80, rows: 24)
    /// When the last event came.
    ///
    /// Ages and rates are computed from it, never from a clock.
    var now = Moment(wall: .distantPast, uptime: .zero)

    /// The file that the workspace comes from, for the title bar.
    var sourceName: String
    /// What can be sent; nil while the workspace is being read.
    var catalog: Catalog?
    /// Why what the files hold now is no catalog; the one of before stays.
    var catalogProblem: CatalogProblem?
    /// What edits the files.
    var editor = Editor([:])
    /// The environment, as an index of the catalog's.
    var environment = 0 { didSet { views.environment = environment } }
    /// Where answers come from.
    var sourceChoice = SourceChoice.perTarget

    /// The list over the panes that is searched by typing, when it is open.
    var picker: Picker?
    /// The sessions of the history, the newest first; none until somebody looks for one.
    var sessions: [RecordedSession] = []
    /// The targets, made ready to be searched; nil until somebody searches, and after a change.
    var targetIndex: TargetIndex?
    /// The theme, and its name.
    var theme = Theme.standard
    var themeName = Theme.standard.name
    /// The names of the themes that there are.
    var themeNames = ThemeLoader.builtInNames
    /// Whether the mouse is ours, and not the terminal's.
    var hasMouse = true
    /// Which key does what.
    var keys = KeyTable.standard
    /// Which pane has the keys.
    var focus = Focus.targets
    /// The pane that fills the screen, if one does.
    var isZoomed = false
    /// What the user made of the sizes of the panes.
    var sizes = PaneSizes()
    /// What the mouse holds.
    var drag: MouseDrag?
    /// Where the keys that are typed next can go, while the labels for that are shown.
    var jump: Jump?
    /// The list at the left.
    var list = TargetList()
    /// What is known of each target that was looked at or sent.
    var views = RecentTargets()
    /// Requests, batches and chains that run or have run, newest last.
    var runs = RunLog()
    /// The help, when it is open.
    var help: PageScroll?
    /// Whether the next key may name a tab of the answer.
    var choosesTab = false
    /// The fields that the transport puts beside those of a request.
    var addedFields: @Sendable (PreparedRequest) -> HTTPFields = { _ in [:] }
    /// Why the cache did what it did, when that is open.
    var explanation: PageScroll?
    /// Earlier entries of prompts.
    var history = PromptHistory()
    /// One line of news above the footer, until the next key.
    var notice: Notice?
    /// Whether what is sent is recorded.
    var hasHistory = false
    /// Why it is not any more.
    var recordingProblem: String?
    /// What was sent, back to the first day.
    var session = SessionList()
    /// The session that is recorded by name; nil without one.
    var lamp: SessionLamp?
    /// An exchange of the history, in the answer panes in the target's place.
    var opened: OpenedExchange?
    /// A request of a batch or a step of a chain, in the answer panes in the target's place.
    var openedPart: OpenedPart?
    /// What was typed last to watch a target.
    var lastWatch = "5s"
    /// The run of a target that is watched, in the answer panes in the target's place.
    var watched: RunID?
    /// Whether it is compared once both bodies are there.
    var comparesOpened = false
    /// The number of the last look at earlier values.
    var lastPastValues = 0
    /// Earlier values at a place, when they are shown.
    var pastValues: PastValues?
    /// The cookies of the environment, when they are shown.
    var cookies: CookieList?
    /// Commands that bodies were sent through, the newest last.
    var filterCommands: [String] = []
    /// A line that is being typed, which no pane has.
    var prompt: LinePrompt?
    /// Whether the request pane is open.
    var isRequestOpen = false
    /// What it shows while it is.
    var requestPane = RequestPaneState()
    /// What is edited, or shown in the request pane.
    var hands = RequestsInHand()
    /// What waits for a yes before it is sent.
    var confirmation: Confirmation?
    /// Whether what cannot be undone is asked about first, in environments that are marked for it.
    var asksBeforeDanger = true
    /// While what was asked about is sent.
    var isConfirmed = false
    /// Whether the next start finds what is chosen, folded and sized now.
    var keepsState = false
    /// What is kept for it.
    var keptState = KeptState()
    /// The zone whose times of day are shown.
    var timeZone = TimeZone.current

    /// Whether the terminal's size is still to come.
    var isNew = true

    init(sourceName: String) { self.sourceName = sourceName }
}

/// A time, by the calendar and since the start.
struct Moment: Equatable, Sendable {
    /// The calendar's.
    var wall: Date
    /// Since the program began.
    var uptime: Duration
}

/// The pane that has the keys.
enum Focus: Equatable, CaseIterable {
    case targets, request, cache, server, progress
}

/// A line of news.
struct Notice: Equatable, Sendable {
    enum Kind: Equatable, Sendable { case information, warning, failure }
    var kind: Kind
    var text: String
}

/// Where answers come from, as chosen with a key.
enum SourceChoice: String, CaseIterable {
    /// As each target says, and cache and server when it says nothing.
    case perTarget
    case server, cache, cacheIfPossible, cacheAndServer, cacheThenRefresh, cacheOnFirstUse

    /// The source for all targets; nil when each has its own.
    var source: DataSource? { SourceName(rawValue: rawValue)?.source }

    /// The next one, after the last the first.
    var next: SourceChoice {
        let all = Self.allCases
        let index = all.firstIndex(of: self) ?? 0
        return all[(index + 1) % all.count]
    }

    /// A short name for the status bar.
    var title: String { source?.title ?? "per target" }

    /// The title, with the target's own wish when it is the target that chooses.
    func title(for wish: DataSource?) -> String {
        guard source == nil, let wish else { return title }
        return "\(title): \(wish.title)"
    }

    /// What it does, for the notice line.
    var explanation: String { source?.explanation ?? "each target chooses its source" }

    /// Where the answers of a target that wishes `wish` come from.
    func dataSource(for wish: DataSource?) -> DataSource { source ?? wish ?? .cacheAndServer }
}

extension DataSource {
    /// A short name for the status bar.
    var title: String {
        switch self {
        case .server: "server"
        case .cache: "cache"
        case .cacheIfPossible: "cache, else server"
        case .cacheAndServer: "cache+server"
        case .cacheThenRefresh: "cache, refresh"
        case .cacheOnFirstUse: "cache once, server"
        case .custom: "custom rule"
        }
    }

    fileprivate var explanation: String {
        switch self {
        case .server: "always the server"
        case .cache: "only the cache; nothing is sent"
        case .cacheIfPossible: "the cache; on a miss, the server"
        case .cacheAndServer: "the cached answer at once, and the server's beside it"
        case .cacheThenRefresh: "the cached answer; the server refreshes it in the background"
        case .cacheOnFirstUse: "the cache the first time, and always the server"
        case .custom: "the target's own rule"
        }
    }
}

extension Model {
    /// The source that the selected target sets; without one
    /// what "per target" then means, nil when no target is selected.
    var selectedSource: DataSource? {
        guard case .success(let request)? = selectedView?.request else { return nil }
        return SourceChoice.perTarget.dataSource(for: request.source)
    }
}

/// How far a page over the panes is scrolled.
struct PageScroll: Equatable {
    var offset = 0

    /// Where it is after a key; nil when the page is closed.
    func after(_ action: Action, page: Int, count: Int) -> PageScroll? {
        let last = max(0, count - page)
        let moved: Int
        switch action {
        case .down: moved = offset + 1
        case .up: moved = offset - 1
        case .pageDown: moved = offset + page
        case .pageUp: moved = offset - page
        case .first: moved = 0
        case .last: moved = last
        case .quit, .help, .back, .explain: return nil
        default: moved = offset
        }
        return PageScroll(offset: min(max(0, moved), last))
    }
}
