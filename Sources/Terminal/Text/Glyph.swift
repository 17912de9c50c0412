/// What goes into one cell, or two: a base and its marks, past the gate.
struct Glyph {
    var base: UInt32
    var marks = MarkSet()
    /// 1 or 2; a tab has as many as it fills.
    var columns: Int
}
