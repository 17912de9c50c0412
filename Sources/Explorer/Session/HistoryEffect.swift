import Apus
import Documents
import FoundationEssentials
import Recordings
import Terminal
import TreeView
import Workspaces

/// Work on the history.
enum HistoryEffect: Sendable {
    /// Load the lines before a position; `generation` is that of the list.
    case load(HistoryFilter?, before: HistoryPosition, generation: Int)
    /// Load the newest lines again, at most `count`.
    case refresh(HistoryFilter?, count: Int, generation: Int)
    /// Load the exchanges of a batch or a chain.
    case loadParts(RecordedRun.ID)
    /// Open an exchange, and the one to show beside it.
    case open(RecordedExchange, beside: Neighbor, comparing: Bool)
    /// Open the exchange at an index of a batch.
    case openPart(RecordedRun.ID, index: Int)
    /// Open the newest exchange of a series, beside the one before it.
    case openLatest(ExchangeSeries)
    /// Mark an exchange, or remove its mark.
    case mark(RecordedExchange.ID, Bool)
    /// Set the note of an exchange; nil removes it.
    case note(RecordedExchange.ID, String?)
    /// Follow a change of a name in the files of a workspace.
    case rename(WorkspaceChange, workspace: String)
    /// Copy an exchange's request as a curl command.
    case copyCommand(RecordedExchange.ID)
    /// Begin a session, or continue the one of this name; share it on a server, if one is given.
    case beginSession(String, sharing: ServerChoice? = nil)
    /// End the session.
    case endSession
    /// List the sessions.
    case listSessions
    /// Find the value at a path in all responses of a series.
    case values(ExchangeSeries, path: String, generation: Int)
    /// Cancel finding values.
    case endValues

    /// The exchange that is shown beside the opened one.
    enum Neighbor: Sendable, Hashable {
        /// Nothing.
        case none
        /// The newest of its series.
        case latest
        /// This one; the later of the two is shown at the right.
        case exchange(RecordedExchange)
        /// Opens the one before it in its series instead, with itself at the right.
        case older
        /// Opens the one after it in its series instead, with the next one after that at the right.
        case newer
    }
}

/// A result of work on the history, or a change of it.
enum HistoryMessage: Sendable {
    /// More lines, which follow those of the list.
    case loaded(HistoryPage, generation: Int)
    /// More lines could not be read.
    case loadFailed(generation: Int)
    /// The newest lines.
    case refreshed(HistoryPage, generation: Int)
    /// The history was written to, by this or another process.
    case changed
    /// The exchanges of a batch or a chain.
    case parts(RecordedRun.ID, HistoryPage)
    /// An exchange whose mark or note has changed.
    case replaced(RecordedExchange)
    /// An exchange, and the one beside it.
    case opened(OpenedExchange, comparing: Bool)
    /// An opened exchange whose bodies were fetched, or could not be.
    case fetched(OpenedExchange, comparing: Bool)
    /// A text for the clipboard, and what it is.
    case copied(String, what: String)
    /// All sessions, the newest first.
    case sessions([RecordedSession])
    /// The session that is being recorded, with its exchanges so far.
    case session(SessionStatus)
    /// The session of this name could not be begun.
    case sessionFailed(String)
    /// An exchange of a run that began at this time is being recorded.
    case recorded(RunID, started: Date)
    /// The history's ID of a batch or a chain.
    case recordedRun(RunID, RecordedRun.ID)
    /// The values found so far, the newest first; `isWhole` says that the search is done.
    case values([PastValue], isWhole: Bool, generation: Int)
    /// A notice for the user.
    case notice(Notice)
    /// Recording has stopped, for this reason.
    case stopped(String)
}

/// The session that is being recorded, as the header shows it.
struct SessionStatus: Equatable, Sendable {
    var name: String
    /// The number of its exchanges.
    var count: Int
    /// Whether it is shared with the team; nil if it is not to be.
    var sharing: SharingStatus?
}

/// A value in one response.
struct PastValue: Equatable, Sendable {
    var exchange: RecordedExchange
    /// The value as text; nil if the response does not have it.
    var text: String?
    /// The value as a number; nil if it is none.
    var number: Double?
}
