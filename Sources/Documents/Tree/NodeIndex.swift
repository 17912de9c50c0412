/// The number of a value in its document, in the order of the text.
public struct NodeIndex: Hashable, Comparable, Sendable {
    /// The outermost value.
    public static let root = NodeIndex(0)

    /// How many values begin before this one.
    public let rawValue: Int

    /// Names the value with this number; it must be under the document's `nodeCount` when it is used.
    public init(_ rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Whether `lhs` begins before `rhs`.
    public static func < (lhs: NodeIndex, rhs: NodeIndex) -> Bool { lhs.rawValue < rhs.rawValue }
}
