/// Where something was found, in eight bytes; ordered by place.
struct PackedHit: Comparable, Sendable {
    /// A longer hit is cut.
    static let longest = 0xFF_FFFF

    private let word: UInt64

    init(_ start: Int, _ end: Int) {
        word = UInt64(start) << 24 | UInt64(min(end - start, Self.longest))
    }

    @inline(__always) var start: Int { Int(word &>> 24) }
    @inline(__always) var end: Int { start &+ Int(word & 0xFF_FFFF) }
    var range: Range<Int> { start..<end }

    @inline(__always) static func < (lhs: PackedHit, rhs: PackedHit) -> Bool {
        lhs.word < rhs.word
    }
}

extension RandomAccessCollection<PackedHit> where Index == Int {
    /// The index of the first hit that begins at an offset or later.
    func firstIndex(from offset: Int) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = (low + high) / 2
            if self[middle].start < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
