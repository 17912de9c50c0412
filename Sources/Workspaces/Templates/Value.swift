/// A value of a variable or a JSON body.
///
/// Numbers stay as they were written, so that `1.00` and large integers arrive as they are.
package indirect enum Value: Sendable, Hashable {
    /// A named value.
    package struct Member: Sendable, Hashable {
        /// The name.
        package let name: String
        /// The value.
        package let value: Value

        /// Makes a member.
        package init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// Text.
    case string(String)
    /// A number in JSON's form.
    case number(String)
    /// A truth value.
    case boolean(Bool)
    /// Nothing.
    case null
    /// Values in order.
    case array([Value])
    /// Named values in order.
    case object([Member])

    /// The value of an unquoted YAML scalar: JSON's numbers, `true`, `false`,
    /// `null` and `~` are what they say; everything else is text (also `yes`,
    /// `007` and `1_000`).
    init(plain text: String) {
        switch text {
        case "", "~", "null": self = .null
        case "true": self = .boolean(true)
        case "false": self = .boolean(false)
        default: self = Self.isNumber(text) ? .number(text) : .string(text)
        }
    }

    /// As text in a URL, a field or a body; nil for a list or an object, or nothing.
    var scalarText: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .boolean(let flag): flag ? "true" : "false"
        case .null, .array, .object: nil
        }
    }

    /// What it is, in words.
    var kindName: String {
        switch self {
        case .string: "a text"
        case .number: "a number"
        case .boolean: "true or false"
        case .null: "nothing"
        case .array: "a list"
        case .object: "a mapping"
        }
    }

    /// RFC 8259 section 6.
    static func isNumber(_ text: String) -> Bool {
        var rest = Substring(text).utf8
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let whole = rest.prefix(while: isDigit)
        guard !whole.isEmpty, whole.count == 1 || whole.first != UInt8(ascii: "0") else {
            return false
        }
        rest = rest[whole.endIndex...]
        if rest.first == UInt8(ascii: ".") {
            let fraction = rest.dropFirst().prefix(while: isDigit)
            guard !fraction.isEmpty else { return false }
            rest = rest[fraction.endIndex...]
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") {
                rest.removeFirst()
            }
            return !rest.isEmpty && rest.allSatisfy(isDigit)
        }
        return rest.isEmpty
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
