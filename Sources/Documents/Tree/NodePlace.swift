/// The value that a byte of the text belongs to.
public struct NodePlace: Hashable, Sendable {
    /// The value.
    public let node: NodeIndex
    /// Whether the byte lies in the key, its quotes included, and not in the value.
    public let isInKey: Bool
}
