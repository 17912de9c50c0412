/// A row of bits in words of 64.
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

    /// The first bit in a range that is set.
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

    /// The set bits from `start`, which is at a word's begin, to `end`.
    func count(from start: Int, to end: Int) -> Int {
        words.withUnsafeBufferPointer { words in
            var sum = 0
            for index in start >> 6..<end >> 6 { sum += words[index].nonzeroBitCount }
            let rest = end & 63
            return rest == 0
                ? sum : sum + (words[end >> 6] & (1 << UInt64(rest) - 1)).nonzeroBitCount
        }
    }

    /// The set bit before which there are `rank` others from a word on.
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
