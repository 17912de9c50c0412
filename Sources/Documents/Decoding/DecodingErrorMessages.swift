/// The words of the errors that decoding throws.
enum DecodingErrorMessages {
    static let longest = 60

    static func problem(_ problem: DecodingProblem) -> String {
        switch problem {
        case .doesNotFit(let number, let type): "the number \(cut(number)) does not fit \(type)"
        case .notADate(let text): "the string \"\(cut(text))\" is no date of the expected form"
        case .notBase64: "the string is not base 64"
        case .notAURL(let text): "the string \"\(cut(text))\" is no URL"
        }
    }

    static func mismatch(_ expected: String, _ path: String, _ found: String) -> String {
        "expected \(expected) at \(path), but found \(found)"
    }

    static func missingMember(_ name: String, _ path: String) -> String {
        "the object at \(path) has no member \"\(cut(name))\""
    }

    static func missingElement(_ index: Int, _ path: String, _ count: Int) -> String {
        "the array at \(path) has no element \(index), it has \(count)"
    }

    static func arrayEnd(_ expected: String, _ path: String) -> String {
        "expected \(expected), but the array at \(path) is over"
    }

    static func tooDeep(_ limit: Int, _ path: String) -> String {
        "the value at \(path) lies more than \(limit) types deep"
    }

    static let unfinished = "the document is still being read"

    static func badPath(_ path: String, _ reason: JSONPathError) -> String {
        "\"\(cut(path))\" is no path: \(reason)"
    }

    static func noMatch(_ path: String) -> String { "nothing matches \"\(cut(path))\"" }

    /// A fault of the text, its place behind it.
    static func at(_ position: TextPosition, _ offset: Int) -> String {
        " (line \(position.line), column \(position.column), byte \(offset))"
    }

    /// What a type asks for, as people say it.
    static func name(of type: Any.Type) -> String {
        switch type {
        case is any (FixedWidthInteger & Decodable).Type: "an integer"
        case is any (BinaryFloatingPoint & Decodable).Type: "a number"
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is [Any].Type: "an array"
        case is [String: Any].Type: "an object"
        default: "\(type)"
        }
    }

    /// What there is instead.
    static func value(_ kind: ValueKind, _ text: String) -> String {
        switch kind {
        case .null: "null"
        case .true, .false: text
        case .integer, .decimal: "the number \(cut(text))"
        case .string: "the string \(cut(text))"
        case .array: "an array"
        case .object: "an object"
        }
    }

    static func cut(_ text: String) -> String {
        text.utf8.count > longest ? text.prefix(longest) + "…" : text
    }
}
