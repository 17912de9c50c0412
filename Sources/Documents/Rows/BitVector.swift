/// A vector of bits in words of 64.
struct BitVector: Sendable {
    private(set) var words: [UInt64] = []

    init(count: Int = 0) {
        words = Array(repeating: 0, count: (count + 63) / 64)
    }

    mutating func grow(to count: Int) {
        let missing = (count + 63) / 64 - words.count
        if missing > 0 { words.append(contentsOf: repeatElement(0, count: missing)) }
    }

    subscript(index: Int) -> Bool {
        get { words[index >> 6] & 1 << UInt64(index & 63) != 0 }
        set {
            let bit: UInt64 = 1 << UInt64(index & 63)
            if newValue { words[index >> 6] |= bit } else { words[index >> 6] &= ~bit }
        }
    }

    mutating func set(_ range: Range<Int>) {
        change(range) { word, mask in word |= mask }
    }

    mutating func clear(_ range: Range<Int>) {
        change(range) { word, mask in word &= ~mask }
    }

    /// Clears the bits of a range that are not set in another vector of the same length.
    mutating func intersect(_ other: BitVector, in range: Range<Int>) {
        guard !range.isEmpty else { return }
        let first = range.lowerBound >> 6
        let last = (range.upperBound - 1) >> 6
        for index in first...last {
            var outside: UInt64 = 0
            if index == first { outside |= ~(~0 << UInt64(range.lowerBound & 63)) }
            if index == last { outside |= ~(~0 >> UInt64(63 - (range.upperBound - 1) & 63)) }
            words[index] &= other.words[index] | outside
        }
    }

    @inline(__always) private mutating func change(
        _ range: Range<Int>,
        _ apply: (inout UInt64, UInt64) -> Void
    ) {
        guard !range.isEmpty else { return }
        let first = range.lowerBound >> 6
        let last = (range.upperBound - 1) >> 6
        let head: UInt64 = ~0 << UInt64(range.lowerBound & 63)
        let tail: UInt64 = ~0 >> UInt64(63 - (range.upperBound - 1) & 63)
        words.withUnsafeMutableBufferPointer { words in
            guard first < last else { return apply(&words[first], head & tail) }
            apply(&words[first], head)
            for index in first + 1..<last { apply(&words[index], ~0) }
            apply(&words[last], tail)
        }
    }

    /// The first set bit in a range; nil if there is none.
    func first(in range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return nil }
        return words.withUnsafeBufferPointer { words in
            let last = (range.upperBound - 1) >> 6
            var index = range.lowerBound >> 6
            var word = words[index] & ~0 << UInt64(range.lowerBound & 63)
            while word == 0 && index < last {
                index += 1
                word = words[index]
            }
            let bit = index << 6 + word.trailingZeroBitCount
            return word != 0 && bit < range.upperBound ? bit : nil
        }
    }

    /// The number of set bits from `start`, which must be the first bit of a word, to `end`.
    func count(from start: Int, to end: Int) -> Int {
        words.withUnsafeBufferPointer { words in
            var sum = 0
            for index in start >> 6..<end >> 6 { sum += words[index].nonzeroBitCount }
            let rest = end & 63
            return rest == 0
                ? sum : sum + (words[end >> 6] & (1 << UInt64(rest) - 1)).nonzeroBitCount
        }
    }

    /// The index of the set bit that has `rank` set bits before it, counted from the word `start`.
    func select(_ rank: Int, fromWord start: Int) -> Int {
        words.withUnsafeBufferPointer { words in
            var rank = rank
            var index = start
            while words[index].nonzeroBitCount <= rank {
                rank -= words[index].nonzeroBitCount
                index += 1
            }
            var word = words[index]
            for _ in 0..<rank { word &= word - 1 }
            return index << 6 + word.trailingZeroBitCount
        }
    }
}

/// The number of set bits in each block of 4096, with their sums in a Fenwick tree.
struct BlockCounts: Sendable {
    /// Bits in a block.
    static let nodes = 4096
    /// Words in a block.
    static let words = nodes / 64
    /// From this number of blocks on, rebuilding the tree is cheaper than updating it.
    private static let many = 64

    private var counts: [Int32] = []
    /// Element `i` sums the blocks `i - (i & -i)` to `i - 1`; element 0 is not used.
    private var tree: [Int] = [0]
    private(set) var total = 0

    /// Recounts the blocks that a range of bits touches.
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

    /// The number of set bits in all blocks before one.
    func sum(before block: Int) -> Int {
        var sum = 0
        var index = block
        while index > 0 {
            sum += tree[index]
            index &= index - 1
        }
        return sum
    }

    /// The block of the set bit that has `rank` set bits before it, and the number of those in the
    /// block.
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

/// Bits that can be counted and changed in O(log n).
struct RankedBits {
    private var bits: BitVector
    private var blocks = BlockCounts()

    init(_ values: [Bool]) {
        bits = BitVector(count: values.count)
        for (index, value) in values.enumerated() where value { bits[index] = true }
        blocks.recount(0..<values.count, of: bits)
    }

    /// The number of set bits before an index.
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
