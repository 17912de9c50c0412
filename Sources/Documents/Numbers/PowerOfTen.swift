/// The powers of ten that fit into 64 bits.
enum PowerOfTen {
    static let table: [UInt64] = [
        1, 10, 100, 1000, 10000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
        10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000,
        100_000_000_000_000, 1_000_000_000_000_000, 10_000_000_000_000_000,
        100_000_000_000_000_000, 1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
    ]

    /// How many decimal digits a number has; 1 for zero.
    static func digitCount(_ value: UInt64) -> Int {
        // 1233 / 4096 is just over log10(2).
        let guess = ((64 - (value | 1).leadingZeroBitCount) * 1233) >> 12
        return guess < 20 && value >= table[guess] ? guess + 1 : max(guess, 1)
    }
}
