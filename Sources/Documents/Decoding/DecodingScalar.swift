/// A scalar, from which lenient decoding can make values of other types.
public enum DecodingScalar: Sendable, Equatable {
    /// Null, or a missing value.
    case null
    /// True or false.
    case bool(Bool)
    /// A number as written.
    case number(String)
    /// A string's content.
    case string(String)
}

/// Reading scalars as other kinds, if nothing is lost.
extension DecodingScalar {
    /// The strings that mean true, in lower case.
    static let trueWords: Set = ["1", "true", "yes", "on", "y", "t"]
    private static let falseWords: Set = ["0", "false", "no", "off", "n", "f"]

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
            if Self.trueWords.contains(word) { return true }
            return Self.falseWords.contains(word) ? false : nil
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

    /// As an integer: numbers without a fraction, strings with such a number, and 1 and 0 for true and false.
    func integer<I: FixedWidthInteger>(_ type: I.Type) -> I? {
        switch self {
        case .null: nil
        case .bool(let value): value ? 1 : 0
        case .number(let text): NumberText.integer(type, text)
        case .string(let text): Self.number(text).flatMap { NumberText.integer(type, $0) }
        }
    }

    /// As a floating-point number: numbers, strings with a number, and 1 and 0 for true and false.
    func floatingPoint<F: BinaryFloatingPoint & LosslessStringConvertible>(_ type: F.Type) -> F? {
        switch self {
        case .null: return nil
        case .bool(let value): return value ? 1 : 0
        case .number(let text), .string(let text):
            guard let number = Self.number(text), let value = F(number),
                NumberText.isRepresented(number, by: value)
            else { return nil }
            return value
        }
    }

    /// The trimmed text if it is a number and nothing else; nil for anything else, such as `nan`.
    private static func number(_ text: String) -> String? {
        let text = trimmed(text)
        let isNumber = text.utf8.allSatisfy { byte in
            byte &- 0x30 < 10 || byte == 0x2B || byte == 0x2D || byte == 0x2E || byte | 0x20 == 0x65
        }
        return isNumber && Double(text) != nil ? String(text) : nil
    }

    /// A text without white space around it.
    static func trimmed(_ text: String) -> Substring {
        let start = text.drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return start[...end]
    }
}
