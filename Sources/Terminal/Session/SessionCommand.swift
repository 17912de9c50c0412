/// What an app wants of the session.
package enum SessionCommand: Hashable, Sendable {
    /// End; `TerminalSession.run` returns this status.
    case quit(status: Int32)
    /// Give the terminal back and stop the process group, as ctrl-z does elsewhere.
    case suspend
    /// Give the terminal to a program and wait for its end; found in `PATH`.
    case run([String])
    /// Send every cell again: something else wrote on the screen.
    case redraw
    /// Put text on the clipboard, where the terminal allows it.
    case copy(String)
    /// Ring.
    case bell
    /// Look like this from now on.
    case use(theme: Theme)
}
