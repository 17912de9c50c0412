/// What `apus view` wants done outside of its model.
enum ViewerEffect: Sendable {
    /// Leave, with an exit status.
    case quit(status: Int32)
    /// Back to the shell until `fg`.
    case suspend
    /// Draw every cell anew.
    case redraw
    /// To the clipboard.
    case copy(String)
    /// Read the document.
    case load
    /// What the pane wants.
    case tree(TreePaneEffect)
}
