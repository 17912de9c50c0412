/// A row of a body in the form in which it is shown.
package enum BodyRow: Sendable, Equatable {
    /// A value of a tree.
    case tree(TreeRow)
    /// A line.
    case text(TextRow)
    /// Sixteen bytes.
    case hex(HexRow)
}
