import Apus
import Recordings
import Terminal

/// The values at one place in earlier answers.
struct PastValues {
    /// The rows above the list: a chart of the numbers, and their summary.
    static let headRows = 2

    /// The place, as a short path and as a query.
    let shownPath: String
    let path: String
    let series: ExchangeSeries
    /// Identifies this lookup; results of an earlier one are ignored.
    let generation: Int
    /// The values, the newest first.
    private(set) var values: [PastValue] = []
    /// Whether all answers have been searched.
    private(set) var isWhole = false
    var scroll = ListScroll()
    private var height = 1

    init(shownPath: String, path: String, series: ExchangeSeries, generation: Int) {
        self.shownPath = shownPath
        self.path = path
        self.series = series
        self.generation = generation
    }

    mutating func fit(height: Int) {
        self.height = max(1, height)
        scroll.update(count: values.count, height: self.height)
    }

    mutating func take(_ values: [PastValue], isWhole: Bool) {
        (self.values, self.isWhole) = (values, isWhole)
        fit(height: height)
    }

    /// The value under the cursor.
    var selected: PastValue? {
        values.indices.contains(scroll.selection) ? values[scroll.selection] : nil
    }

    /// Whether a value differs from the previous one in time.
    func isChange(at index: Int) -> Bool {
        guard values.indices.contains(index + 1) else { return false }
        return values[index].text != values[index + 1].text
    }

    /// The number of changes.
    var changeCount: Int { values.indices.count { isChange(at: $0) } }

    /// The numbers among the values, the oldest first.
    var numbers: [Double] { values.reversed().compactMap(\.number) }

    /// The smallest, the median and the largest of the numbers; nil if there are none.
    var range: (least: Double, median: Double, most: Double)? {
        let sorted = numbers.sorted()
        guard let least = sorted.first, let most = sorted.last else { return nil }
        let middle = sorted.count / 2
        let median =
            sorted.count.isMultiple(of: 2)
            ? sorted[middle - 1] / 2 + sorted[middle] / 2 : sorted[middle]
        return (least, median, most)
    }
}

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
        case .replace(_, let path): "\(path) is there already. y replaces it:"
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
            return other + (entries.isEmpty ? [] : [("up", "typed before")])
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
        case .replace: "replace it, if y stands there"
        case .saveAs: "save"
        case .request: "take it as a new request"
        case .missing: "send"
        case .cookie: "keep the value"
        case .filter: "run it"
        }
    }
}
