/// A stored part and a newer one of the same version, as one (RFC 9111, 3.4).
struct PartCombination: Sendable, Equatable {
    /// The stored part.
    let base: Int
    /// The bytes that are taken of it before and after the newer part, counted in its own.
    let before: Range<Int>
    let after: Range<Int>
    /// The two as one; a whole if nothing is missing.
    let head: StoredHead

    /// The bytes of both.
    func body(_ base: [UInt8], _ newer: [UInt8]) -> [UInt8]? {
        guard before.upperBound <= base.count, after.upperBound <= base.count else { return nil }
        return base[before] + newer + base[after]
    }
}
