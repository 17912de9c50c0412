package import Documents
package import Terminal

/// A document in a pane: how it is shown, the cursor, and searches and queries.
///
/// The explorer's responses and `apus view` use such panes. Pure: work for the outside is returned as
/// `DocumentPaneEffect`s, and its results come back as `DocumentPaneMessage`s.
package struct DocumentPane {
    /// What the keys act on.
    enum Layer {
        /// The rows.
        case rows
        /// The prompt below the rows.
        case prompt(DocumentPrompt)
        /// The rows, while the letter after `y` is awaited.
        case copying
        /// One value in full, over the rows.
        case value(WholeValue)
    }

    /// Folds and cursor as they were when a prompt opened; typing in it may change both.
    struct Origin {
        var body: BodyDocument?
        var scroll: ListScroll
    }

    /// The rows; nil while the document is being opened.
    package var body: BodyDocument?
    /// The line and column of the first fault; nil until they are counted.
    package var faultPosition: TextPosition?
    /// The index of the fault that the cursor went to last.
    var shownFault: Int?
    /// The cursor and the visible rows.
    package var scroll = ListScroll()
    /// The first byte shown of each line of text.
    var textOffset = 0
    /// Whether lines of text wrap.
    package var wraps = false
    /// The rows of wrapped lines that are shown.
    var wrapped = WrappedCursor()
    /// Whether JSON, XML and HTML are laid out anew when they are shown as text.
    var prefersPretty = true
    var layer = Layer.rows
    /// The number of unfolded levels; nil until a key sets it.
    var depth: Int?
    /// What n and N step through.
    var findings: Findings?
    /// The last search, for the next prompt.
    var searchRequest = SearchRequest()
    /// The table that is shown in place of the tree.
    var table: DocumentTable?
    /// How the last table was arranged, for the next one at the same path.
    var arrangement: DocumentTable.Arrangement?
    /// Whether the next document is shown as a table, as the last one was.
    var awaitsTable = false
    /// The image in the bytes; nil if they are none.
    var picture: PictureState?
    /// The values that are not as expected, which are marked.
    package var unexpected: Set<NodeIndex> = []
    /// Whether the bytes are shown instead of the picture.
    var hidesPicture = false
    /// Folds and cursor from before the open prompt.
    var origin: Origin?
    /// What the program around it adds.
    let services: TreeServices
    /// The size for the rows and the foot below them.
    package private(set) var room = Size(columns: 80, rows: 20)
    /// The size for a value that is shown in full.
    private(set) var valueRoom = Size(columns: 80, rows: 20)
    /// Results with an older ticket are ignored.
    private var lastTicket = 0

    /// Makes an empty pane.
    package init(_ services: TreeServices) { self.services = services }

    /// Whether letters are text instead of commands.
    package var isTyping: Bool { if case .prompt = layer { true } else { false } }

    /// Whether it takes the keys with its rows, not with a prompt, a value or what is to be copied.
    package var showsRows: Bool { if case .rows = layer { true } else { false } }

    /// Whether it waits for the letter that says what to copy.
    package var isCopying: Bool { if case .copying = layer { true } else { false } }

    /// The cursor and the visible rows of what is shown: the tree or the text, a table, or a list of matches.
    package var shownScroll: ListScroll {
        table?.scroll ?? findings?.query?.list ?? scroll
    }

    /// Whether a table is shown in place of the tree; its titles take the first row.
    package var showsTable: Bool { table != nil }

    /// The value over the rows.
    package var wholeValue: WholeValue? {
        if case .value(let value) = layer { value } else { nil }
    }

    /// The open prompt.
    var prompt: DocumentPrompt? {
        if case .prompt(let prompt) = layer { prompt } else { nil }
    }

    /// The row under the cursor; nil if it is not one of a tree.
    var currentRow: TreeRow? {
        guard case .tree(let row)? = body?.row(at: scroll.selection, textLimit: 1) else {
            return nil
        }
        return row
    }

    /// Makes the ticket for work that starts now.
    mutating func nextTicket() -> Int {
        lastTicket += 1
        return lastTicket
    }

    /// Whether a ticket is the newest.
    func isCurrent(_ ticket: Int) -> Bool { ticket == lastTicket }

    /// Sets the sizes for the rows, and for one value over them.
    package mutating func fit(_ room: Size, value: Size) {
        self.room = room
        valueRoom = value
        scroll.update(
            count: body?.rowCount ?? 0,
            height: max(1, room.rows - footRows)
        )
        // A column at each side may be blank.
        let inside = Size(columns: max(1, room.columns - 2), rows: max(1, room.rows - footRows))
        table?.fit(inside)
        fitWrapped()
        if case .value(var whole) = layer {
            whole.fit(valueRoom)
            layer = .value(whole)
        }
    }

    /// The number of rows below the document's: for a prompt, the matches, or what can be copied.
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
    package mutating func show(_ body: BodyDocument) -> [DocumentPaneEffect] {
        self.body = body
        if body.form == .text || body.chosenForm == .text { self.body?.showPretty(prefersPretty) }
        (picture, hidesPicture) = (nil, false)
        restoreTable()
        refit()
        return rowEffects + locateFault() + readPicture()
    }

    /// Shows a document that has grown; a cursor on the last row follows its end, and elsewhere it stays.
    ///
    /// Nothing happens while a prompt, matches, a value or a table are open, because they refer to the old rows.
    package mutating func grow(to body: BodyDocument) -> [DocumentPaneEffect] {
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

    /// Removes the document; keeps sizes and the arrangement of a table.
    package mutating func clear() {
        let (room, valueRoom, height, ticket) = (room, valueRoom, scroll.height, lastTicket)
        let arrangement = table?.arrangement ?? arrangement
        let awaitsTable = awaitsTable || table != nil
        let (wraps, prefersPretty) = (wraps, prefersPretty)
        self = DocumentPane(services)
        (self.wraps, self.prefersPretty) = (wraps, prefersPretty)
        (self.room, self.valueRoom) = (room, valueRoom)
        (self.arrangement, self.awaitsTable) = (arrangement, awaitsTable)
        // Results of earlier work are ignored by their old ticket.
        lastTicket = ticket + 1
        scroll.update(count: 0, height: height)
    }
}

/// Handling of actions, and of the results of effects.
extension DocumentPane {
    /// Performs an action; nil when the pane has no such action.
    package mutating func perform(
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
        case .toggleFold, .foldAll, .unfoldAll, .unfoldMore, .unfoldLess, .unfoldLevels:
            return fold(action, key)
        case .nextForm: return showNextForm()
        case .wrap: return toggleWrap()
        case .layOut: return togglePretty()
        case .lineStart, .lineEnd: return moveSideways(to: action)
        case .table: return showTable()
        case .search: return startPrompt(.search, history)
        case .query: return startPrompt(.query, history)
        case .goTo: return startPrompt(.place, history)
        case .nextMatch: return step(forward: true)
        case .previousMatch: return step(forward: false)
        case .listMatches: return toggleList()
        case .showFault: return showFault()
        case .resumeAfterFault: return resumeAfterFault()
        case .copy: return startCopying()
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
    package mutating func receive(_ message: DocumentPaneMessage) -> [DocumentPaneEffect] {
        switch message {
        case .advanced:
            let treeEffects = synchronize()
            restoreTable()
            return treeEffects + locateFault() + sayLoadError() + readPicture() + askAgain()
        case .placed(let fault, let position):
            if body?.fault == fault { faultPosition = position }
        case .decoded(let ticket, let text, let decoded):
            showDecoded(text, decoded, ticket: ticket)
        case .sorted(let ticket, let order): table?.sort(in: order, ticket: ticket)
        case .pictured(let bytes, let picture): show(picture, of: bytes)
        case .located(let ticket, let offset): return goTo(offset, ticket: ticket)
        case .searched: return followSearch()
        case .matched(let ticket, let nodes, let sorted, let problem):
            let news = problem.map { DocumentPaneEffect.say(Notice(kind: .warning, text: $0)) }
            return showMatches(nodes, sorted: sorted, ticket: ticket) + [news].compactMap(\.self)
        }
        return []
    }

    /// Takes in new rows; a body whose tree is too large or whose format is violated has switched to text.
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
        return [.stop, .findRows(body), .say(Notice(kind: .warning, text: problem))]
    }

    /// An effect that shows a notice.
    func say(_ text: String, _ kind: Notice.Kind = .information) -> [DocumentPaneEffect] {
        [.say(Notice(kind: kind, text: text))]
    }

    /// Closes the open value, or ends copying; nil if there is neither.
    private mutating func close() -> [DocumentPaneEffect]? {
        switch layer {
        case .value:
            // Ignores the result of a string that is still being decoded.
            _ = nextTicket()
            layer = .rows
        case .copying: leaveCopying()
        case .prompt: return nil
        case .rows: return nil
        }
        return []
    }

    /// Closes the list of matches, or else clears the matches; false if there are none.
    package mutating func clearFindings() -> Bool {
        guard findings != nil else { return false }
        if var query = findings?.query, query.list != nil {
            query.list = nil
            findings = .query(query)
        } else {
            dropFindings()
        }
        return true
    }

    private mutating func startCopying() -> [DocumentPaneEffect] {
        guard body != nil else { return say("there is nothing to copy") }
        layer = .copying
        refit()
        return []
    }

    /// Back to the rows without copying.
    mutating func leaveCopying() {
        guard case .copying = layer else { return }
        layer = .rows
        refit()
    }

    /// The value under the cursor; nil if there is no tree.
    package var currentNode: NodeIndex? {
        if let table { return table.current }
        if let query = findings?.query, let list = query.list,
            query.nodes.indices.contains(list.selection)
        {
            return query.nodes[list.selection]
        }
        return body?.node(atRow: scroll.selection)
    }

    /// The short path of the value under the cursor, or of the container of a fault.
    package var currentPath: String? {
        if let node = currentNode { return body?.document?.dottedPath(of: node) }
        return body?.parentRow(of: scroll.selection).flatMap { body?.path(ofRow: $0) }
    }

    /// Whether work is under way that will change the pane without a key.
    package var isMoving: Bool {
        isOpening || (findings?.isRunning ?? false) || (wholeValue.map { $0.text == nil } ?? false)
            || table?.awaited != nil
    }

    /// Whether more rows are still to come.
    package var isOpening: Bool { body.map { !$0.isFinished || !$0.bytes.isComplete } ?? false }

    /// The effect that finds the rows that are still to come; none if all are there.
    var rowEffects: [DocumentPaneEffect] {
        guard let body, isOpening else { return [] }
        return [.findRows(body)]
    }
}

extension Key {
    /// The number of a digit's key.
    fileprivate var digit: Int? { text.flatMap { Int($0) } }
}

/// What a tree cannot know by itself; the program around it adds it.
package struct TreeServices: Sendable {
    /// Reads images; with nil, they are shown as bytes.
    package var images: (any ImageReader)?
    /// Hides the secrets of a URL before its parts are shown.
    package var maskURL: @Sendable (String) -> String

    /// Adds what is given.
    package init(
        images: (any ImageReader)? = nil,
        maskURL: @escaping @Sendable (String) -> String = { $0 }
    ) {
        (self.images, self.maskURL) = (images, maskURL)
    }

    /// Nothing: images are bytes, and URLs are shown as they are.
    package static let none = TreeServices()
}
