/// The set bits of a vector per block of 4096, and their sums as a Fenwick tree.
struct BlockCounts: Sendable {
    /// Bits in a block.
    static let nodes = 4096
    /// Words in a block.
    static let words = nodes / 64
    /// From so many blocks on, building the tree anew is cheaper than changing it.
    private static let many = 64

    private var counts: [Int32] = []
    /// Element `i` sums the blocks `i - (i & -i)` to `i - 1`; element 0 is not used.
    private var tree: [Int] = [0]
    private(set) var total = 0

    /// Counts anew the blocks that a range of bits touches.
    mutating func recount(_ range: Range<Int>, of bits: BitVector) {
        guard !range.isEmpty else { return }
        let needed = (bits.words.count + Self.words - 1) / Self.words
        let isGrown = needed > counts.count
        if isGrown { counts.append(contentsOf: repeatElement(0, count: needed - counts.count)) }
        let first = range.lowerBound / Self.nodes
        let last = (range.upperBound - 1) / Self.nodes
        let isRebuilt = isGrown || last - first >= Self.many
        for block in first...last {
            let start = block * Self.nodes
            let end = min(start + Self.nodes, bits.words.count * 64)
            let count = bits.count(from: start, to: end)
            if !isRebuilt { add(count - Int(counts[block]), at: block) }
            counts[block] = Int32(count)
        }
        if isRebuilt { rebuild() }
    }

    /// The set bits in all blocks before one.
    func sum(before block: Int) -> Int {
        var sum = 0
        var index = block
        while index > 0 {
            sum += tree[index]
            index &= index - 1
        }
        return sum
    }

    /// The block of the set bit before which there are `rank` others, and how many of them are in
    /// the block.
    func find(_ rank: Int) -> (block: Int, rest: Int) {
        var step = 1
        while step * 2 < tree.count { step *= 2 }
        var block = 0
        var rest = rank
        while step > 0 {
            if block + step < tree.count && tree[block + step] <= rest {
                block += step
                rest -= tree[block]
            }
            step /= 2
        }
        return (block, rest)
    }

    private mutating func add(_ change: Int, at block: Int) {
        guard change != 0 else { return }
        total += change
        var index = block + 1
        while index < tree.count {
            tree[index] += change
            index += index & -index
        }
    }

    private mutating func rebuild() {
        tree = Array(repeating: 0, count: counts.count + 1)
        total = 0
        for index in 1..<tree.count {
            total += Int(counts[index - 1])
            tree[index] += Int(counts[index - 1])
            let above = index + index & -index
            if above < tree.count { tree[above] += tree[index] }
        }
    }
}
