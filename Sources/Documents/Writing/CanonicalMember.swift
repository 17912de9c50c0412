import Glibc

/// A member of an object that is being sorted, and where the characters of its key are.
struct CanonicalMember {
    /// The text, and the keys that had escapes.
    typealias Bases = (text: UnsafePointer<UInt8>, decoded: UnsafePointer<UInt8>)

    let node: NodeIndex
    let start: Int
    let count: Int
    var isDecoded = false

    /// Negative when `lhs` comes first: by key, and by place for equal keys.
    static func order(_ lhs: Self, _ rhs: Self, in bases: Bases) -> Int {
        let byKey = compareKeys(lhs, rhs, in: bases)
        return byKey != 0 ? byKey : lhs.node.rawValue - rhs.node.rawValue
    }

    /// Compares keys by their UTF-16 code units (RFC 8785, section 3.2.3).
    static func compareKeys(_ lhs: Self, _ rhs: Self, in bases: Bases) -> Int {
        let left = (lhs.isDecoded ? bases.decoded : bases.text) + lhs.start
        let right = (rhs.isDecoded ? bases.decoded : bases.text) + rhs.start
        let common = min(lhs.count, rhs.count)
        var at = 0
        while at < common && left[at] == right[at] { at += 1 }
        guard at < common else { return lhs.count - rhs.count }
        return rank(left[at]) - rank(right[at])
    }

    /// UTF-8 sorts as UTF-16 does but for U+E000 to U+FFFF, which come after all surrogates.
    private static func rank(_ byte: UInt8) -> Int {
        byte == 0xEE || byte == 0xEF ? Int(byte) + 0x10 : Int(byte)
    }
}
