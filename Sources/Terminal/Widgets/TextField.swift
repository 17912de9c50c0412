/// An editable line of text.
///
/// While it has the focus, letters are text and not commands.
package struct TextField: Hashable, Sendable {
    /// The text that is shown while the field is empty.
    package var placeholder: String
    /// Whether dots are shown instead of the text, for secrets.
    package var isMasked: Bool

    /// The longest text in bytes, limited because every frame lays it out; a field can have a lower limit.
    package static let longestText = 64 << 10
    private let limit: Int

    private var characters: [Character]
    /// The number of characters before the cursor.
    private(set) var cursor: Int
    /// The states for undo and redo.
    private var past = EditHistory()

    /// Makes a field with the cursor at the end.
    package init(
        _ text: String = "",
        placeholder: String = "",
        isMasked: Bool = false,
        limit: Int = TextField.longestText
    ) {
        characters = Array(text)
        cursor = characters.count
        self.placeholder = placeholder
        self.limit = limit
        self.isMasked = isMasked
    }

    /// The text of the field; setting it moves the cursor to the end.
    package var text: String {
        get { String(characters) }
        set {
            characters = Array(newValue)
            cursor = characters.count
        }
    }

    /// The text before the cursor.
    package var textBeforeCursor: String { String(characters[..<cursor]) }

    /// The text after the cursor.
    package var textAfterCursor: String { String(characters[cursor...]) }

    /// Replaces the last `count` characters before the cursor.
    package mutating func replaceBeforeCursor(_ count: Int, with text: String) {
        note(.other)
        remove(from: max(0, cursor - count), to: cursor)
        insert(text)
    }

    /// Whether the field is empty.
    package var isEmpty: Bool { characters.isEmpty }

    /// Handles a key.
    ///
    /// Returns false for keys that mean nothing here, such as enter and escape.
    package mutating func handle(_ key: Key) -> Bool {
        if let text = key.text {
            note(.typing(beginsWord: text == " "))
            insert(text)
            return true
        }
        if travel(key) { return true }
        let before = characters.count
        let state = EditHistory.State(characters: characters, cursor: cursor)
        guard move(key) else { return false }
        if characters.count != before { past.note(state, .other) } else { past.endTyping() }
        return true
    }

    /// Undoes or redoes an edit; false for other keys.
    private mutating func travel(_ key: Key) -> Bool {
        let now = EditHistory.State(characters: characters, cursor: cursor)
        let state: EditHistory.State?
        switch (key.code, key.modifiers) {
        case (.character("z"), .control), (.character("_"), .control): state = past.undo(from: now)
        case (.character("y"), .control): state = past.redo(from: now)
        default: return false
        }
        if let state { (characters, cursor) = (state.characters, state.cursor) }
        return true
    }

    private mutating func note(_ edit: EditHistory.Edit) {
        past.note(EditHistory.State(characters: characters, cursor: cursor), edit)
    }

    private mutating func move(_ key: Key) -> Bool {
        switch (key.code, key.modifiers) {
        case (.left, []): cursor = max(0, cursor - 1)
        case (.right, []): cursor = min(characters.count, cursor + 1)
        case (.left, _), (.character("b"), .alt): cursor = wordStart
        case (.right, _), (.character("f"), .alt): cursor = wordEnd
        case (.home, _), (.character("a"), .control): cursor = 0
        case (.end, _), (.character("e"), .control): cursor = characters.count
        case (.backspace, []): remove(from: max(0, cursor - 1), to: cursor)
        case (.delete, []), (.character("d"), .control):
            remove(from: cursor, to: min(characters.count, cursor + 1))
        case (.backspace, .alt), (.character("w"), .control): remove(from: wordStart, to: cursor)
        case (.character("d"), .alt): remove(from: cursor, to: wordEnd)
        case (.character("u"), .control): remove(from: 0, to: cursor)
        case (.character("k"), .control): remove(from: cursor, to: characters.count)
        default: return false
        }
        return true
    }

    /// Inserts pasted text; newlines and tabs become blanks, other control characters are dropped.
    package mutating func paste(_ text: String) {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(limit) {
            if scalar == "\n" || scalar == "\t" || scalar == "\r" {
                result.append(" ")
            } else if scalar.value >= 0x20, !(0x7F..<0xA0 ~= scalar.value) {
                result.append(scalar)
            }
        }
        note(.other)
        insert(String(result))
    }

    /// Draws the field, scrolled so that the cursor is visible.
    ///
    /// Returns the position of the text cursor; nil without the focus.
    package func draw(
        in rect: Rect,
        into grid: inout Grid,
        look: Look,
        isFocused: Bool
    ) -> Point? {
        guard !rect.isEmpty else { return nil }
        let line = rect.row(0)
        grid.fill(line, style: look.theme[.input])
        if characters.isEmpty {
            let style = look.theme[.inputPlaceholder]
            grid.draw(placeholder, in: line, style: style)
            return isFocused ? Point(x: line.x, y: line.y) : nil
        }
        let before = shown(characters[..<cursor], look)
        let column = TextWidth.columns(of: before)
        // The cursor stands on a cell of its own after the last character.
        let scroll = isFocused ? max(0, column - line.columns + 1) : 0
        grid.clipped(to: line) { grid in
            let text = before + shown(characters[cursor...], look)
            _ = grid.draw(text, x: line.x - scroll, y: line.y, style: look.theme[.input])
        }
        return isFocused ? Point(x: line.x + column - scroll, y: line.y) : nil
    }

    private func shown(_ part: ArraySlice<Character>, _ look: Look) -> String {
        guard isMasked else { return String(part) }
        return String(repeating: String(look.symbols.maskedDot), count: part.count)
    }

    private mutating func insert(_ text: String) {
        var room = limit - characters.reduce(0) { $0 + $1.utf8.count }
        let fitting = text.prefix { character in
            room -= character.utf8.count
            return room >= 0
        }
        // Split into characters again, because a combining mark joins the character before the cursor.
        let before = String(characters[..<cursor]) + String(fitting)
        let after = characters[cursor...]
        let head = Array(before)
        characters = head + after
        cursor = head.count
    }

    private mutating func remove(from start: Int, to end: Int) {
        characters.removeSubrange(start..<end)
        cursor = start
    }

    private var wordStart: Int {
        var place = cursor
        while place > 0, !Self.isWord(characters[place - 1]) { place -= 1 }
        while place > 0, Self.isWord(characters[place - 1]) { place -= 1 }
        return place
    }

    private var wordEnd: Int {
        var place = cursor
        while place < characters.count, !Self.isWord(characters[place]) { place += 1 }
        while place < characters.count, Self.isWord(characters[place]) { place += 1 }
        return place
    }

    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}

/// The earlier states of a field for undo, and the undone ones for redo.
private struct EditHistory: Hashable {
    struct State: Hashable {
        var characters: [Character]
        var cursor: Int
    }

    enum Edit: Hashable {
        case typing(beginsWord: Bool)
        case other
    }

    /// The largest number of characters in all states together.
    private static let limit = 1 << 18

    private var undone: [State] = []
    private var states: [State] = []
    private var isTyping = false

    /// Keeps the state before an edit; what is typed without interruption up to a blank is one step.
    mutating func note(_ state: State, _ edit: Edit) {
        defer { if case .typing = edit { isTyping = true } else { isTyping = false } }
        undone = []
        if isTyping, case .typing(beginsWord: false) = edit { return }
        states.append(state)
        var held = states.reduce(0) { $0 + $1.characters.count }
        while held > Self.limit, !states.isEmpty { held -= states.removeFirst().characters.count }
    }

    mutating func endTyping() { isTyping = false }

    mutating func undo(from now: State) -> State? {
        isTyping = false
        guard let state = states.popLast() else { return nil }
        undone.append(now)
        return state
    }

    mutating func redo(from now: State) -> State? {
        isTyping = false
        guard let state = undone.popLast() else { return nil }
        states.append(now)
        return state
    }
}
