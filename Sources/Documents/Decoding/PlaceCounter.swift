import Glibc

/// Turns bytes into lines and columns, on from the last one: types that try one form after the
/// other throw an error per value, and counting from the start each time would be quadratic.
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

    /// Back to the start of the line that holds a byte, or in the same line to the byte.
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
