/// Bits that are counted and changed in O(log n).
struct RankedBits {
    private var bits: BitVector
    private var blocks = BlockCounts()

    init(_ values: [Bool]) {
        bits = BitVector(count: values.count)
        for (index, value) in values.enumerated() where value { bits[index] = true }
        blocks.recount(0..<values.count, of: bits)
    }

    /// How many bits before a place are set.
    func rank(_ index: Int) -> Int {
        let block = index / BlockCounts.nodes
        return blocks.sum(before: block)
            + bits.count(from: block * BlockCounts.nodes, to: index)
    }

    mutating func set(_ index: Int, _ value: Bool) {
        bits[index] = value
        blocks.recount(index..<index + 1, of: bits)
    }
}
