/// How many colours a terminal shows.
package enum ColorDepth: Int, Comparable, Sendable {
    /// None: bold, dim, underline and reverse tell things apart.
    case mono
    /// The 16 of its own palette.
    case sixteen
    /// A fixed palette of 256.
    case indexed256
    /// 24 bits.
    case trueColor

    /// Fewer colours come first.
    package static func < (left: ColorDepth, right: ColorDepth) -> Bool {
        left.rawValue < right.rawValue
    }
}
