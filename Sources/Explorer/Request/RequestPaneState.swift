import Documents
import Terminal

/// The request pane while it is open: its tab, its lines, and what is typed in them.
struct RequestPaneState {
    var tab = RequestTab.body
    /// The target whose request it shows.
    var target: CatalogID?
    /// The lines of the tab, but those in what is folded.
    private(set) var lines: [RequestLine] = []
    /// All lines of the tab.
    private var allLines: [RequestLine] = []
    /// The places of `lines` in them.
    private var places: [Int] = []
    /// The paths of what is folded in the body.
    private var folded: Set<String> = []
    /// What is looked for; empty for nothing.
    private(set) var needle = ""
    /// The line that had the cursor when that was begun.
    private var findingStart = 0
    var scroll = ListScroll()
    /// What is being typed.
    var field: RequestField?
    /// Whether the next letter says how the request is copied.
    var isCopying = false
    /// Whether ctrl+r takes everything back now.
    var takesBackAll = false
    /// Why the request cannot be edited.
    var problem: String?
    /// What would be sent; nil while it is being made.
    var preview: RequestPreview?
    /// The newest work on that.
    var previewTicket = 0
    /// What was typed before, the newest last.
    private(set) var typed: [String] = []
    private var height = 1

    /// What tab can put in, and which of it was; nil while nothing is typed.
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

    /// Shows other lines; the cursor stays where it is, as far as it can.
    mutating func show(_ lines: [RequestLine]) {
        allLines = lines
        hideFolded()
    }

    /// Puts the cursor where editing begins: on the first value that can be edited.
    mutating func moveToStart() {
        let first = lines.firstIndex { line in
            if case .note = line.subject { return false }
            return line.kind.map { !$0.isContainer } ?? true
        }
        scroll.select(first ?? 0)
    }

    // MARK: Folding

    /// Begins with another request: nothing is folded, and nothing looked for.
    mutating func startAnew() {
        (folded, needle, field, takesBackAll) = ([], "", nil, false)
    }

    /// Folds or unfolds the value under the cursor; from one that holds no others, what holds it.
    mutating func toggleFold() {
        guard let line = selected, case .value = line.subject else { return }
        var place = scroll.selection
        if line.fold == .leaf {
            guard let holder = lines[..<place].lastIndex(where: { $0.depth < line.depth }),
                case .value = lines[holder].subject
            else { return }
            place = holder
        }
        folded.formSymmetricDifference([lines[place].path])
        hideFolded()
        scroll.select(place)
    }

    /// Folds all that is in the outermost value.
    mutating func foldAll() {
        let all = allLines.filter { $0.depth > 0 && $0.kind?.isContainer == true }
        refold(Set(all.map(\.path)))
    }

    mutating func unfoldAll() { refold([]) }

    /// Changes what is folded; the cursor stays on its value, or goes to what holds it.
    private mutating func refold(_ paths: Set<String>) {
        guard let place = selected.map({ _ in places[scroll.selection] }) else { return }
        folded = paths
        hideFolded()
        scroll.select(places.lastIndex { $0 <= place } ?? 0)
    }

    private mutating func hideFolded() {
        (lines, places) = ([], [])
        var closed: Int?
        for (place, line) in allLines.enumerated() {
            if let depth = closed, line.depth > depth { continue }
            closed = nil
            var line = line
            if case .value = line.subject, allLines.indices.contains(place + 1),
                allLines[place + 1].depth > line.depth
            {
                line.fold = folded.contains(line.path) ? .closed : .open
                if line.fold == .closed { closed = line.depth }
            }
            lines.append(line)
            places.append(place)
        }
        fit(height: height)
    }

    /// Selects one of all lines; what holds it is unfolded.
    private mutating func reveal(_ place: Int) {
        var depth = allLines[place].depth
        for line in allLines[..<place].reversed() where line.depth < depth {
            folded.remove(line.path)
            depth = line.depth
        }
        hideFolded()
        scroll.select(places.firstIndex(of: place) ?? 0)
    }

    // MARK: Finding

    /// Keeps the line that a search begins at.
    mutating func beginFinding() { findingStart = scroll.selection }

    /// Looks for a text, letters large or small; nothing for an empty one.
    mutating func find(_ text: String) {
        needle = text
        scroll.select(findingStart)
        if !text.isEmpty, selected?.contains(text) == false { _ = step(forward: true) }
    }

    /// Shows no matches any more.
    mutating func stopFinding() { needle = "" }

    /// To the next line that has it, or the one before; nil without one, true when that went over
    /// the end.
    mutating func step(forward: Bool) -> Bool? {
        guard places.indices.contains(scroll.selection) else { return nil }
        let here = places[scroll.selection]
        let found = allLines.indices.filter { allLines[$0].contains(needle) }
        let next = forward ? found.first { $0 > here } : found.last { $0 < here }
        guard let place = next ?? (forward ? found.first : found.last) else { return nil }
        reveal(place)
        return next == nil
    }

    mutating func note(typed text: String) {
        guard !text.isEmpty else { return }
        typed.removeAll { $0 == text }
        typed.append(text)
        if typed.count > 100 { typed.removeFirst() }
    }
}

/// A value that is being typed in the request pane.
struct RequestField {
    enum Part { case name, value }

    /// The line that it stands in.
    var subject: RequestLine.Subject
    /// Whether that line is new, behind the cursor's.
    var isNew = false
    /// Whether it has a name to be typed.
    var hasName = false
    var part = Part.value
    var name = TextField(limit: 1024)
    var value = TextField()
    /// What tab goes through, and the field before it.
    private var completing: (field: TextField, found: FieldCompletion, index: Int)?
    /// Which of the texts that were typed before it shows, and what was typed here.
    private var recalled: (index: Int, typed: String)?

    init(
        _ subject: RequestLine.Subject,
        name: String? = nil,
        value: String = "",
        isNew: Bool = false,
        isMasked: Bool = false
    ) {
        self.subject = subject
        self.isNew = isNew
        hasName = name != nil
        if let name { self.name.text = name }
        part = isNew && name != nil ? .name : .value
        self.value = TextField(value, isMasked: isMasked)
    }

    /// The field that has the keys.
    var current: TextField {
        get { part == .name ? name : value }
        set {
            if part == .name { name = newValue } else { value = newValue }
        }
    }

    /// Takes a key that writes or moves.
    mutating func handle(_ key: Key) -> Bool {
        // In a name, what ends it goes on to the value.
        if part == .name, !name.isEmpty, let text = key.text, text == separator {
            goOn()
            return true
        }
        guard current.handle(key) else { return false }
        (completing, recalled) = (nil, nil)
        return true
    }

    /// What ends a name: that of a header cannot hold a colon, that of a parameter seldom an equals sign.
    private var separator: String? {
        switch subject {
        case .row(.headers, _): ":"
        case .row(.query, _), .row(.form, _): "="
        default: nil
        }
    }

    mutating func goOn() {
        part = .value
        (completing, recalled) = (nil, nil)
    }

    mutating func goBack() {
        guard hasName else { return }
        part = .name
        (completing, recalled) = (nil, nil)
    }

    /// Takes pasted text: "Name: value" fills both.
    mutating func paste(_ text: String) {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        if part == .name, let separator, let end = line.firstRange(of: separator) {
            name.paste(String(line[..<end.lowerBound]))
            value.paste(String(line[end.upperBound...].drop { $0 == " " }))
            part = .value
        } else {
            current.paste(text)
        }
        (completing, recalled) = (nil, nil)
    }

    /// What tab can put in now.
    func completion(_ variables: [CatalogVariable]) -> FieldCompletion {
        if let completing { return completing.found }
        let place: FieldCompletion.Place =
            switch (subject, part) {
            case (.row(.headers, _), .name): .headerName
            case (.row(.headers, _), .value): .headerValue(of: name.text)
            default: .other
            }
        return FieldCompletion(
            before: current.textBeforeCursor,
            after: current.textAfterCursor,
            place,
            variables: variables
        )
    }

    /// The candidate that tab has put in.
    var chosen: Int? { completing?.index }

    /// Puts the next candidate in; false if there is none.
    mutating func complete(_ variables: [CatalogVariable]) -> Bool {
        let found = completion(variables)
        guard !found.candidates.isEmpty else { return false }
        let start = completing?.field ?? current
        let index = completing.map { ($0.index + 1) % found.candidates.count } ?? 0
        current = start
        current.replaceBeforeCursor(found.replaced, with: found.candidates[index])
        completing = (start, found, index)
        return true
    }

    /// Shows what was typed before, or after that again what was typed here.
    mutating func recall(_ typed: [String], older: Bool) {
        let start = recalled ?? (index: typed.count, typed: current.text)
        let index = start.index + (older ? -1 : 1)
        guard (0...typed.count).contains(index) else { return }
        var field = current
        field.text = index == typed.count ? start.typed : typed[index]
        current = field
        recalled = (index, start.typed)
        completing = nil
    }
}

/// What would be sent, for the screen: credentials masked.
struct RequestPreview: Equatable, Sendable {
    /// The head and the body, in lines.
    var lines: [String] = []
    /// How many of the lines are the head's.
    var headCount = 0
    /// The cookies that the jar sends to it, and how they may be shown.
    var cookies: [Cookie] = []
    /// Whether cookies are sent and kept at all.
    var sendsCookies = true
    /// Whether there is a jar at all.
    var hasJar = false
    /// Why it cannot be sent.
    var problem: String?

    struct Cookie: Equatable, Sendable {
        var name: String
        var value: String
        var remark: String
    }
}
