/// Where the parts of a number are in its text.
struct NumberParts {
    let isNegative: Bool
    let integer: Range<Int>
    /// Empty when there is none.
    let fraction: Range<Int>
    /// The exponent's digits without leading zeros; empty when it is zero or there is none.
    let exponent: Range<Int>
    let hasNegativeExponent: Bool

    /// Takes a text apart; nil when it is not of the form of RFC 8259 section 6.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var at = 0
        isNegative = Self.skip(0x2D, bytes, &at)
        let start = at
        guard Self.skipDigits(bytes, &at) else { return nil }
        guard bytes[start] != 0x30 || at == start + 1 else { return nil }
        integer = start..<at
        var fraction = at..<at
        if Self.skip(0x2E, bytes, &at) {
            let start = at
            guard Self.skipDigits(bytes, &at) else { return nil }
            fraction = start..<at
        }
        self.fraction = fraction
        var exponent = at..<at
        var isBelowOne = false
        if at < bytes.count, bytes[at] | 0x20 == 0x65 {
            at += 1
            isBelowOne = Self.skip(0x2D, bytes, &at)
            if !isBelowOne { _ = Self.skip(0x2B, bytes, &at) }
            var start = at
            guard Self.skipDigits(bytes, &at) else { return nil }
            while start < at && bytes[start] == 0x30 { start += 1 }
            exponent = start..<at
        }
        self.exponent = exponent
        hasNegativeExponent = isBelowOne
        guard at == bytes.count else { return nil }
    }

    /// The digits before and after the point.
    var digitCount: Int { integer.count + fraction.count }

    /// A digit as ASCII, counted from the first one and without the point.
    @inline(__always) func digit(at index: Int, in bytes: UnsafeRawBufferPointer) -> UInt8 {
        index < integer.count
            ? bytes[integer.lowerBound + index]
            : bytes[fraction.lowerBound + index - integer.count]
    }

    func firstSignificant(in bytes: UnsafeRawBufferPointer) -> Int? {
        (0..<digitCount).first { digit(at: $0, in: bytes) != 0x30 }
    }

    private static func skip(
        _ byte: UInt8,
        _ bytes: UnsafeRawBufferPointer,
        _ at: inout Int
    ) -> Bool {
        guard at < bytes.count, bytes[at] == byte else { return false }
        at += 1
        return true
    }

    private static func skipDigits(_ bytes: UnsafeRawBufferPointer, _ at: inout Int) -> Bool {
        let start = at
        while at < bytes.count, bytes[at] &- 0x30 < 10 { at += 1 }
        return at > start
    }
}
