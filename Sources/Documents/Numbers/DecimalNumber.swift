/// A JSON number by its value, exact at any length and with any exponent.
///
/// `1.0`, `1` and `10e-1` are equal and have the same hash, `-0` is `0`, and `1E400` is less than
/// `1e401`. The digits of `1e1000000000000` are never built. Up to nineteen significant digits and
/// exponents of up to eighteen digits need no memory of their own.
public struct DecimalNumber: Hashable, Sendable {
    /// The most digits that `leading` holds.
    static let leadingDigits = 19
    /// What `exponent` is when it does not say the exponent itself; the wide digits do then.
    static let wideExponent = 1_000_000_000_000_000_000

    /// Whether it is less than zero.
    public let isNegative: Bool
    /// The power of ten of the first digit: the number is `d.ddd × 10^exponent`.
    let exponent: Int
    /// The first nineteen significant digits, filled with zeros on the right.
    let leading: UInt64
    /// The significant digits behind the first nineteen, as ASCII, without zeros at the end.
    let rest: [UInt8]
    /// The exponent's digits without its sign, when it has nineteen or more.
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

    /// An integer.
    public init(_ value: Int) {
        self.init(magnitude: UInt64(value.magnitude), isNegative: value < 0)
    }

    /// A small integer: the digits are moved to the left end.
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

    /// Whether it is zero, with whatever sign it was written.
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
