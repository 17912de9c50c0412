/// A JSON number by its value, exact at any length and with any exponent.
///
/// `1.0`, `1` and `10e-1` are equal and have the same hash, `-0` is `0`, and `1E400` is less than `1e401`. The
/// digits of `1e1000000000000` are never written out. Numbers with up to nineteen significant digits and
/// exponents of up to eighteen digits allocate no memory.
public struct DecimalNumber: Hashable, Sendable {
    /// The most digits that `leading` holds.
    static let leadingDigits = 19
    /// The magnitude of `exponent` if the exponent is too large for it and is in the wide digits.
    static let wideExponent = 1_000_000_000_000_000_000

    /// Whether it is less than zero.
    public let isNegative: Bool
    /// The power of ten of the first digit: the number is `d.ddd × 10^exponent`.
    let exponent: Int
    /// The first nineteen significant digits, filled with zeros on the right.
    let leading: UInt64
    /// The significant digits after the first nineteen, as ASCII, without zeros at the end.
    let rest: [UInt8]
    /// The exponent's digits without its sign if there are nineteen or more, otherwise empty.
    let wideExponent: [UInt8]

    /// Zero.
    public static let zero = DecimalNumber(0)

    init(
        isNegative: Bool,
        exponent: Int,
        leading: UInt64,
        rest: [UInt8] = [],
        wideExponent: [UInt8] = []
    ) {
        self.isNegative = isNegative
        self.exponent = exponent
        self.leading = leading
        self.rest = rest
        self.wideExponent = wideExponent
    }

    /// Makes the number of an integer.
    public init(_ value: Int) {
        self.init(magnitude: UInt64(value.magnitude), isNegative: value < 0)
    }

    /// An integer times a power of ten; its digits are moved to the left end of `leading`.
    @inline(__always) init(magnitude: UInt64, isNegative: Bool, power: Int = 0) {
        guard magnitude != 0 else {
            self.init(isNegative: false, exponent: 0, leading: 0)
            return
        }
        let digits = PowerOfTen.digitCount(magnitude)
        self.init(
            isNegative: isNegative,
            exponent: digits - 1 + power,
            leading: magnitude &* PowerOfTen.table[Self.leadingDigits - digits]
        )
    }

    /// Whether it is zero, whatever its sign was.
    public var isZero: Bool { leading == 0 }
}

extension DecimalNumber: Comparable {
    /// Whether a number is less than another one, by value.
    public static func < (lhs: DecimalNumber, rhs: DecimalNumber) -> Bool {
        if lhs.isZero || rhs.isZero || lhs.isNegative != rhs.isNegative {
            return lhs.sign < rhs.sign
        }
        return lhs.isNegative
            ? rhs.isLessByMagnitude(than: lhs) : lhs.isLessByMagnitude(than: rhs)
    }

    private var sign: Int { isZero ? 0 : isNegative ? -1 : 1 }

    private func isLessByMagnitude(than other: DecimalNumber) -> Bool {
        if exponent != other.exponent { return exponent < other.exponent }
        if wideExponent != other.wideExponent {
            let isShorter = wideExponent.count < other.wideExponent.count
            let isSmaller =
                wideExponent.count == other.wideExponent.count
                ? wideExponent.lexicographicallyPrecedes(other.wideExponent) : isShorter
            return isSmaller == (exponent > 0)
        }
        if leading != other.leading { return leading < other.leading }
        return rest.lexicographicallyPrecedes(other.rest)
    }
}

extension DecimalNumber {
    /// The nearest `Double`; infinity above the largest one, zero below the smallest.
    public var doubleValue: Double {
        if isZero { return 0 }
        if rest.isEmpty && wideExponent.isEmpty, let exact = exactDouble { return exact }
        if exponent > 400 { return isNegative ? -.infinity : .infinity }
        if exponent < -400 { return isNegative ? -0.0 : 0 }
        return Double(plainText) ?? .nan
    }

    /// The value by one multiplication or division of exact operands, rounded once; nil if it needs more.
    private var exactDouble: Double? {
        var significand = leading
        var power = exponent - Self.leadingDigits + 1
        while significand % 10 == 0 {
            significand /= 10
            power += 1
        }
        guard significand <= 1 << 53 && abs(power) <= 19 else { return nil }
        let scale = Double(PowerOfTen.table[abs(power)])
        let value = power < 0 ? Double(significand) / scale : Double(significand) * scale
        return isNegative ? -value : value
    }

    private var plainText: String {
        let power = exponent - Self.leadingDigits + 1 - rest.count
        let digits = String(leading) + String(decoding: rest, as: UTF8.self)
        return (isNegative ? "-" : "") + digits + "e" + String(power)
    }
}

extension DecimalNumber: CustomStringConvertible {
    /// The number in its shortest scientific form, such as `1.5e300`; plain for integers of up to 19 digits.
    public var description: String {
        if isZero { return "0" }
        var digits = String(leading) + String(decoding: rest, as: UTF8.self)
        while digits.last == "0" { digits.removeLast() }
        let sign = isNegative ? "-" : ""
        if wideExponent.isEmpty && exponent >= digits.utf8.count - 1
            && exponent < Self.leadingDigits
        {
            let zeros = String(repeating: "0", count: exponent - digits.utf8.count + 1)
            return sign + digits + zeros
        }
        let first = String(digits.removeFirst())
        let power =
            wideExponent.isEmpty
            ? String(exponent)
            : (exponent < 0 ? "-" : "") + String(decoding: wideExponent, as: UTF8.self)
        return sign + first + (digits.isEmpty ? "" : "." + digits) + "e" + power
    }
}

/// Reading numbers from their text.
extension DecimalNumber {
    /// Reads a number in the form of RFC 8259, section 6; nil for anything else.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        let number = text.withUTF8 { DecimalNumber(bytes: UnsafeRawBufferPointer($0)) }
        guard let number else { return nil }
        self = number
    }

    /// Reads a number from its bytes; nil if they are not a JSON number.
    ///
    /// Takes time proportional to the number of bytes, whatever the exponent is.
    public init?(bytes: UnsafeRawBufferPointer) {
        if let small = Self.smallInteger(bytes) {
            self = small
            return
        }
        guard let parts = NumberParts(bytes) else { return nil }
        self.init(parts, of: bytes)
    }

    /// An integer of at most eighteen digits; nil for anything else.
    @inline(__always)
    private static func smallInteger(_ bytes: UnsafeRawBufferPointer) -> DecimalNumber? {
        guard bytes.count > 0 && bytes.count <= 18 else { return nil }
        let isNegative = bytes[0] == 0x2D
        let start = isNegative ? 1 : 0
        guard start < bytes.count else { return nil }
        guard bytes[start] != 0x30 || start + 1 == bytes.count else { return nil }
        var value: UInt64 = 0
        for index in start..<bytes.count {
            let digit = bytes[index] &- 0x30
            guard digit < 10 else { return nil }
            value = value &* 10 &+ UInt64(digit)
        }
        return DecimalNumber(magnitude: value, isNegative: isNegative)
    }

    private init(_ parts: NumberParts, of bytes: UnsafeRawBufferPointer) {
        // The first digit that is not zero, counted without the point.
        guard let first = parts.firstSignificant(in: bytes) else {
            self.init(isNegative: false, exponent: 0, leading: 0)
            return
        }
        var leading: UInt64 = 0
        var taken = 0
        var rest: [UInt8] = []
        for index in first..<parts.digitCount {
            let digit = parts.digit(at: index, in: bytes)
            if taken < Self.leadingDigits {
                leading = leading &* 10 &+ UInt64(digit &- 0x30)
                taken += 1
            } else {
                rest.append(digit)
            }
        }
        leading = leading &* PowerOfTen.table[Self.leadingDigits - taken]
        while rest.last == 0x30 { rest.removeLast() }
        let power = DecimalExponent(
            written: bytes[parts.exponent],
            isNegative: parts.hasNegativeExponent,
            adding: parts.integer.count - 1 - first
        )
        self.init(
            isNegative: parts.isNegative,
            exponent: power.value,
            leading: leading,
            rest: rest,
            wideExponent: power.wideDigits
        )
    }
}

extension Document {
    /// A number's exact value; nil for other kinds.
    public func number(of node: NodeIndex) -> DecimalNumber? {
        guard kind(of: node).isNumber else { return nil }
        let range = valueRange(of: node)
        return bytes.withUnsafeBytes {
            DecimalNumber(bytes: UnsafeRawBufferPointer(rebasing: $0[range]))
        }
    }
}

/// An exponent of ten: an `Int`, or its digits if there are nineteen or more.
struct DecimalExponent {
    /// The exponent; with wide digits only its sign counts.
    let value: Int
    /// The magnitude's digits as ASCII if they do not fit into `value`, otherwise empty.
    let wideDigits: [UInt8]

    /// The exponent as written, without leading zeros, plus the shift of the decimal point.
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
            // A shift is a length in memory, too small to turn the sign of nineteen digits.
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

    /// Adds a shift to a decimal number, or subtracts it, digit by digit.
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
        // 1233 / 4096 is just below log10(2).
        let guess = ((64 - (value | 1).leadingZeroBitCount) * 1233) >> 12
        return guess < 20 && value >= table[guess] ? guess + 1 : max(guess, 1)
    }
}
