internal import CScan

/// Which bytes of a slice lie in strings, opening quotes included.
struct StringMap {
    private let lowerBound: Int
    private let words: [UInt64]

    /// Looks at whole blocks of 64 bytes; the last one may reach into the padding.
    init(_ slice: Range<Int>, of text: UnsafePointer<UInt8>, lexer: inout csearch_lexer) {
        lowerBound = slice.lowerBound
        let count = (slice.count + 63) / 64
        // Without room the initialiser would write its count into the empty array that all share.
        guard count > 0 else {
            words = []
            return
        }
        var state = lexer
        words = Array(unsafeUninitializedCapacity: count) { words, filled in
            for index in 0..<count {
                words[index] = csearch_strings(text + slice.lowerBound + 64 * index, &state)
            }
            filled = count
        }
        lexer = state
    }

    @inline(__always) func contains(_ offset: Int) -> Bool {
        let bit = offset - lowerBound
        return words[bit >> 6] & 1 << UInt64(bit & 63) != 0
    }
}
