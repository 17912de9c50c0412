import Documents
import FoundationEssentials
import Terminal

/// All that the explorer knows; what the screen shows is a function of it.
struct Model {
    /// The terminal's size.
    var size = Size(columns: 80, rows: 24)
    /// When the last event came.
    ///
    /// Ages and rates are told from here, never from a clock.
    var now = Moment(wall: .distantPast, uptime: .zero)

    /// The file that the workspace comes from, for the title bar.
    var sourceName: String
    /// What can be sent; nil while the workspace is being read.
    var catalog: Catalog?
    /// The environment, as an index of the catalog's.
    var environment = 0
    /// Where answers come from.
    var sourceChoice = SourceChoice.asTarget

    /// Which pane has the keys.
    var focus = Focus.targets
    /// The pane that fills the screen, if one does.
    var isZoomed = false
    /// The list at the left.
    var list = TargetList()
    /// What is known of each target that was looked at or sent.
    var views = TargetViews()
    /// Requests, batches and chains that run or have run, newest last.
    var runs = RunLog()
    /// The help, when it is open.
    var help: HelpView?
    /// Why the cache did what it did, when that is open.
    var explanation: ExplanationView?
    /// What was typed into prompts.
    var history = PromptHistory()
    /// One line of news above the footer, until the next key.
    var notice: Notice?
    /// How many exchanges the session's recording holds; nil without one.
    var recordedCount: Int?

    /// Whether the terminal's size is still to come.
    var isNew = true

    init(sourceName: String) { self.sourceName = sourceName }
}

/// A time, by the calendar and by the stop-watch.
struct Moment: Equatable, Sendable {
    /// The calendar's.
    var wall: Date
    /// Since the program began.
    var uptime: Duration
}

/// What the keys go to.
enum Focus: Equatable, CaseIterable {
    case targets, cache, server, progress
}

/// A line of news.
struct Notice: Equatable, Sendable {
    enum Kind: Equatable, Sendable { case information, warning, failure }
    var kind: Kind
    var text: String
}
