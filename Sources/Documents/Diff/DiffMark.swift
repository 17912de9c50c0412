/// What a comparison says of one value.
public enum DiffMark: UInt8, Sendable, CaseIterable {
    /// The other side has the same.
    case equal
    /// The same container, but something in it differs.
    case containsChanges
    /// Only the right side has it.
    case added
    /// Only the left side has it.
    case removed
    /// Both sides have it, with different values.
    case changed
    /// Both sides have it in the same array, at different places.
    case moved
    /// It was not to be compared.
    case ignored
}
