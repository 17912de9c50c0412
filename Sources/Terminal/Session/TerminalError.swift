/// Why the screen cannot be shown here.
package enum TerminalError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Standard input is a pipe or a file.
    case inputIsNoTerminal
    /// Standard output is a pipe or a file.
    case outputIsNoTerminal
    /// Nothing is known about what `TERM` names.
    case unknownTerminal(String)
    /// What `TERM` names cannot place its cursor.
    case terminalCannotMoveCursor(String)
    /// The system refused something.
    case setUpFailed(String)

    /// One line for people.
    package var description: String {
        switch self {
        case .inputIsNoTerminal: "Standard input is not a terminal."
        case .outputIsNoTerminal: "Standard output is not a terminal."
        case .unknownTerminal(let name):
            name.isEmpty
                ? "TERM is not set, so the terminal is unknown."
                : "The terminal \"\(name)\" (TERM) is unknown."
        case .terminalCannotMoveCursor(let name):
            "The terminal \"\(name)\" (TERM) cannot move its cursor."
        case .setUpFailed(let reason): "The terminal could not be set up: \(reason)."
        }
    }
}
