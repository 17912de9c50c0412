/// Scalars at any price: what a value can be read as, or what is empty.
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

    /// `true`; a number that is not 0; one of the strings true, t, yes, y, on and 1 in any case.
    public var boolValue: Bool {
        switch kind {
        case .true: true
        case .integer, .decimal: (double ?? .infinity) != 0
        case .string: Self.trueWords.contains(stringValue.lowercased())
        default: false
        }
    }

    /// A number, or a string that holds one, without its fraction; 1 for `true`.
    ///
    /// 0 for anything else, and for a number that is out of range.
    public var intValue: Int { integerValue() }

    /// As ``intValue``, as an integer of any type.
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

    /// As ``doubleValue``.
    public var floatValue: Float {
        coercedNumber.flatMap { Float($0) }.flatMap { $0.isFinite ? $0 : nil } ?? 0
    }

    /// What a value is as a number, as JSON writes one.
    private var coercedNumber: String? {
        switch kind {
        case .integer, .decimal: numberText
        case .true: "1"
        case .string: JSON(numberText: trimmed(stringValue))?.numberText
        default: nil
        }
    }

    private func trimmed(_ text: String) -> String {
        let start = text.drop { $0.isWhitespace }
        let sign = start.first == "+" ? start.dropFirst() : start
        return String(sign.reversed().drop { $0.isWhitespace }.reversed())
    }

    private static let trueWords: Set<String> = ["true", "t", "yes", "y", "on", "1"]
}
