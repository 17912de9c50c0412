import Apus
import Recordings
import Terminal

/// A line of input above the footer.
struct LinePrompt {
    enum Purpose {
        /// A note about an exchange.
        case note(RecordedExchange.ID)
        /// The name of a session.
        case session
        /// How often a target is sent, and until when.
        case watch
        /// The file that a body goes to.
        case save(ResponseBody)
        /// Whether to replace an existing file.
        case replace(ResponseBody, path: String)
        /// A search in a tab of an answer.
        case find
        /// The name of a new target for an edited one.
        case saveAs(CatalogID)
        /// A request as text.
        case request
        /// A value that a request lacks.
        case missing(MissingValue)
        /// A new value of a cookie.
        case cookie(Cookie)
        /// The command that a body is sent through.
        case filter(FilterSource)
    }

    let purpose: Purpose
    var field: TextField
    /// Earlier input, the newest last.
    var entries: [String] = []
    /// The index of the recalled entry, and what was typed before it was recalled.
    private var recalled: (index: Int, typed: String)?

    init(purpose: Purpose, field: TextField, entries: [String] = []) {
        self.purpose = purpose
        self.field = field
        self.entries = entries
    }

    /// Recalls an older or newer entry; after the newest comes what was typed before recalling.
    mutating func recall(older: Bool) {
        let start = recalled ?? (index: entries.count, typed: field.text)
        let index = start.index + (older ? -1 : 1)
        guard (0...entries.count).contains(index) else { return }
        field.text = index == entries.count ? start.typed : entries[index]
        recalled = (index, start.typed)
    }

    /// Whether the input is a secret.
    var isSecret: Bool {
        switch purpose {
        case .cookie: true
        case .missing(let missing): missing.isSecret
        default: false
        }
    }

    /// The label before the input.
    var label: String {
        switch purpose {
        case .note: "Note:"
        case .session: "Session:"
        case .watch: "Every:"
        case .find: "/"
        case .save: "Save the body as:"
        case .replace(_, let path): "\(path) already exists. Type y to replace it:"
        case .saveAs: "Save as:"
        case .request: "Request:"
        case .missing(let missing): "\(missing.name):"
        case .cookie(let cookie): "\(cookie.name)="
        case .filter(let source): "\(source.name) |"
        }
    }

    /// Examples of other input, and their meaning.
    var examples: [(typed: String, meaning: String)] {
        if case .filter(let source) = purpose {
            let other = source.other.map { [("tab", $0.name)] } ?? []
            return other + (entries.isEmpty ? [] : [("up", "earlier input")])
        }
        if case .cookie = purpose, field.isMasked { return [("alt+s", "show")] }
        guard case .watch = purpose else { return [] }
        return [
            ("5s until status:200", "a status"),
            ("1 min until $.state == \"done\"", "a value"),
        ]
    }

    /// What enter does, for the footer.
    var accepting: String {
        switch purpose {
        case .note: "keep the note"
        case .session: "record"
        case .watch: "watch"
        case .find: "keep"
        case .save: "save"
        case .replace: "replace it if you typed y"
        case .saveAs: "save"
        case .request: "add it as a new request"
        case .missing: "send"
        case .cookie: "keep the value"
        case .filter: "run it"
        }
    }
}
