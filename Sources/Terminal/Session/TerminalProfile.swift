import CNcurses
import Glibc

/// The terminal of this process, as the environment describes it; the terminal itself is not asked or changed.
package struct TerminalProfile: Hashable, Sendable {
    /// `$TERM`.
    package var name: String
    /// True when standard input is a terminal.
    package var inputIsTerminal: Bool
    /// True when standard output is a terminal.
    package var outputIsTerminal: Bool
    /// The number of colors that it is said to show.
    package var colorDepth: ColorDepth
    /// The symbols that it can show.
    package var symbols: Symbols
    /// Whether it is known to support kitty's graphics protocol.
    package var showsImages = false
    /// The background according to `COLORFGBG`; nil if it does not say.
    package var background: PixelColor?
    /// What asks the terminal for its background; nil if it may show the question as text.
    package var backgroundQuestion: String?

    /// No terminal; everything is drawn in all colors and symbols.
    package static let none = TerminalProfile(
        name: "",
        inputIsTerminal: false,
        outputIsTerminal: false,
        colorDepth: .trueColor,
        symbols: .unicode
    )

    /// Reads the profile from the environment.
    ///
    /// Also sets the locale for characters from it.
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
            showsImages: colorDepth != .mono && showsImages(terminal: name, variable),
            background: PixelColor(colorFGBG: variable("COLORFGBG")),
            backgroundQuestion: colorDepth == .mono
                ? nil : backgroundQuestion(terminal: name, variable)
        )
    }

    /// Whether a terminal shows images, judged by its variables.
    ///
    /// The terminal is not asked, because one that does not know the question may show it as text.
    static func showsImages(terminal: String, _ variable: (String) -> String) -> Bool {
        // tmux and screen keep their own picture of the screen.
        guard variable("TMUX").isEmpty, variable("STY").isEmpty else { return false }
        return ["xterm-kitty", "xterm-ghostty"].contains(terminal)
            || !variable("KITTY_WINDOW_ID").isEmpty
            || ["ghostty", "WezTerm"].contains(variable("TERM_PROGRAM"))
    }

    /// The question for the background (OSC 11); nil for terminals that may show it as text.
    ///
    /// For tmux and screen it is also wrapped to be passed on, because not every version answers itself.
    static func backgroundQuestion(terminal: String, _ variable: (String) -> String) -> String? {
        let like = [
            "xterm", "tmux", "screen", "rxvt", "st", "foot", "alacritty", "kitty", "ghostty",
            "wezterm", "konsole", "gnome", "vte", "mlterm", "contour", "iterm", "mintty", "rio",
        ]
        let isLikeXterm =
            like.contains { terminal.hasPrefix($0) } || terminal.hasSuffix("-256color")
            || terminal.hasSuffix("-direct")
        guard isLikeXterm else { return nil }
        let question = "\u{1B}]11;?\u{7}"
        if !variable("TMUX").isEmpty || terminal.hasPrefix("tmux") {
            // Inside, each ESC is doubled.
            return question + "\u{1B}Ptmux;\u{1B}\(question)\u{1B}\\"
        }
        guard terminal.hasPrefix("screen") || !variable("STY").isEmpty else { return question }
        return question + "\u{1B}P\(question)\u{1B}\\"
    }

    /// Why no screen can be shown here; nil if no reason is known without trying.
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
        // The compiled-in entry is that of xterm, which the console is not like.
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
    /// The terminal in `TERM` is unknown.
    case unknownTerminal(String)
    /// The terminal in `TERM` cannot move its cursor.
    case terminalCannotMoveCursor(String)
    /// The terminal could not be set up, for this reason.
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

/// The signals that the program was started to ignore, such as SIGHUP by nohup.
package enum IgnoredSignals {
    /// Whether a signal is among them.
    package static func contain(_ number: Int32) -> Bool { cn_signal_is_ignored(number) }
}
