/// Whether there is something to fold at a row.
package enum FoldState: Sendable {
    /// Nothing lies in it.
    case leaf
    /// What lies in it is shown.
    case open
    /// What lies in it is hidden.
    case closed
}
