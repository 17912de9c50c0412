/// A line of pieces, each in its own style.
package struct StyledText: Hashable, Sendable {
    struct Piece: Hashable, Sendable {
        var text: String
        var style: StyleID
    }

    private(set) var pieces: [Piece] = []
    /// The columns that it takes.
    package private(set) var columns = 0

    /// Its words, without their styles.
    package var text: String { pieces.map(\.text).joined() }

    /// Makes an empty line.
    package init() {}

    /// Makes a line of one piece.
    package init(_ text: String, _ style: StyleID) {
        append(text, style)
    }

    /// True when nothing is in it.
    package var isEmpty: Bool { pieces.isEmpty }

    /// Adds a piece at the end.
    package mutating func append(_ text: String, _ style: StyleID) {
        guard !text.isEmpty else { return }
        pieces.append(Piece(text: text, style: style))
        columns += TextWidth.columns(of: text)
    }

    /// Adds another line at the end.
    package mutating func append(_ other: StyledText) {
        pieces += other.pieces
        columns += other.columns
    }
}
