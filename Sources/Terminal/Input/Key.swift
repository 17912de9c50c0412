/// A key with its modifiers, as people write it: `ctrl+c`, `shift+tab`, `f1`, `?`.
package struct Key: Hashable, Sendable {
    /// The key itself, without its modifiers.
    package var code: KeyCode
    /// The modifiers that were held down with it.
    package var modifiers: KeyModifiers

    /// Makes a key.
    package init(_ code: KeyCode, _ modifiers: KeyModifiers = []) {
        self.code = code
        self.modifiers = modifiers
    }

    /// Makes a key that writes this character.
    package static func character(_ character: Character) -> Key {
        Key(.character(character))
    }

    /// The text that a text field inserts; nil for keys that are commands.
    package var text: String? {
        guard case .character(let character) = code, modifiers.isSubset(of: .shift) else {
            return nil
        }
        return String(character)
    }
}

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

    /// Parses a key as people write it, `ctrl+c`; nil if it is not a key.
    ///
    /// Names are not case sensitive, but single characters are: `S` is shift and s.
    package init?(_ text: String) {
        // Each "+" searches all that follows it, and no key has a longer name.
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

    /// The text that help screens show, and that `init(_:)` parses.
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

/// A key of the keyboard, without modifiers.
package enum KeyCode: Hashable, Sendable {
    /// A key that types a character, such as the space bar.
    case character(Character)
    /// Enter, and ctrl+m and ctrl+j, which classic terminals cannot distinguish from it.
    case enter
    /// Tab, and ctrl+i; backwards with shift.
    case tab
    /// Backspace, and ctrl+h.
    case backspace
    /// Escape.
    case escape
    /// An arrow key.
    case up, down, left, right
    /// A key of the block above the arrows.
    case home, end, pageUp, pageDown, insert, delete
    /// F1 to F20.
    case function(Int)
}

/// The modifiers that are held down with a key.
package struct KeyModifiers: OptionSet, Hashable, Sendable {
    /// The bits, in the order of xterm's parameter.
    package let rawValue: UInt8

    /// Makes a set from its bits.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Shift; letters are uppercase instead.
    package static let shift = KeyModifiers(rawValue: 1)
    /// Alt, which terminals send as an escape before the key.
    package static let alt = KeyModifiers(rawValue: 2)
    /// Control.
    package static let control = KeyModifiers(rawValue: 4)
}
