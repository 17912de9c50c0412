import Documents
import Terminal

/// A document in a pane: how it is shown, where the cursor is, and what is asked of it.
///
/// The explorer's answers and `apus view` are such panes. Pure: what is to be done outside leaves
/// it as `TreePaneEffect`s, and what became of it comes back as `TreePaneMessage`s.
struct TreePane {
    /// What has the keys.
    enum Layer {
        /// The rows.
        case rows
        /// A line that is being typed below the rows.
        case prompt(TreePrompt)
        /// The letter after `y`.
        case copying
        /// One value, whole, over the rows.
        case value(WholeValue)
    }

    /// Folds and cursor when a prompt opened: what is typed there may change both.
    struct Origin {
        var body: BodyDocument?
        var scroll: ListScroll
    }

    /// The rows; nil while the document is being opened.
    var body: BodyDocument?
    /// Where a broken document broke; counted once.
    var faultPosition: TextPosition?
    /// The place of the fault that was gone to last.
    var shownFault: Int?
    /// The row under the cursor and what is in sight.
    var scroll = ListScroll()
    /// The first byte shown of each line of text.
    var textOffset = 0
    /// What has the keys.
    var layer = Layer.rows
    /// How many levels are unfolded, after a key said so.
    var depth: Int?
    /// What n and N walk through.
    var findings: Findings?
    /// What was searched for last, for the next prompt.
    var searchRequest = SearchRequest()
    /// Where the prompt that is open began.
    var origin: Origin?
    /// The room for the rows and what stands below them.
    private(set) var room = Size(columns: 80, rows: 20)
    /// The room for one value alone.
    private(set) var valueRoom = Size(columns: 80, rows: 20)
    /// Work of an older number is of no use any more.
    private var lastTicket = 0

    /// Whether letters are text and no commands.
    var isTyping: Bool { if case .prompt = layer { true } else { false } }

    /// The value over the rows.
    var wholeValue: WholeValue? {
        if case .value(let value) = layer { value } else { nil }
    }

    /// The line that is being typed.
    var prompt: TreePrompt? {
        if case .prompt(let prompt) = layer { prompt } else { nil }
    }

    /// The row under the cursor, when it is one of a tree.
    var currentRow: TreeRow? {
        guard case .tree(let row)? = body?.row(at: scroll.selection, textLimit: 1) else {
            return nil
        }
        return row
    }

    /// A number for work that begins now.
    mutating func nextTicket() -> Int {
        lastTicket += 1
        return lastTicket
    }

    /// Whether work is the newest that was begun.
    func isCurrent(_ ticket: Int) -> Bool { ticket == lastTicket }

    /// Takes the room that the screen has for the rows, and for one value over them.
    mutating func fit(_ room: Size, value: Size) {
        self.room = room
        valueRoom = value
        scroll.update(
            count: body?.rowCount ?? 0,
            height: max(1, room.rows - PaneStrip.rows(of: self))
        )
        if case .value(var whole) = layer {
            whole.fit(valueRoom)
            layer = .value(whole)
        }
    }

    /// Lays out again after the rows or what stands below them changed.
    mutating func refit() { fit(room, value: valueRoom) }

    /// Shows a document from its first row.
    mutating func show(_ body: BodyDocument) -> [TreePaneEffect] {
        self.body = body
        refit()
        return (isOpening ? [.takeIn(body)] : []) + noteFault()
    }

    /// Drops what is shown.
    mutating func clear() {
        let (room, valueRoom, height, ticket) = (room, valueRoom, scroll.height, lastTicket)
        self = TreePane()
        (self.room, self.valueRoom) = (room, valueRoom)
        // Late work for what was shown is told from new work.
        lastTicket = ticket + 1
        scroll.update(count: 0, height: height)
    }
}
