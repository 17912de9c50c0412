/// How many columns a scalar takes: what glibc's wcwidth says, because ncurses asks that one, and a
/// grid that disagrees with ncurses corrupts the row.
///
/// Independent of the locale.
enum WidthTable {
    enum Class: UInt8 {
        case mark = 0
        case narrow = 1
        case wide = 2
        case unprintable = 3
    }

    /// Two bits for each scalar, in pages of 256 that are shared where equal.
    @inline(__always)
    static func `class`(of scalar: UInt32) -> Class {
        guard scalar < 0x110000 else { return .unprintable }
        let page = Int(widthPageIndex[Int(scalar >> 8)])
        let word = widthPages[page &* 8 &+ Int((scalar >> 5) & 7)]
        return Class(rawValue: UInt8((word >> UInt64((scalar & 31) &* 2)) & 3)) ?? .unprintable
    }
}
