import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Recordings
import Terminal
import TreeView

/// The explorer's state; the screen is a function of it.
struct Model {
    var size = Size(columns: 80, rows: 24)
    /// The time of the last event.
    ///
    /// Ages and rates are computed from it, never from a clock.
    var now = Moment(wall: .distantPast, uptime: .zero)

    /// The file that the workspace comes from, for the title bar.
    var sourceName: String
    /// What can be sent; nil while the workspace is being read.
    var catalog: Catalog?
    /// Why the files do not make a catalog now; the previous catalog stays.
    var catalogProblem: CatalogProblem?
    var editor = Editor([:])
    /// The environment, as an index into the catalog's.
    var environment = 0 { didSet { views.environment = environment } }
    /// Where answers come from.
    var sourceChoice = SourceChoice.perTarget

    /// The open list over the panes that is searched by typing.
    var picker: Picker?
    /// The sessions of the history, newest first; empty until they are searched for.
    var sessions: [RecordedSession] = []
    /// The targets, ready to be searched; nil until the first search, and after a change.
    var targetIndex: TargetIndex?
    var theme = Theme.standard
    var themeName = Theme.standard.name
    /// Whether no theme was chosen, so that it follows the terminal's background.
    var followsBackground = false
    /// The terminal's background, if it is known.
    var background: PixelColor?
    /// The names of all themes.
    var themeNames = ThemeLoader.builtInNames
    /// Whether the program gets the mouse, rather than the terminal.
    var hasMouse = true
    /// Which key does what.
    var keys = KeyTable.explorer
    /// The pane that takes the keys.
    var focus = Focus.targets
    /// Whether the focused pane fills the screen.
    var isZoomed = false
    /// The pane sizes that the user set.
    var sizes = PaneSizes()
    /// What the mouse is dragging.
    var drag: MouseDrag?
    /// The places to jump to, while their labels are shown.
    var jump: Jump?
    /// The list at the left.
    var list = TargetList()
    /// What is known about each target that was looked at or sent.
    var views = RecentTargets()
    /// Requests, batches and chains that run or have run, newest last.
    var runs = RunLog()
    /// The open help.
    var help: PageScroll?
    /// What is searched for in the help.
    var helpFilter: ListFilter?
    /// Whether the next key may select a tab of the answer.
    var choosesTab = false
    /// The fields that the transport adds to a request.
    var addedFields: @Sendable (PreparedRequest) -> HTTPFields = { _ in [:] }
    /// The open explanation of what the cache did.
    var explanation: PageScroll?
    /// Earlier input of prompts.
    var history = PromptHistory()
    /// Whether lines of text wrap.
    var wrapsText = false
    /// A message above the footer, until the next key.
    var notice: Notice?
    /// Whether requests and responses are recorded.
    var hasHistory = false
    /// Why recording has stopped.
    var recordingProblem: String?
    /// The lines of the history, and how they are shown.
    var session = SessionList()
    /// The session that is being recorded by name; nil if there is none.
    var sessionStatus: SessionStatus?
    /// The exchange of the history that the answer panes show in place of the target.
    var opened: OpenedExchange?
    /// The request of a batch or step of a chain that the answer panes show in place of the target.
    var openedPart: OpenedPart?
    /// The last input for watching a target.
    var lastWatch = "5s"
    /// The run of a watched target that the answer panes show in place of the target.
    var watched: RunID?
    /// Whether the two answers are compared as soon as both bodies are there.
    var comparesOpened = false
    /// The number of the last lookup of earlier values.
    var lastPastValues = 0
    /// Earlier values at a place, when they are shown.
    var pastValues: PastValues?
    /// The cookies of the environment, when they are shown.
    var cookies: CookieList?
    /// Commands that bodies were sent through, newest last.
    var filterCommands: [String] = []
    /// An input line that belongs to no pane.
    var prompt: LinePrompt?
    /// Whether an input line was refused: its text, which the user may be typing, is not taken for keys.
    var swallowsText = false
    var isRequestOpen = false
    /// Whether the request was opened on the way through the panes, and closes when that goes on.
    var isRequestPassed = false
    var requestPane = RequestPaneState()
    /// The edited and the pasted requests.
    var editedRequests = EditedRequests()
    /// What waits for a confirmation before it is sent.
    var confirmation: Confirmation?
    /// Whether requests that may change something are confirmed first, in environments marked as dangerous.
    var asksBeforeDanger = true
    /// Whether a confirmed request is being sent.
    var isConfirmed = false
    /// Whether the selection, folding and sizes are kept for the next start.
    var keepsState = false
    /// The state that was last kept.
    var keptState = KeptState()
    /// The time zone for times of day; nil for the user's own.
    var timeZone: TimeZone?

    /// Whether the terminal's size is not known yet.
    var isNew = true

    init(sourceName: String) { self.sourceName = sourceName }
}

/// A time, by the wall clock and since the start.
struct Moment: Equatable, Sendable {
    var wall: Date
    /// Since the program started.
    var uptime: Duration
}

/// The pane that takes the keys.
enum Focus: Equatable, CaseIterable {
    case targets, request, cache, server, progress
}

/// Where answers come from, as chosen with a key.
enum SourceChoice: String, CaseIterable {
    /// As each target says; from cache and server if it does not say.
    case perTarget
    case server, cache, cacheIfPossible, cacheAndServer, cacheThenRefresh, cacheOnFirstUse

    /// The source for all targets; nil if each has its own.
    var source: DataSource? { SourceName(rawValue: rawValue)?.source }

    /// The next choice, wrapping around.
    var next: SourceChoice {
        let all = Self.allCases
        let index = all.firstIndex(of: self) ?? 0
        return all[(index + 1) % all.count]
    }

    /// A short name.
    var title: String { source?.title ?? "per target" }

    /// Where the answers of a target with its own source come from, for the status bar.
    func title(for wish: DataSource?) -> String {
        guard source == nil, let wish else { return source.map { "\($0.words) (all)" } ?? title }
        return wish.words
    }

    /// What it does, for the notice line.
    var explanation: String { source?.explanation ?? "each target chooses" }

    /// Where a target's answers come from if its own source is `wish`.
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

    /// Where answers come from, in the order in which they are asked.
    var words: String {
        switch self {
        case .server: "server"
        case .cache: "cache"
        case .cacheIfPossible: "cache, else server"
        case .cacheAndServer: "cache, then server"
        case .cacheThenRefresh: "cache, refreshed later"
        case .cacheOnFirstUse: "cache once, then server"
        case .custom: "the target's rule"
        }
    }

    /// Short enough for the list of sources in a terminal of 60 columns.
    fileprivate var explanation: String {
        switch self {
        case .server: "always the server"
        case .cache: "only the cache; nothing is sent"
        case .cacheIfPossible: "the cache; on a miss, the server"
        case .cacheAndServer: "the cache, the server beside it"
        case .cacheThenRefresh: "the cache; refreshed meanwhile"
        case .cacheOnFirstUse: "the cache once, then the server"
        case .custom: "the target's own rule"
        }
    }
}

extension Model {
    /// The selected target's own source, or the default if it has none; nil if no target is selected.
    var selectedSource: DataSource? {
        guard case .success(let request)? = selectedView?.request else { return nil }
        // Without a cache only the server answers, whatever the source.
        if keepsNothing { return .server }
        return SourceChoice.perTarget.dataSource(for: request.source)
    }

    /// Whether the selected target is not cached.
    var keepsNothing: Bool {
        guard case .success(let request)? = selectedView?.request else { return false }
        return request.target.cachePolicy.storage == .none
    }

    /// Whether the line under the cursor has a request that can be shown and edited.
    var canShowRequest: Bool {
        guard showsSelection, pastValues == nil, watched == nil else { return false }
        if case .target? = list.selected?.kind { return true }
        return false
    }
}

/// What waits for a confirmation before it is sent to an environment that is marked as dangerous.
struct Confirmation {
    /// How it is sent once it is confirmed.
    enum Sending {
        /// The line under the list's cursor.
        case selected
        /// What failed in the newest run of the selected batch.
        case failedAgain
        /// The selected chain, from the chosen step.
        case fromStep
        /// The chosen step's request alone.
        case stepAlone
        /// A part of a run, alone.
        case part(OpenedPart)
        /// A recorded request, again.
        case exchange(RecordedExchange)
        /// The selected target at an interval: what was typed, and the prompt to return to.
        case watch(String, LinePrompt)
    }

    let sending: Sending
    /// The environment's name.
    let environment: String
    /// What is sent: "DELETE Users/Delete user".
    let what: String

    /// The keys that answer it.
    static let hints: [FooterHints.Hint] = [
        .init("y", "send"), .init("a", "send, and stop asking"), .init("esc", "do not send"),
    ]
}

/// The labels on everything that can be reached, until one is typed.
struct Jump: Equatable {
    /// What a label leads to.
    enum Goal: Equatable {
        /// Gives a pane the keys.
        case pane(Focus)
        /// Acts like a click there that opens nothing.
        case place(Focus, Point)
        /// Acts like this key.
        case key(Key)
    }

    /// A label and its position.
    struct Label: Equatable {
        var text: String
        var point: Point
        var goal: Goal
    }

    private(set) var labels: [Label]
    /// The first letter of a label with two, once it is typed.
    var typed = ""

    /// The labels that begin with the typed letter.
    var candidates: [Label] { labels.filter { $0.text.hasPrefix(typed) } }

    /// Labels the goals; the first ones get one letter, as far as the letters suffice.
    init(_ goals: [(point: Point, goal: Goal)]) {
        let texts = Self.texts(goals.count)
        labels = zip(texts, goals).map { Label(text: $0, point: $1.point, goal: $1.goal) }
    }

    /// The letters, the ones that are easy to reach first.
    private static let letters = "asdfghjklqwertyuiopzxcvbnm".map(String.init)

    /// This many texts of one or two letters, none of which begins another.
    static func texts(_ count: Int) -> [String] {
        let all = letters.count
        let single = (0...all).last { $0 + (all - $0) * all >= count } ?? 0
        let pairs = letters[single...].flatMap { first in letters.map { first + $0 } }
        return Array((letters[..<single] + pairs).prefix(count))
    }
}

/// What the mouse is dragging.
enum MouseDrag: Equatable {
    /// A border, and the pointer's distance from it. Until the border moves, the press may turn out to be a click.
    case border(PaneBorder, distance: Int, isMoved: Bool = false)
    /// The thumb of a scrollbar, and how many rows below its top the pointer is.
    case thumb(PaneScrollbar.Owner, grip: Int)
}

/// A scrollbar on the screen.
struct PaneScrollbar {
    /// What it scrolls.
    enum Owner: Equatable {
        case pane(Focus)
        case picker
        /// The help.
        case page
    }

    let owner: Owner
    /// Its column, as high as the rows beside it.
    let column: Rect
    let visible: Range<Int>
    let total: Int

    init?(_ owner: Owner, beside area: Rect, _ visible: Range<Int>, of total: Int) {
        guard !area.isEmpty, Scrollbar.thumb(visible, of: total, rows: area.rows) != nil else {
            return nil
        }
        self.owner = owner
        column = Rect(x: area.maxX, y: area.y, columns: 1, rows: area.rows)
        (self.visible, self.total) = (visible, total)
    }
}
