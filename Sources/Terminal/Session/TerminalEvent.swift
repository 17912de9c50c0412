/// What happens to an app.
package enum TerminalEvent<Message: Sendable>: Sendable {
    /// A key was pressed.
    case key(Key)
    /// Text was pasted, with `\n` for every kind of newline. It is raw: draw it or give it to a field.
    case paste(String)
    /// The mouse.
    case mouse(MouseEvent)
    /// The terminal's window got or lost the focus.
    case focus(Bool)
    /// The screen has this size now. Comes once before the first frame.
    case resize(Size)
    /// A message came through the mailbox.
    case message(Message)
    /// `TerminalApp.nextTick` is reached.
    case tick
    /// The terminal is ours again after ctrl-z or an external program.
    case resumed
    /// The program of `SessionCommand.run` ended: its status, 128+n after signal n, 127 when it
    /// could not be started.
    case programEnded(status: Int32)
}
