/// Reads numbers from their text.
///
/// The pointers point at the first byte of a number that the parser has accepted. A byte that belongs to no number
/// follows it.
enum NumberText {
    /// An integer of at most 18 digits; nil for a longer one.
    @inline(__always) static func small(_ text: UnsafePointer<UInt8>) -> Int? {
        let isNegative = text[0] == 0x2D
        var at = isNegative ? 1 : 0
        let last = at &+ 18
        var value = 0
        while true {
            let digit = text[at] &- 0x30
            if digit > 9 { break }
            if at == last { return nil }
            value = value &* 10 &+ Int(digit)
            at &+= 1
        }
        return isNegative ? 0 &- value : value
    }

    /// A number of at most 19 digits, correctly rounded; nil for longer ones and for uncommon powers of ten.
    @inline(__always) static func double(_ text: UnsafePointer<UInt8>) -> Double? {
        guard let parts = parts(text) else { return nil }
        let value: Double
        if parts.digits <= 1 << 53 && (-22...22).contains(parts.exponent) {
            // Digits and power are exact, so that one division or multiplication rounds correctly.
            let magnitude = Double(parts.digits)
            value =
                parts.exponent < 0
                ? magnitude / powers[0 &- parts.exponent] : magnitude * powers[parts.exponent]
        } else {
            guard let quotient = quotient(parts.digits, parts.exponent) else { return nil }
            value = quotient
        }
        return parts.isNegative ? -value : value
    }

    /// Digits divided by a power of ten from 1 to 27, correctly rounded.
    ///
    /// The power's factor of 5 fits into 64 bits, so both the quotient's 64 bits and whether there is a
    /// remainder are exact. The result is rounded from them to 53 bits, half to even.
    @inline(never) private static func quotient(_ digits: UInt64, _ exponent: Int) -> Double? {
        guard digits != 0, (-27...(-1)).contains(exponent) else { return nil }
        let power = powersOfFive[0 &- exponent]
        let divisor = power &<< UInt64(power.leadingZeroBitCount)
        let dividend = digits &<< UInt64(digits.leadingZeroBitCount)
        var scale = power.leadingZeroBitCount &- digits.leadingZeroBitCount &+ exponent &- 64
        var wide: (high: UInt64, low: UInt64) = (dividend, 0)
        if dividend >= divisor {
            wide = (dividend &>> 1, dividend &<< 63)
            scale &+= 1
        }
        // The highest bit of the quotient is set: the dividend is at least half the divisor.
        let (quotient, remainder) = divisor.dividingFullWidth(wide)
        var significand = quotient &>> 11
        let rest = quotient & 0x7FF
        if rest > 0x400 || rest == 0x400 && (remainder != 0 || significand & 1 != 0) {
            significand &+= 1
        }
        // A carry out of the significand correctly goes into the exponent.
        let biased = UInt64(truncatingIfNeeded: scale &+ 11 &+ 52 &+ 1023)
        return Double(bitPattern: biased &<< 52 &+ (significand &- (1 &<< 52)))
    }

    /// Like `double`, but as a `Float` and for fewer digits and powers of ten.
    static func float(_ text: UnsafePointer<UInt8>) -> Float? {
        guard let parts = parts(text), parts.digits <= 1 << 24, (-10...10).contains(parts.exponent)
        else { return nil }
        let magnitude = Float(parts.digits)
        let power = Float(powers[abs(parts.exponent)])
        let value = parts.exponent < 0 ? magnitude / power : magnitude * power
        return parts.isNegative ? -value : value
    }

    /// The digits as an integer, and the power of ten to multiply them with; nil for more than 19 digits.
    @inline(__always) private static func parts(
        _ text: UnsafePointer<UInt8>
    ) -> (isNegative: Bool, digits: UInt64, exponent: Int)? {
        let isNegative = text[0] == 0x2D
        var at = isNegative ? 1 : 0
        let first = at
        var digits: UInt64 = 0
        var exponent = 0
        readDigits(text, &at, &digits)
        var count = at &- first
        if text[at] == 0x2E {
            at &+= 1
            let point = at
            readDigits(text, &at, &digits)
            exponent = point &- at
            count &-= exponent
        }
        if count > 19 { return nil }
        if text[at] | 0x20 == 0x65 {
            at &+= 1
            let isSmall = text[at] == 0x2D
            if isSmall || text[at] == 0x2B { at &+= 1 }
            let start = at
            var power: UInt64 = 0
            readDigits(text, &at, &power)
            if at &- start > 4 { return nil }
            exponent &+= isSmall ? 0 &- Int(power) : Int(power)
        }
        return (isNegative, digits, exponent)
    }

    @inline(__always) private static func readDigits(
        _ text: UnsafePointer<UInt8>,
        _ at: inout Int,
        _ value: inout UInt64
    ) {
        while true {
            let digit = text[at] &- 0x30
            if digit > 9 { return }
            value = value &* 10 &+ UInt64(digit)
            at &+= 1
        }
    }

    /// 10 to the powers 0 to 22, all exact.
    // Safe to share: it is written once and never freed.
    nonisolated(unsafe) private static let powers: UnsafePointer<Double> = {
        let powers = UnsafeMutablePointer<Double>.allocate(capacity: 23)
        var power = 1.0
        for exponent in 0...22 {
            powers[exponent] = power
            power *= 10
        }
        return UnsafePointer(powers)
    }()

    /// 5 to the powers 0 to 27, all that fit into 64 bits.
    // Safe to share: it is written once and never freed.
    nonisolated(unsafe) private static let powersOfFive: UnsafePointer<UInt64> = {
        let powers = UnsafeMutablePointer<UInt64>.allocate(capacity: 28)
        var power: UInt64 = 1
        for exponent in 0...27 {
            powers[exponent] = power
            power = power &* 5
        }
        return UnsafePointer(powers)
    }()

    /// Whether a value represents a number's text rather than an overflow to infinity or an underflow to zero.
    static func isRepresented<F: BinaryFloatingPoint>(_ text: String, by value: F) -> Bool {
        guard value.isZero else { return value.isFinite }
        return text.utf8.prefix { $0 | 0x20 != 0x65 }.allSatisfy { $0 &- 0x31 > 8 }
    }

    // MARK: - Exact integers

    /// The integer that a number's text means, such as `1.0`, `12e2` and `1500e-2`; nil if none fits.
    static func integer<I: FixedWidthInteger>(_ type: I.Type, _ text: String) -> I? {
        if let value = I(text) { return value }
        let parts = text.split(whereSeparator: { $0 == "e" || $0 == "E" })
        guard let mantissa = parts.first, let exponent = exponent(parts) else { return nil }
        let isNegative = mantissa.first == "-"
        let halves = mantissa.drop { $0 == "-" }.split(separator: ".", maxSplits: 1)
        guard let whole = halves.first else { return nil }
        let fraction = halves.count > 1 ? halves[1] : ""
        var digits = Array(whole.utf8) + Array(fraction.utf8)
        var zeros = exponent - fraction.utf8.count
        while digits.last == 0x30 && digits.count > 1 {
            digits.removeLast()
            zeros += 1
        }
        if digits == [0x30] || digits.allSatisfy({ $0 == 0x30 }) { return 0 }
        // No integer type has more than 39 digits.
        guard zeros >= 0 && zeros < 40 else { return nil }
        let sign = isNegative ? "-" : ""
        return I(
            sign + String(decoding: digits, as: UTF8.self) + String(repeating: "0", count: zeros)
        )
    }

    /// The exponent; one too long for an `Int` counts as a large one of the same sign.
    private static func exponent(_ parts: [Substring]) -> Int? {
        guard parts.count > 1 else { return 0 }
        return Int(parts[1]) ?? (parts[1].first == "-" ? Int.min / 2 : Int.max / 2)
    }
}

/// Where the parts of a number are in its text.
struct NumberParts {
    let isNegative: Bool
    let integer: Range<Int>
    /// Empty if there is none.
    let fraction: Range<Int>
    /// The exponent's digits without leading zeros; empty if it is zero or there is none.
    let exponent: Range<Int>
    let hasNegativeExponent: Bool

    /// Splits a number; nil if the text is not in the form of RFC 8259, section 6.
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

    /// A digit as ASCII; `index` counts from the first digit and skips the point.
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
