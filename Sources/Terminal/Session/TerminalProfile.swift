import CNcurses
import Glibc

/// What terminal this process has, as far as the environment says; nothing of it is touched.
package struct TerminalProfile: Hashable, Sendable {
    /// `$TERM`.
    package var name: String
    /// True when standard input is a terminal.
    package var inputIsTerminal: Bool
    /// True when standard output is a terminal.
    package var outputIsTerminal: Bool
    /// The colours it is said to show.
    package var colorDepth: ColorDepth
    /// The signs it can be trusted with.
    package var symbols: Symbols
    /// Whether it is known to have the graphics protocol of kitty.
    package var showsImages = false

    /// No terminal at all: what is drawn has every colour and every sign.
    package static let none = TerminalProfile(
        name: "",
        inputIsTerminal: false,
        outputIsTerminal: false,
        colorDepth: .trueColor,
        symbols: .unicode
    )

    /// Asks the environment.
    ///
    /// Takes the locale of characters from it as well.
    package static func detect() -> TerminalProfile {
        let isUTF8 = cn_locale()
        let name = variable("TERM")
        let isConsole = name == "linux" || name.hasPrefix("vt") || name == "ansi"
        let colorDepth = colorDepth(
            terminal: name,
            colorTerm: variable("COLORTERM"),
            noColor: variable("NO_COLOR")
        )
        return TerminalProfile(
            name: name,
            inputIsTerminal: isatty(STDIN_FILENO) == 1,
            outputIsTerminal: isatty(STDOUT_FILENO) == 1,
            colorDepth: colorDepth,
            symbols: isUTF8 && !isConsole ? .unicode : .plain,
            showsImages: colorDepth != .mono && showsImages(terminal: name, variable)
        )
    }

    /// A terminal is not asked: one that does not know the question may show it as text.
    static func showsImages(terminal: String, _ variable: (String) -> String) -> Bool {
        // What stands between, tmux or screen, keeps its own picture of the screen.
        guard variable("TMUX").isEmpty, variable("STY").isEmpty else { return false }
        return ["xterm-kitty", "xterm-ghostty"].contains(terminal)
            || !variable("KITTY_WINDOW_ID").isEmpty
            || ["ghostty", "WezTerm"].contains(variable("TERM_PROGRAM"))
    }

    /// Why no screen can be shown here, as far as can be said without trying.
    package var problem: TerminalError? {
        if !inputIsTerminal { return .inputIsNoTerminal }
        if !outputIsTerminal { return .outputIsNoTerminal }
        if name.isEmpty { return .unknownTerminal(name) }
        return name == "dumb" ? .terminalCannotMoveCursor(name) : nil
    }

    static func colorDepth(terminal: String, colorTerm: String, noColor: String) -> ColorDepth {
        // https://no-color.org: present and not empty.
        if !noColor.isEmpty || terminal.isEmpty || terminal == "dumb" { return .mono }
        if terminal.hasPrefix("vt") { return .mono }
        if terminal.hasSuffix("-direct") { return .trueColor }
        // The entry that is compiled in is that of xterm: the console is no such terminal.
        let isLikeXterm = terminal != "linux" && terminal != "ansi"
        if isLikeXterm, colorTerm == "truecolor" || colorTerm == "24bit" { return .trueColor }
        return terminal.hasSuffix("256color") ? .indexed256 : .sixteen
    }

    private static func variable(_ name: String) -> String {
        getenv(name).map { String(cString: $0) } ?? ""
    }
}

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

/// The signals that the program was started to ignore, as nohup asks of SIGHUP.
package enum IgnoredSignals {
    /// Whether a signal is among them.
    package static func contain(_ number: Int32) -> Bool { cn_signal_is_ignored(number) }
}
