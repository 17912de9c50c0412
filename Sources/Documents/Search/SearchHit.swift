/// A place where a pattern was found.
package struct SearchHit: Equatable, Sendable {
    /// The bytes as they stand in the text, escapes and all.
    package let range: Range<Int>
    /// The hit's number in the order of the text, from 1.
    package let number: Int
    /// Whether the search went over an end of the text to get here.
    package let isWrapped: Bool
}
