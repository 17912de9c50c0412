/// What is laid over things that are already drawn.
package enum Overlay: Int, CaseIterable, Sendable {
    /// The row of the cursor in the pane that has the focus.
    case selection
    /// The row of the cursor in another pane.
    case selectionInactive
    /// Something that a search found.
    case match
    /// What the search is at.
    case matchCurrent
    /// The cell of a text cursor that is drawn.
    case cursor

    var scope: Scope {
        switch self {
        case .selection: .selection
        case .selectionInactive: .selectionInactive
        case .match: .match
        case .matchCurrent: .matchCurrent
        case .cursor: .inputCursor
        }
    }
}
