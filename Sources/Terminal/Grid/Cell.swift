/// One cell of the grid, in 8 bytes: the layout is that of `cn_cell`, so a row needs no copying.
package struct Cell: Hashable, Sendable {
    /// The scalar shown, or `rightHalf`.
    var base: UInt32
    /// The place of its combining marks in the grid's pool; 0 is none.
    var marks: UInt16
    var styleIndex: UInt16

    /// The base of the second cell of a wide character.
    static let rightHalf = UInt32.max

    init(base: UInt32, marks: UInt16 = 0, style: StyleID) {
        self.base = base
        self.marks = marks
        self.styleIndex = style.rawValue
    }

    /// How the cell looks.
    package var style: StyleID { StyleID(rawValue: styleIndex) }
    /// The scalar shown, without its marks; nil in the right half of a wide character.
    package var scalar: Unicode.Scalar? { base == Self.rightHalf ? nil : Unicode.Scalar(base) }
}
