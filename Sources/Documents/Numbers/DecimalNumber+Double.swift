extension DecimalNumber {
    /// The nearest `Double`; infinity above the largest one, zero below the smallest.
    public var doubleValue: Double {
        if isZero { return 0 }
        if rest.isEmpty && wideExponent.isEmpty, let exact = exactDouble { return exact }
        if exponent > 400 { return isNegative ? -.infinity : .infinity }
        if exponent < -400 { return isNegative ? -0.0 : 0 }
        return Double(plainText) ?? .nan
    }

    /// By one multiplication or division that both have exact operands, and so is rounded once.
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
    /// The number in its shortest scientific form, such as `1.5e300`; integers of up to nineteen digits as such.
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
