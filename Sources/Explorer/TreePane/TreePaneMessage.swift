import Documents

/// What became of a pane's effects.
enum TreePaneMessage: Sendable {
    /// More rows were found.
    case advanced
    /// Where the fault is.
    case placed(DocumentFault, TextPosition)
    /// A long string, decoded.
    case decoded(Int, String)
    /// The byte at a line and column; nil when there is no such line.
    case located(Int, offset: Int?)
    /// More of the document was searched.
    case searched
    /// What a query found, in its own order and in that of the document, and why some may be missing.
    case matched(Int, [NodeIndex], sorted: [NodeIndex], problem: String? = nil)
}
