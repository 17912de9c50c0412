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

/// A step of a coding path: a member's name or an element's index.
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
struct LineCounter {
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
