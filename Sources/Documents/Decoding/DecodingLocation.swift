import Glibc

/// Where in a text a value could not be decoded: the `underlyingError` of each `DecodingError` that
/// `DocumentDecoder` throws about a value or a broken text.
public struct DecodingLocation: Error, Sendable {
    /// The value's path in the document, such as `$.users[3].age`.
    public let path: String
    /// The byte at which the value begins, or the byte of the text's fault.
    public let offset: Int
    /// The line and column of that byte.
    public let position: TextPosition
    /// The value; nil if the text is broken.
    public let node: NodeIndex?
    /// The error that the type itself threw, or the text's fault; nil if there is none.
    public let reason: (any Error)?
}

/// A step of a coding path: a member's name or an element's place.
struct DecodingKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    init(_ index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    init?(stringValue: String) { self.init(stringValue) }

    init?(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}

/// Finds lines and columns of bytes, counting on from the last one: types that try several forms in turn throw
/// an error per value, and counting from the start each time would be quadratic.
struct PlaceCounter {
    let base: UnsafePointer<UInt8>
    private var offset = 0
    private var line = 1
    private var column = 1

    init(base: UnsafePointer<UInt8>) {
        self.base = base
    }

    mutating func position(of target: Int) -> TextPosition {
        if target < offset { rewind(to: target) }
        while offset < target {
            let byte = base[offset]
            offset += 1
            if byte == 0x0A {
                line += 1
                column = 1
            } else if base[offset] & 0xC0 != 0x80 {
                column += 1
            }
        }
        return TextPosition(line: line, column: column)
    }

    /// Goes back to the start of the line that holds a byte.
    private mutating func rewind(to target: Int) {
        var start = offset
        while start > target {
            start -= 1
            if base[start] == 0x0A { line -= 1 }
        }
        while start > 0 && base[start - 1] != 0x0A { start -= 1 }
        offset = start
        column = 1
    }
}

/// The texts of decoding errors.
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

    static func givenUp(_ path: String, _ reason: QueryInterruption) -> String {
        "\"\(cut(path))\" was given up: \(reason)"
    }

    /// The place of an error, which goes at the end of its text.
    static func at(_ position: TextPosition, _ offset: Int) -> String {
        " (line \(position.line), column \(position.column), byte \(offset))"
    }

    /// What a type needs, in words for people.
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

    /// The value that was found instead, in words for people.
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
        text.utf8.count > longest ? String(text.unicodeScalars.prefix(longest)) + "…" : text
    }
}
