import Glibc

/// Finds the boundary lines of a multipart body (RFC 2046, section 5.1.1).
struct MultipartScanner {
    /// One boundary line.
    struct Delimiter {
        /// Where the part before it ends: the line end in front belongs to the boundary.
        let partEnd: Int
        /// Where the line ends, its own line end included.
        let end: Int
        let isFinal: Bool
    }

    private let text: DocumentBytes
    private let boundary: [UInt8]
    private let range: Range<Int>

    init(_ text: DocumentBytes, in range: Range<Int>, boundary: String) {
        self.text = text
        self.range = range
        self.boundary = Array("--".utf8) + Array(boundary.utf8)
    }

    /// The first boundary line at or after the start of a line.
    func delimiter(from lineStart: Int) -> Delimiter? {
        var line = lineStart
        while line < range.upperBound {
            if let found = delimiter(atLine: line) { return found }
            let left = range.upperBound - line
            guard let feed = memchr(text.base + line, 0x0A, left) else { return nil }
            line = UnsafeRawPointer(feed) - UnsafeRawPointer(text.base) + 1
        }
        return nil
    }

    private func delimiter(atLine line: Int) -> Delimiter? {
        guard line + boundary.count <= range.upperBound,
            memcmp(text.base + line, boundary, boundary.count) == 0
        else { return nil }
        var at = line + boundary.count
        let isFinal = byte(at) == 0x2D && byte(at + 1) == 0x2D
        if isFinal { at += 2 }
        while byte(at) == 0x20 || byte(at) == 0x09 { at += 1 }
        // A longer word is another boundary, or text.
        guard byte(at) == nil || byte(at) == 0x0A || (byte(at) == 0x0D && byte(at + 1) == 0x0A)
        else { return nil }
        let end = min(at + (byte(at) == 0x0D ? 2 : 1), range.upperBound)
        return Delimiter(partEnd: partEnd(before: line), end: end, isFinal: isFinal)
    }

    private func partEnd(before line: Int) -> Int {
        guard line > range.lowerBound else { return line }
        let hasReturn = line - 2 >= range.lowerBound && text.base[line - 2] == 0x0D
        return line - (hasReturn ? 2 : 1)
    }

    private func byte(_ at: Int) -> UInt8? { at < range.upperBound ? text.base[at] : nil }
}
