/// A number by its decimal digits: 0.d₁d₂… × 10ᵖ.
struct NumberDigits: Equatable {
    /// Two numbers with up to this many digits never share a double.
    private static let safeDigits = 15

    private(set) var isNegative: Bool
    /// As ASCII, without zeros at either end; empty for zero.
    private(set) var digits: [UInt8]
    /// The number of digits before the point; negative for zeros after it.
    private(set) var point: Int

    /// Reads a number as JSON writes it; nil if its exponent has more than about 18 digits.
    init?(_ text: UnsafeBufferPointer<UInt8>) {
        var at = 0
        isNegative = text.first == 0x2D
        if isNegative { at = 1 }
        digits = []
        point = 0
        var hasPoint = false
        while at < text.count, text[at] | 0x20 != 0x65 {
            if text[at] == 0x2E {
                hasPoint = true
            } else {
                if !digits.isEmpty || text[at] != 0x30 {
                    digits.append(text[at])
                    if !hasPoint { point += 1 }
                } else if hasPoint {
                    point -= 1
                }
            }
            at += 1
        }
        while digits.last == 0x30 { digits.removeLast() }
        guard !digits.isEmpty else {
            point = 0
            isNegative = false
            return
        }
        guard at < text.count else { return }
        let written = String(
            decoding: UnsafeBufferPointer(rebasing: text[(at + 1)...]),
            as: UTF8.self
        )
        // Far from overflow, even with a length added.
        guard let exponent = Int(written), exponent.magnitude < 1 << 60 else { return nil }
        point += exponent
    }

    /// Reads a number from a text, by the same rules.
    init?(_ text: String) {
        var text = text
        guard let number = text.withUTF8({ NumberDigits($0) }) else { return nil }
        self = number
    }

    /// Zero if the number's exponent is too small for any double; nil if it is too large.
    static func zero(unlessLarge text: UnsafeBufferPointer<UInt8>) -> NumberDigits? {
        Double(String(decoding: text, as: UTF8.self)) == 0 ? NumberDigits("0") : nil
    }

    /// The shortest digits of the same double; nil if no double can hold the number.
    var rounded: NumberDigits? {
        // So few digits are already the shortest of their double, because no two such numbers share one.
        if digits.count <= Self.safeDigits && abs(point) < 300 { return self }
        guard let double = Double(text), double.isFinite else { return nil }
        return NumberDigits(double.description)
    }

    /// The number as ECMAScript writes it (ECMA-262, Number::toString).
    var text: String {
        guard !digits.isEmpty else { return "0" }
        let sign = isNegative ? "-" : ""
        let all = String(decoding: digits, as: UTF8.self)
        let count = digits.count
        switch point {
        case count...max(count, 21) where point <= 21:
            return sign + all + zeros(point - count)
        case 1...21:
            return sign + head(point) + "." + tail(point)
        case -5...0:
            return sign + "0." + zeros(-point) + all
        default:
            let exponent = (point > 0 ? "+" : "") + String(point - 1)
            return sign + head(1) + (count > 1 ? "." + tail(1) : "") + "e" + exponent
        }
    }

    /// The number as an integer; nil if it is none or longer than 40 digits.
    var integerText: String? {
        guard !digits.isEmpty else { return "0" }
        guard point >= digits.count && point <= 40 else { return nil }
        let all = String(decoding: digits, as: UTF8.self)
        return (isNegative ? "-" : "") + all + zeros(point - digits.count)
    }

    private func head(_ count: Int) -> String { String(decoding: digits[..<count], as: UTF8.self) }

    private func tail(_ start: Int) -> String { String(decoding: digits[start...], as: UTF8.self) }

    private func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
}
