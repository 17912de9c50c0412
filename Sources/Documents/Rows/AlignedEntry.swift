/// A row of two documents next to each other: values that belong together, or one that the other side
/// lacks.
package struct AlignedEntry: Equatable, Sendable {
    /// How many entries come before this one, hidden ones too.
    package let number: Int
    /// The value of the left document; nil where it lacks one.
    package let left: NodeIndex?
    /// The value of the right document; nil where it lacks one.
    package let right: NodeIndex?
    /// What the comparison says of it.
    package let mark: DiffMark
}
