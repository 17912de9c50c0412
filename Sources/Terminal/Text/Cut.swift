/// Where the ellipsis stands when a text is wider than its place.
package enum Cut: Sendable {
    /// Nowhere: the text just ends.
    case none
    /// At the end: the beginning counts.
    case end
    /// In the middle: both ends count.
    case middle
    /// At the beginning: the end counts.
    case start
}
