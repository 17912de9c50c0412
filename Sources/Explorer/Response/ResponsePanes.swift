import Apus
import HTTPTypes
import Recordings
import TreeView

/// The panes of the cache's and the server's responses.
struct ResponsePanes {
    /// What they show.
    enum Shown {
        /// The line under the list's cursor.
        case selection
        /// An exchange of the history.
        case exchange(OpenedExchange)
        /// A request of a batch, or a step of a chain.
        case part(OpenedPart)
        /// The run of a watched target.
        case watch(RunID)
    }

    var shown = Shown.selection
    /// What is known about each target that was looked at or sent.
    var views = RecentTargets()
    /// Whether the two responses are compared as soon as both bodies are there.
    var comparesOpened = false
    /// The fields that the transport adds to a request.
    var addedFields: @Sendable (PreparedRequest) -> HTTPFields = { _ in [:] }
    /// Earlier searches and queries.
    var prompts = PromptHistory()
    /// Whether lines of text wrap.
    var wrapsText = false
    /// Commands that bodies were sent through, newest last.
    var filterCommands: [String] = []
    /// The number of the last lookup of earlier values.
    var lastPastValues = 0

    /// Whether they show the line under the list's cursor, and nothing in its place.
    var showsSelection: Bool { if case .selection = shown { true } else { false } }

    /// The exchange that they show in place of the target.
    var opened: OpenedExchange? { if case .exchange(let opened) = shown { opened } else { nil } }

    /// The part of a run that they show in place of the target.
    var openedPart: OpenedPart? { if case .part(let part) = shown { part } else { nil } }

    /// The watch that they show in place of the target.
    var watched: RunID? { if case .watch(let id) = shown { id } else { nil } }

    /// Identifies what is shown in place of a line of the list; nil if nothing is.
    var shownInstead: CatalogID? {
        switch shown {
        case .selection: nil
        case .exchange(let opened): opened.item
        case .part(let part): part.item
        case .watch(let id): Self.item(ofWatch: id)
        }
    }

    /// Identifies the panes of a watched target.
    static func item(ofWatch id: RunID) -> CatalogID { CatalogID("watch \(id.number)") }

    /// Takes an exchange with a changed mark or note, if it is the one that they show.
    mutating func replace(_ exchange: RecordedExchange) {
        guard case .exchange(var opened) = shown, opened.then.id == exchange.id else { return }
        opened.then = exchange
        shown = .exchange(opened)
    }

    /// Keeps a command, which may have been kept before, as the newest of 100.
    mutating func keep(filterCommand command: String) {
        filterCommands.removeAll { $0 == command }
        filterCommands = Array((filterCommands + [command]).suffix(100))
    }
}
