import Documents

/// What a pane wants done outside of the model.
enum TreePaneEffect: Sendable {
    /// To the clipboard.
    case copy(String)
    /// A line of news.
    case say(Notice)
    /// Find the rows of a form that was not shown before.
    case takeIn(BodyDocument)
    /// Find the line and column of a fault.
    case place(DocumentFault, Document)
    /// Decode a long string.
    case decode(Int, Document, NodeIndex)
    /// Find the byte at a line and column of the text.
    case locate(Int, Document, TextPosition)
    /// Run a search; it takes the place of the one before.
    case search(DocumentSearch)
    /// Find the values of a query; it takes the place of what ran before.
    case query(Int, Document, JSONPath)
    /// End the search or the query that runs.
    case stop
    /// Note what was typed into a prompt.
    case remember(TreePrompt.Kind, String)
}
