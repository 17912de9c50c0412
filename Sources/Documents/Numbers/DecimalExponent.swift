/// A power of ten: an `Int`, or its digits when it has nineteen of them or more.
struct DecimalExponent {
    /// The exponent; with wide digits only its sign counts.
    let value: Int
    /// The magnitude's digits as ASCII, when they do not fit.
    let wideDigits: [UInt8]

    /// The exponent as written, without leading zeros, plus how far the point is away.
    init(written digits: Slice<UnsafeRawBufferPointer>, isNegative: Bool, adding shift: Int) {
        if digits.count <= 18 {
            let magnitude = digits.reduce(0) { $0 * 10 + Int($1 &- 0x30) }
            let value = (isNegative ? -magnitude : magnitude) + shift
            if value.magnitude < UInt(DecimalNumber.wideExponent) {
                self.init(value)
            } else {
                self.init(isNegative: value < 0, wide: Array(String(value.magnitude).utf8))
            }
        } else {
            // A shift is a length in memory: it never turns the sign of nineteen digits.
            let isGrowing = isNegative == (shift < 0)
            let wide = Self.add(shift.magnitude, to: Array(digits), isGrowing: isGrowing)
            self.init(isNegative: isNegative, wide: wide)
        }
    }

    private init(_ value: Int, wideDigits: [UInt8] = []) {
        self.value = value
        self.wideDigits = wideDigits
    }

    private init(isNegative: Bool, wide: [UInt8]) {
        let digits = Array(wide.drop { $0 == 0x30 })
        if digits.count <= 18 {
            let magnitude = digits.reduce(0) { $0 * 10 + Int($1 &- 0x30) }
            self.init(isNegative ? -magnitude : magnitude)
        } else {
            let limit = DecimalNumber.wideExponent
            self.init(isNegative ? -limit : limit, wideDigits: digits)
        }
    }

    /// Adds to or takes from a decimal number, digit by digit.
    private static func add(_ shift: UInt, to digits: [UInt8], isGrowing: Bool) -> [UInt8] {
        var digits = [0x30] + digits
        var left = shift
        var carry = 0
        var at = digits.count - 1
        while at >= 0 && (left > 0 || carry > 0) {
            let part = Int(left % 10) + carry
            left /= 10
            let digit = Int(digits[at] - 0x30)
            let sum = isGrowing ? digit + part : digit - part
            carry = sum < 0 || sum > 9 ? 1 : 0
            digits[at] = 0x30 + UInt8((sum + 10) % 10)
            at -= 1
        }
        return digits
    }
}
