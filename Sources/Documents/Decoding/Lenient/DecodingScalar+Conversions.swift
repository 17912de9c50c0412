/// What scalars of other kinds are read as, where nothing is lost.
extension DecodingScalar {
    private static let truths: Set = ["1", "true", "yes", "on", "y", "t"]
    private static let untruths: Set = ["0", "false", "no", "off", "n", "f"]

    /// As true or false: the numbers 1 and 0, and the usual words in any case.
    var boolean: Bool? {
        switch self {
        case .null: return nil
        case .bool(let value): return value
        case .number(let text):
            return NumberText.integer(Int.self, text).flatMap {
                $0 == 1 ? true : $0 == 0 ? false : nil
            }
        case .string(let text):
            let word = Self.trimmed(text).lowercased()
            if Self.truths.contains(word) { return true }
            return Self.untruths.contains(word) ? false : nil
        }
    }

    /// As text: numbers as they are written.
    var text: String? {
        switch self {
        case .null: nil
        case .bool(let value): value ? "true" : "false"
        case .number(let text), .string(let text): text
        }
    }

    /// As an integer: numbers without a fraction, strings of them, 1 and 0 for true and false.
    func integer<I: FixedWidthInteger>(_ type: I.Type) -> I? {
        switch self {
        case .null: nil
        case .bool(let value): value ? 1 : 0
        case .number(let text): NumberText.integer(type, text)
        case .string(let text): Self.number(text).flatMap { NumberText.integer(type, $0) }
        }
    }

    /// As a number: strings of one, 1 and 0 for true and false.
    func floatingPoint<F: BinaryFloatingPoint & LosslessStringConvertible>(_ type: F.Type) -> F? {
        switch self {
        case .null: return nil
        case .bool(let value): return value ? 1 : 0
        case .number(let text), .string(let text):
            guard let number = Self.number(text), let value = F(number), value.isFinite else {
                return nil
            }
            return value
        }
    }

    /// A text that is a number and nothing else; words such as `nan` are none.
    private static func number(_ text: String) -> String? {
        let text = trimmed(text)
        let isNumber = text.utf8.allSatisfy { byte in
            byte &- 0x30 < 10 || byte == 0x2B || byte == 0x2D || byte == 0x2E || byte | 0x20 == 0x65
        }
        return isNumber && Double(text) != nil ? String(text) : nil
    }

    private static func trimmed(_ text: String) -> Substring {
        let start = text.drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return start[...end]
    }
}
