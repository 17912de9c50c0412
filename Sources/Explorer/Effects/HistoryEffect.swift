import Apus
import Documents
import FoundationEssentials
import Recordings
import Terminal

/// Work on the history.
enum HistoryEffect: Sendable {
    /// Lines that follow a place; `generation` is the list's.
    case load(HistoryFilter?, before: HistoryPosition, generation: Int)
    /// The newest lines again, so many.
    case refresh(HistoryFilter?, count: Int, generation: Int)
    /// The exchanges of a batch or a chain.
    case loadParts(RecordedRun.ID)
    /// All of an exchange, and what stands beside it.
    case open(RecordedExchange, beside: Neighbour, comparing: Bool)
    /// The exchange at a place of a batch.
    case openPart(RecordedRun.ID, place: Int)
    /// The newest exchange of a series, beside the one before it.
    case openLatest(ExchangeSeries)
    /// Mark an exchange, or take its mark back.
    case mark(RecordedExchange.ID, Bool)
    /// Note something about an exchange.
    case note(RecordedExchange.ID, String?)
    /// Copy an exchange's request as a curl command.
    case copyCommand(RecordedExchange.ID)
    /// Begin a session, or go on with the one of this name.
    case beginSession(String)
    /// End the session.
    case endSession
    /// Tell the sessions that there are.
    case listSessions
    /// The same value in the answers of a series.
    case values(ExchangeSeries, path: String, generation: Int)
    /// Stop looking for values.
    case endValues

    /// What an exchange is opened beside.
    enum Neighbour: Sendable, Hashable {
        /// Nothing.
        case none
        /// The newest of its series.
        case latest
        /// This one; the later of the two stands at the right.
        case exchange(RecordedExchange)
        /// The one before it in its series is opened in its place, beside itself.
        case older
        /// The same with the one after it.
        case newer
    }
}

/// What came of work on the history.
enum HistoryMessage: Sendable {
    /// Lines that follow those that are known.
    case loaded(HistoryPage, generation: Int)
    /// They could not be read.
    case loadFailed(generation: Int)
    /// The newest lines.
    case refreshed(HistoryPage, generation: Int)
    /// Something was written, by whichever process.
    case changed
    /// The exchanges of a batch or a chain.
    case parts(RecordedRun.ID, HistoryPage)
    /// An exchange whose mark or note has changed.
    case replaced(RecordedExchange)
    /// An exchange, and what stands beside it.
    case opened(OpenedExchange, comparing: Bool)
    /// Text for the clipboard, and what it is.
    case copied(String, what: String)
    /// The sessions that there are, the newest first.
    case sessions([RecordedSession])
    /// The session that is recorded, with its exchanges so far.
    case session(SessionLamp)
    /// The session of this name could not be begun.
    case sessionFailed(String)
    /// An exchange of a run is being recorded; it began at this time.
    case recorded(RunID, started: Date)
    /// A batch or a chain is in the history.
    case recordedRun(RunID, RecordedRun.ID)
    /// Values of the series that is looked through, the newest first.
    case values([PastValue], isWhole: Bool, generation: Int)
    /// Something to tell.
    case tell(Notice)
    /// Nothing is recorded any more, for this reason.
    case stopped(String)
}

/// An exchange of the history, and one to compare it with.
struct OpenedExchange: Sendable {
    /// The one that was opened.
    var then: RecordedExchange
    /// What it ended with.
    var thenResult: Result<Response, ApusError>
    /// The size of a body of it that was too large to be kept.
    var thenUnkeptSize: Int?
    /// Its SHA-256, if that is known.
    var thenUnkeptDigest: String?
    /// The request as it was sent, secrets masked.
    var request: PreparedRequest
    /// The variables that it was made of, secrets masked.
    var variables: [String: String] = [:]
    /// The later one; nil if there is none.
    var now: RecordedExchange?
    /// What that ended with.
    var nowResult: Result<Response, ApusError>?
    var nowUnkeptSize: Int?
    var nowUnkeptDigest: String?

    /// The name of its panes among those of targets.
    var item: CatalogID { CatalogID("exchange \(then.id)") }
}

/// The session that is recorded.
struct SessionLamp: Equatable, Sendable {
    var name: String
    /// How many exchanges it has.
    var count: Int
}

/// What a value was in one answer.
struct PastValue: Equatable, Sendable {
    var exchange: RecordedExchange
    /// As it was written; nil where the answer does not have it.
    var text: String?
    /// The number that it is.
    var number: Double?
}
