/// What is to be highlighted in a row of a tree, in bytes of its texts' UTF-8.
package struct RowHighlights: Equatable, Sendable {
    /// The parts of the key as it is shown.
    package var key: [Range<Int>] = []
    /// The parts of the value as it is shown.
    package var value: [Range<Int>] = []

    /// Whether there are none.
    package var isEmpty: Bool { key.isEmpty && value.isEmpty }
}
