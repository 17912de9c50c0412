/// Keys as the footer and the help write them.
enum KeyName {
    /// "esc" for "escape", "pgdn" for "pagedown", "^l" for "ctrl+l"; others as they are.
    static func shown(_ name: String) -> String {
        switch name {
        case "escape": "esc"
        case "pageup": "pgup"
        case "pagedown": "pgdn"
        default: name.hasPrefix("ctrl+") ? "^\(name.dropFirst(5))" : name
        }
    }
}
