/// What came from the terminal.
package enum InputEvent: Hashable, Sendable {
    /// A key.
    case key(Key)
    /// Pasted text, with `\n` for every kind of newline.
    case paste(String)
    /// The mouse.
    case mouse(MouseEvent)
    /// The window got or lost the focus.
    case focus(Bool)
}
