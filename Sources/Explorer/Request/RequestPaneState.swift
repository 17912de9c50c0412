import Documents
import Terminal

/// The state of the request pane: its tab, its lines, and the field that is typed in.
struct RequestPaneState {
    /// The edited and the pasted requests.
    var edited = EditedRequests()
    /// Whether it is open for the targets of the list.
    var isOpen = false
    /// Whether it was opened on the way through the panes, and closes when that goes on.
    var isPassed = false
    var tab = RequestTab.body
    /// The target whose request it shows.
    var target: CatalogID?
    /// The lines of the tab, without folded ones.
    private(set) var lines: [RequestLine] = []
    /// All lines of the tab.
    private var allLines: [RequestLine] = []
    /// The indexes of `lines` in `allLines`.
    private var indexes: [Int] = []
    /// The paths of the folded values of the body.
    private var folded: Set<String> = []
    /// The text that is searched for; empty if there is no search.
    private(set) var needle = ""
    /// The line that had the cursor when the search began.
    private var findingStart = 0
    var scroll = ListScroll()
    /// The field that is typed in; nil if there is none.
    var field: RequestField?
    /// Whether ctrl+r now undoes all edits.
    var takesBackAll = false
    /// Why the request cannot be edited; nil if it can.
    var problem: String?
    /// The request that would be sent; nil while it is being made.
    var preview: RequestPreview?
    /// The ticket of the newest preview.
    var previewTicket = 0
    /// Earlier inputs, the newest last.
    private(set) var typed: [String] = []
    private var height = 1

    /// The completions that tab offers, and the index of the inserted one; nil if no field is typed in.
    func completion(_ variables: [CatalogVariable]) -> (candidates: [String], chosen: Int?)? {
        field.map { ($0.completion(variables).candidates, $0.chosen) }
    }

    /// The line under the cursor.
    var selected: RequestLine? {
        lines.indices.contains(scroll.selection) ? lines[scroll.selection] : nil
    }

    mutating func fit(height: Int) {
        self.height = max(1, height)
        scroll.update(count: lines.count, height: self.height)
    }

    /// Shows other lines; the cursor stays in place if it can.
    mutating func show(_ lines: [RequestLine]) {
        allLines = lines
        hideFolded()
    }

    /// Puts the cursor on the first value that can be edited.
    mutating func moveToStart() {
        let first = lines.firstIndex { line in
            if case .note = line.subject { return false }
            return line.kind.map { !$0.isContainer } ?? true
        }
        scroll.select(first ?? 0)
    }

    // MARK: Folding

    /// Resets folds, search and field for another request.
    mutating func startAnew() {
        (folded, needle, field, takesBackAll) = ([], "", nil, false)
    }

    /// Folds or unfolds the container under the cursor, or else the one around it.
    mutating func toggleFold() {
        guard let line = selected, case .value = line.subject else { return }
        var index = scroll.selection
        if line.fold == .leaf {
            guard let holder = lines[..<index].lastIndex(where: { $0.depth < line.depth }),
                case .value = lines[holder].subject
            else { return }
            index = holder
        }
        folded.formSymmetricDifference([lines[index].path])
        hideFolded()
        scroll.select(index)
    }

    /// Folds all containers but the outermost.
    mutating func foldAll() {
        let all = allLines.filter { $0.depth > 0 && $0.kind?.isContainer == true }
        refold(Set(all.map(\.path)))
    }

    mutating func unfoldAll() { refold([]) }

    /// Changes the folds, with the cursor kept on its value, or moved to the fold that hides it.
    private mutating func refold(_ paths: Set<String>) {
        guard let index = selected.map({ _ in indexes[scroll.selection] }) else { return }
        folded = paths
        hideFolded()
        scroll.select(indexes.lastIndex { $0 <= index } ?? 0)
    }

    private mutating func hideFolded() {
        (lines, indexes) = ([], [])
        var closed: Int?
        for (index, line) in allLines.enumerated() {
            if let depth = closed, line.depth > depth { continue }
            closed = nil
            var line = line
            if case .value = line.subject, allLines.indices.contains(index + 1),
                allLines[index + 1].depth > line.depth
            {
                line.fold = folded.contains(line.path) ? .closed : .open
                if line.fold == .closed { closed = line.depth }
            }
            lines.append(line)
            indexes.append(index)
        }
        fit(height: height)
    }

    /// Selects one of all lines, and unfolds its containers.
    private mutating func reveal(_ index: Int) {
        var depth = allLines[index].depth
        for line in allLines[..<index].reversed() where line.depth < depth {
            folded.remove(line.path)
            depth = line.depth
        }
        hideFolded()
        scroll.select(indexes.firstIndex(of: index) ?? 0)
    }

    // MARK: Finding

    /// Remembers the line where a search begins.
    mutating func beginFinding() { findingStart = scroll.selection }

    /// Searches for a text, ignoring case, from the line where the search began; an empty text has no matches.
    mutating func find(_ text: String) {
        needle = text
        scroll.select(findingStart)
        if !text.isEmpty, selected?.contains(text) == false { _ = step(forward: true) }
    }

    /// Whether a line has the text that is searched for.
    var hasMatches: Bool { allLines.contains { $0.contains(needle) } }

    /// Ends the search.
    mutating func stopFinding() { needle = "" }

    /// Goes to the next or previous match; nil if there is none, true if it wrapped around.
    mutating func step(forward: Bool) -> Bool? {
        guard indexes.indices.contains(scroll.selection) else { return nil }
        let here = indexes[scroll.selection]
        let found = allLines.indices.filter { allLines[$0].contains(needle) }
        let next = forward ? found.first { $0 > here } : found.last { $0 < here }
        guard let index = next ?? (forward ? found.first : found.last) else { return nil }
        reveal(index)
        return next == nil
    }

    /// Keeps an input, which may have been kept before, as the newest of 100.
    mutating func keep(typed text: String) {
        guard !text.isEmpty else { return }
        typed.removeAll { $0 == text }
        typed.append(text)
        if typed.count > 100 { typed.removeFirst() }
    }
}
