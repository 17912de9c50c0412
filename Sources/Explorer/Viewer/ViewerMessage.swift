import Documents

/// What work outside of the viewer's screen reports.
enum ViewerMessage: Sendable {
    /// The first rows can be shown.
    case opened(BodyDocument)
    /// The document could not be read, or not further.
    case failed(String)
    /// What became of the pane's effect.
    case tree(TreePaneMessage)
}
