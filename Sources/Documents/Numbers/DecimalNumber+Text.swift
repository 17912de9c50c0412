/// Reading numbers from their text.
extension DecimalNumber {
    /// Reads a number as RFC 8259 section 6 writes them; nil for anything else.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        let number = text.withUTF8 { DecimalNumber(bytes: UnsafeRawBufferPointer($0)) }
        guard let number else { return nil }
        self = number
    }

    /// Reads a number from its bytes; nil for what is no JSON number.
    ///
    /// It takes time in proportion to the bytes, whatever the exponent says.
    public init?(bytes: UnsafeRawBufferPointer) {
        if let small = Self.smallInteger(bytes) {
            self = small
            return
        }
        guard let parts = NumberParts(bytes) else { return nil }
        self.init(parts, of: bytes)
    }

    /// An integer of at most eighteen digits.
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
        let kind = kind(of: node)
        guard kind == .integer || kind == .decimal else { return nil }
        let range = valueRange(of: node)
        return bytes.withUnsafeBytes {
            DecimalNumber(bytes: UnsafeRawBufferPointer(rebasing: $0[range]))
        }
    }
}
