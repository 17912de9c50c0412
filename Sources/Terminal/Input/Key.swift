/// A key as it was pressed, as people write it: `ctrl+c`, `shift+tab`, `f1`, `?`.
package struct Key: Hashable, Sendable {
    /// Which key.
    package var code: KeyCode
    /// What was held down with it.
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

    /// What a text field inserts; nil for keys that command.
    package var text: String? {
        guard case .character(let character) = code, modifiers.isSubset(of: .shift) else {
            return nil
        }
        return String(character)
    }
}
