import Documents
import Terminal

/// A document in a pane: how it is shown, where the cursor is, and what is asked of it.
///
/// The explorer's answers and `apus view` are such panes. Pure: what is to be done outside leaves
/// it as `DocumentPaneEffect`s, and what became of it comes back as `DocumentPaneMessage`s.
struct DocumentPane {
    /// What has the keys.
    enum Layer {
        /// The rows.
        case rows
        /// A line that is being typed below the rows.
        case prompt(DocumentPrompt)
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
    /// The values of a container side by side, in place of the tree.
    var table: DocumentTable?
    /// How the last table was arranged, for the next one at its place.
    var arrangement: DocumentTable.Arrangement?
    /// Whether the next document is shown as a table, as the last one was.
    var awaitsTable = false
    /// The image that the bytes are.
    var picture: PictureState?
    /// Whether the bytes are shown all the same.
    var hidesPicture = false
    /// Where the prompt that is open began.
    var origin: Origin?
    /// The room for the rows and what stands below them.
    private(set) var room = Size(columns: 80, rows: 20)
    /// The room for one value alone.
    private(set) var valueRoom = Size(columns: 80, rows: 20)
    /// Results with an older ticket are ignored.
    private var lastTicket = 0

    /// Whether letters are text instead of commands.
    var isTyping: Bool { if case .prompt = layer { true } else { false } }

    /// The value over the rows.
    var wholeValue: WholeValue? {
        if case .value(let value) = layer { value } else { nil }
    }

    /// The line that is being typed.
    var prompt: DocumentPrompt? {
        if case .prompt(let prompt) = layer { prompt } else { nil }
    }

    /// The row under the cursor, when it is one of a tree.
    var currentRow: TreeRow? {
        guard case .tree(let row)? = body?.row(at: scroll.selection, textLimit: 1) else {
            return nil
        }
        return row
    }

    /// The ticket of work that starts now.
    mutating func nextTicket() -> Int {
        lastTicket += 1
        return lastTicket
    }

    /// Whether a ticket is the newest.
    func isCurrent(_ ticket: Int) -> Bool { ticket == lastTicket }

    /// Sets the sizes for the rows, and for one value over them.
    mutating func fit(_ room: Size, value: Size) {
        self.room = room
        valueRoom = value
        scroll.update(
            count: body?.rowCount ?? 0,
            height: max(1, room.rows - footRows)
        )
        // A column at each side may be free.
        let inside = Size(columns: max(1, room.columns - 2), rows: max(1, room.rows - footRows))
        table?.fit(inside)
        if case .value(var whole) = layer {
            whole.fit(valueRoom)
            layer = .value(whole)
        }
    }

    /// The rows below the document's: a prompt, what was found, or what can be copied.
    var footRows: Int {
        switch layer {
        case .prompt: 2
        case .copying: 1
        case .rows, .value: findings == nil ? 0 : 1
        }
    }

    /// Lays out again after the rows or the foot changed.
    mutating func refit() { fit(room, value: valueRoom) }

    /// Shows a document from its first row.
    mutating func show(_ body: BodyDocument) -> [DocumentPaneEffect] {
        self.body = body
        (picture, hidesPicture) = (nil, false)
        restoreTable()
        refit()
        return (isOpening ? [.takeIn(body)] : []) + noteFault() + notePicture()
    }

    /// Shows a document that has grown: on the last row the cursor follows, elsewhere it stays.
    ///
    /// What is typed, found or open is about the rows of before, and holds them.
    mutating func grow(to body: BodyDocument) -> [DocumentPaneEffect] {
        guard case .rows = layer, findings == nil, table == nil else { return [] }
        let follows = scroll.selection >= scroll.count - 1
        var body = body
        if let form = self.body?.chosenForm { body.show(form) }
        if let depth { body.fold(fromDepth: depth) }
        faultPosition = nil
        let effects = show(body)
        if follows { scroll.moveToLast() }
        return effects
    }

    /// Drops what is shown.
    mutating func clear() {
        let (room, valueRoom, height, ticket) = (room, valueRoom, scroll.height, lastTicket)
        let arrangement = table?.arrangement ?? arrangement
        let awaitsTable = awaitsTable || table != nil
        self = DocumentPane()
        (self.room, self.valueRoom) = (room, valueRoom)
        (self.arrangement, self.awaitsTable) = (arrangement, awaitsTable)
        // Results of earlier work are ignored by their old ticket.
        lastTicket = ticket + 1
        scroll.update(count: 0, height: height)
    }
}

/// What keys do in a pane, and what reports from outside change.
extension DocumentPane {
    /// Performs an action; nil when the pane has no such action.
    mutating func perform(
        _ action: Action,
        key: Key,
        history: PromptHistory
    ) -> [DocumentPaneEffect]? {
        if let effects = performInValue(action, key: key) ?? performInTable(action)
            ?? performOnPicture(action)
        {
            return effects
        }
        switch action {
        case .up, .down, .left, .right, .pageUp, .pageDown, .first, .last: move(action)
        case .open: return open()
        case .toggleFold: toggleFold()
        case .foldAll: foldAll()
        case .unfoldAll: unfoldAll()
        case .unfoldMore: changeDepth(by: 1)
        case .unfoldLess: changeDepth(by: -1)
        case .unfoldLevels: unfold(levels: key.digit ?? 1)
        case .nextForm: return showNextForm()
        case .table: return showTable()
        case .search: startPrompt(.search, history)
        case .query: startPrompt(.query, history)
        case .goTo: startPrompt(.place, history)
        case .nextMatch: return step(forward: true)
        case .previousMatch: return step(forward: false)
        case .listMatches: return toggleList()
        case .showFault: return showFault()
        case .resumeAfterFault: return resumeAfterFault()
        case .copy: startCopying()
        case .copyPath, .copyShortPath, .copyValue, .copyText, .copyKey: return copy(action)
        case .copyMatches, .copyMatchPaths: return copyAll(action)
        case .back, .quit: return close()
        default: return performInPrompt(action)
        }
        return []
    }

    private mutating func performInPrompt(_ action: Action) -> [DocumentPaneEffect]? {
        switch action {
        case .accept: accept()
        case .dismiss: dismiss()
        case .older: showEntry(older: true)
        case .newer: showEntry(older: false)
        case .nextPart: changeSearch { $0.changeScope() }
        case .toggleExpression: changeSearch { $0.isExpression.toggle() }
        default: nil
        }
    }

    /// Handles the result of an effect.
    mutating func receive(_ message: DocumentPaneMessage) -> [DocumentPaneEffect] {
        switch message {
        case .advanced:
            let treeEffects = synchronize()
            restoreTable()
            return treeEffects + noteFault() + noteLoadError() + notePicture() + askAgain()
        case .placed(let fault, let position):
            if body?.fault == fault { faultPosition = position }
        case .decoded(let ticket, let text, let decoded):
            takeDecoded(text, decoded, ticket: ticket)
        case .sorted(let ticket, let order): table?.take(order, ticket: ticket)
        case .pictured(let bytes, let picture): take(picture, of: bytes)
        case .located(let ticket, let offset): return takeLocated(offset, ticket: ticket)
        case .searched: return takeSearchProgress()
        case .matched(let ticket, let nodes, let sorted, let problem):
            let news = problem.map { DocumentPaneEffect.say(Notice(kind: .warning, text: $0)) }
            return takeMatches(nodes, sorted: sorted, ticket: ticket) + [news].compactMap(\.self)
        }
        return []
    }

    /// Takes in the rows that were found; a tree that is too large, or of a text that breaks its
    /// format, has given way to the text.
    private mutating func synchronize() -> [DocumentPaneEffect] {
        let form = body?.form
        body?.synchronize()
        guard let body, body.form != form, let problem = body.treeProblem ?? faultWords else {
            refit()
            return []
        }
        // Matches, prompts and opened values belong to the tree.
        _ = nextTicket()
        layer = .rows
        origin = nil
        faultPosition = nil
        findings = nil
        table = nil
        scroll.select(0)
        refit()
        return [.stop, .takeIn(body), .say(Notice(kind: .warning, text: problem))]
    }

    /// A line of news.
    func say(_ text: String, _ kind: Notice.Kind = .information) -> [DocumentPaneEffect] {
        [.say(Notice(kind: kind, text: text))]
    }

    /// Closes the uppermost layer; nil when there is none.
    private mutating func close() -> [DocumentPaneEffect]? {
        switch layer {
        case .value:
            // A string that is still being decoded is of no use any more.
            _ = nextTicket()
            layer = .rows
        case .copying: leaveCopying()
        case .prompt: return nil
        case .rows: return nil
        }
        return []
    }

    /// Clears the matches and their list; false when there was nothing.
    mutating func clearFindings() -> Bool {
        guard findings != nil else { return false }
        if var query = findings?.query, query.list != nil {
            query.list = nil
            findings = .query(query)
        } else {
            dropFindings()
        }
        return true
    }

    private mutating func startCopying() {
        guard body != nil else { return }
        layer = .copying
        refit()
    }

    /// Back to the rows without copying.
    mutating func leaveCopying() {
        guard case .copying = layer else { return }
        layer = .rows
        refit()
    }

    /// The value under the cursor; nil if there is no tree.
    var currentNode: NodeIndex? {
        if let table { return table.current }
        if let query = findings?.query, let list = query.list,
            query.nodes.indices.contains(list.selection)
        {
            return query.nodes[list.selection]
        }
        return body?.node(atRow: scroll.selection)
    }

    /// The short path of what is under the cursor.
    ///
    /// Of a fault it is the path of what it lies in.
    var currentPath: String? {
        if let node = currentNode { return body?.document?.dottedPath(of: node) }
        return body?.parentRow(of: scroll.selection).flatMap { body?.path(ofRow: $0) }
    }

    /// Whether it changes without an event.
    var isMoving: Bool {
        isOpening || (findings?.isRunning ?? false) || (wholeValue.map { $0.text == nil } ?? false)
            || table?.awaited != nil
    }

    /// Whether rows are still on their way.
    var isOpening: Bool { body.map { !$0.isFinished || !$0.bytes.isComplete } ?? false }
}

extension Key {
    /// The number that a digit's key writes.
    fileprivate var digit: Int? { text.flatMap { Int($0) } }
}
