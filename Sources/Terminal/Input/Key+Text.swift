extension Key: CustomStringConvertible {
    private static let names: [(String, KeyCode)] = [
        ("enter", .enter), ("tab", .tab), ("backspace", .backspace), ("esc", .escape),
        ("space", .character(" ")), ("up", .up), ("down", .down), ("left", .left),
        ("right", .right), ("home", .home), ("end", .end), ("pgup", .pageUp),
        ("pgdn", .pageDown), ("ins", .insert), ("del", .delete),
    ]
    private static let otherNames: [String: KeyCode] = [
        "return": .enter, "escape": .escape, "pageup": .pageUp, "pagedown": .pageDown,
        "insert": .insert, "delete": .delete, "plus": .character("+"),
    ]
    private static let modifierNames: [(String, KeyModifiers)] = [
        ("ctrl", .control), ("alt", .alt), ("shift", .shift),
    ]

    /// Reads what people write, `ctrl+c`; nil when it is no key.
    ///
    /// Names are not case sensitive, single characters are: `S` is what shift and s write.
    package init?(_ text: String) {
        // Each "+" looks through all that follows it, and no key has a longer name.
        guard text.utf8.count <= 64 else { return nil }
        var rest = Substring(text)
        var modifiers: KeyModifiers = []
        // A "+" at the end is the key itself.
        while let plus = rest.dropLast().firstIndex(of: "+"), plus != rest.startIndex {
            let name = rest[..<plus].lowercased()
            guard let found = Self.modifierNames.first(where: { $0.0 == name }) else { return nil }
            modifiers.insert(found.1)
            rest = rest[rest.index(after: plus)...]
        }
        guard let code = Self.code(named: rest) else { return nil }
        self.init(code, modifiers)
        if case .character(let letter) = code, letter.isLetter {
            if modifiers.contains(.control) {
                self.code = .character(Character(letter.lowercased()))
            } else if modifiers.contains(.shift) {
                self.code = .character(letter.uppercased().first ?? letter)
                self.modifiers.remove(.shift)
            }
        }
    }

    private static func code(named text: Substring) -> KeyCode? {
        if text.count == 1, let character = text.first { return .character(character) }
        let name = text.lowercased()
        if let found = names.first(where: { $0.0 == name }) { return found.1 }
        if let found = otherNames[name] { return found }
        guard name.hasPrefix("f"), let number = Int(name.dropFirst()), 1...20 ~= number else {
            return nil
        }
        return .function(number)
    }

    /// What help screens show, and `init(_:)` reads back.
    package var description: String {
        let held = Self.modifierNames.filter { modifiers.contains($0.1) }.map { $0.0 + "+" }
        return held.joined() + codeName
    }

    private var codeName: String {
        if let found = Self.names.first(where: { $0.1 == code }) { return found.0 }
        switch code {
        case .character(let character): return String(character)
        case .function(let number): return "f\(number)"
        default: return ""
        }
    }
}
