/// One row of a tree as a pane shows it.
package struct TreeRow: Sendable, Equatable {
    /// The value.
    package let node: NodeIndex
    /// How many containers it lies in.
    package let depth: Int
    /// Whether it is folded.
    package let fold: FoldState
    /// What the value is.
    package let kind: ValueKind
    /// A member's key as written, without quotes, cut to the limit.
    package let key: String?
    /// The place in its array, from 0; nil for members and the root.
    package let index: Int?
    /// A scalar as written, strings with their quotes, cut to the limit; empty for containers.
    package let value: String
    /// Whether the key was cut.
    package let isKeyCut: Bool
    /// Whether the value was cut.
    package let isValueCut: Bool
    /// The values directly in it; so far, when it is incomplete.
    package let childCount: Int
    /// Whether it is a container without its end.
    package let isIncomplete: Bool
}
