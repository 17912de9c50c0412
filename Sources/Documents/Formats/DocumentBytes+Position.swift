import Glibc

extension DocumentBytes {
    /// The line and column of a byte; it counts from the start.
    func position(of offset: Int) -> TextPosition {
        let offset = max(0, min(offset, count))
        var line = 1
        var start = 0
        while start < offset, let found = memchr(base + start, 0x0A, offset - start) {
            start = UnsafeRawPointer(found) - UnsafeRawPointer(base) + 1
            line += 1
        }
        var column = 1
        for index in start..<offset where base[index] & 0xC0 != 0x80 { column += 1 }
        return TextPosition(line: line, column: column)
    }
}
