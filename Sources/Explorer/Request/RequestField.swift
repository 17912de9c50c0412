import Terminal

/// A value that is typed in the request pane.
struct RequestField {
    enum Part { case name, value }

    /// The subject of its line.
    var subject: RequestLine.Subject
    /// Whether that line is new, after the one under the cursor.
    var isNew = false
    /// Whether a name can be typed too.
    var hasName = false
    var part = Part.value
    var name = TextField(limit: 1024)
    var value = TextField()
    /// The completions that tab cycles through, the field as it was before, and the index of the inserted one.
    private var completing: (field: TextField, found: FieldCompletion, index: Int)?
    /// The index of the earlier input that is shown, and the text that was typed here.
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

    /// The field that keys go to.
    var current: TextField {
        get { part == .name ? name : value }
        set {
            if part == .name { name = newValue } else { value = newValue }
        }
    }

    /// Handles a key; returns whether it wrote or moved something.
    mutating func handle(_ key: Key) -> Bool {
        // The separator after a name moves on to the value.
        if part == .name, !name.isEmpty, let text = key.text, text == separator {
            goOn()
            return true
        }
        guard current.handle(key) else { return false }
        (completing, recalled) = (nil, nil)
        return true
    }

    /// The key that ends a name: names of header fields have no colon, those of parameters seldom an equals sign.
    private var separator: String? {
        switch subject {
        case .row(.headers, _): ":"
        case .row(.url, _), .row(.query, _), .row(.form, _): "="
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

    /// The completions that tab offers now.
    func completion(_ variables: [CatalogVariable]) -> FieldCompletion {
        if let completing { return completing.found }
        let place: FieldCompletion.Place =
            switch (subject, part) {
            case (.row(.headers, _), .name): .headerName
            case (.row(.headers, _), .value): .headerValue(of: name.text)
            case (.row(.options, _), .value): .option(name.text)
            case (.request, _): .requestLine
            default: .other
            }
        return FieldCompletion(
            before: current.textBeforeCursor,
            after: current.textAfterCursor,
            place,
            variables: variables
        )
    }

    /// The index of the candidate that tab has inserted.
    var chosen: Int? { completing?.index }

    /// Inserts the next candidate; false if there is none.
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

    /// Shows the next older or newer of the earlier inputs; after the newest, the text that was typed here.
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
