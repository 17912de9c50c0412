/// Scalars without conversion: nil for a value of another kind. Setting one replaces the value.
extension JSON {
    /// The content of a string.
    public var string: String? {
        get {
            switch storage {
            case .node(let document, let node): document.string(of: node)
            case .string(let text): text
            default: nil
            }
        }
        set { self = newValue.map { JSON($0) } ?? .null }
    }

    /// `true` or `false`.
    public var bool: Bool? {
        get {
            switch kind {
            case .true: true
            case .false: false
            default: nil
            }
        }
        set { self = newValue.map { JSON($0) } ?? .null }
    }

    /// A number without a fraction, such as 12, 12.0 or 1.2e1, that is within range.
    public var int: Int? {
        get { integer() }
        set { self = newValue.map { JSON($0) } ?? .null }
    }

    /// The double nearest to a number; nil if it is too large for one.
    public var double: Double? {
        get { numberText.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil } }
        set { self = newValue.map { JSON($0) } ?? .null }
    }

    /// The float nearest to a number; nil if it is too large for one.
    public var float: Float? {
        get { numberText.flatMap { Float($0) }.flatMap { $0.isFinite ? $0 : nil } }
        set { self = newValue.map { JSON($0) } ?? .null }
    }

    /// A number as written; nil for other kinds.
    public var numberText: String? {
        switch storage {
        case .node(let document, let node):
            document.kind(of: node).isNumber ? document.sourceText(of: node) : nil
        case .number(let text): text
        default: nil
        }
    }

    /// A number without a fraction as an integer of any type; nil if it is out of range.
    public func integer<T: FixedWidthInteger>(as type: T.Type = T.self) -> T? {
        switch storage {
        case .node(let document, let node):
            guard document.kind(of: node).isNumber else { return nil }
            let range = document.valueRange(of: node)
            return document.bytes.withUnsafeBytes { bytes in
                Self.integer(UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self)[range]))
            }
        case .number(var text): return text.withUTF8 { Self.integer($0) }
        default: return nil
        }
    }

    static func integer<T: FixedWidthInteger>(_ text: UnsafeBufferPointer<UInt8>) -> T? {
        let isNegative = text.first == 0x2D
        var value: T = 0
        for byte in text.dropFirst(isNegative ? 1 : 0) {
            let digit = byte &- 0x30
            guard digit < 10 else { return NumberDigits(text)?.integerText.flatMap { T($0) } }
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            // Subtracts for a negative number, because the smallest integer has no positive counterpart.
            let (sum, isBeyond) =
                isNegative
                ? product.subtractingReportingOverflow(T(digit))
                : product.addingReportingOverflow(T(digit))
            guard !isTooLarge && !isBeyond else {
                // The exponent may bring it back into range: 12345.0e-2.
                return NumberDigits(text)?.integerText.flatMap { T($0) }
            }
            value = sum
        }
        return value
    }
}

/// Scalars with conversion: the value as another kind, or an empty value.
extension JSON {
    /// A string's content, a number as written, `true` or `false`; empty for anything else.
    public var stringValue: String {
        switch kind {
        case .string: string ?? ""
        case .integer, .decimal: numberText ?? ""
        case .true: "true"
        case .false: "false"
        default: ""
        }
    }

    /// Whether it is `true`, a number other than 0, or one of the strings true, t, yes, y, on and 1 in any case.
    public var boolValue: Bool {
        switch kind {
        case .true: true
        case .integer, .decimal: (double ?? .infinity) != 0
        case .string: DecodingScalar.trueWords.contains(stringValue.lowercased())
        default: false
        }
    }

    /// A number, or a string that holds one, without its fraction; 1 for `true`.
    ///
    /// 0 for anything else, and for a number that is out of range.
    public var intValue: Int { integerValue() }

    /// Like ``intValue``, as an integer of any type.
    public func integerValue<T: FixedWidthInteger>(as type: T.Type = T.self) -> T {
        if let exact = integer(as: T.self) { return exact }
        guard let text = coercedNumber else { return 0 }
        if let exact = NumberDigits(text)?.integerText.flatMap({ T($0) }) { return exact }
        return Double(text).flatMap { T(exactly: $0.rounded(.towardZero)) } ?? 0
    }

    /// A number, or a string that holds one; 1 for `true`; 0 for anything else.
    public var doubleValue: Double {
        coercedNumber.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil } ?? 0
    }

    /// Like ``doubleValue``, as a float.
    public var floatValue: Float {
        coercedNumber.flatMap { Float($0) }.flatMap { $0.isFinite ? $0 : nil } ?? 0
    }

    /// The value as a number in JSON's form; nil if it cannot be one.
    private var coercedNumber: String? {
        switch kind {
        case .integer, .decimal: numberText
        case .true: "1"
        case .string: JSON(numberText: Self.withoutPlus(stringValue))?.numberText
        default: nil
        }
    }

    /// A text without white space around it and without a plus sign, which JSON does not allow.
    private static func withoutPlus(_ text: String) -> String {
        let text = DecodingScalar.trimmed(text)
        return String(text.first == "+" ? text.dropFirst() : text)
    }
}
