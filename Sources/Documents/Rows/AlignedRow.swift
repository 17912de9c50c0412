/// One row of two trees as two panes show it.
package struct AlignedRow: Equatable, Sendable {
    /// What stands on it.
    package let entry: AlignedEntry
    /// The left side; nil is an empty row.
    package let left: TreeRow?
    /// The right side; nil is an empty row.
    package let right: TreeRow?
    /// How many equal values were left out directly above it.
    package let hiddenBefore: Int

    /// What the comparison says of it.
    package var mark: DiffMark { entry.mark }
}
