/// One of two documents that are compared.
public enum DocumentSide: Sendable, CaseIterable {
    /// The old one.
    case left
    /// The new one.
    case right
}
