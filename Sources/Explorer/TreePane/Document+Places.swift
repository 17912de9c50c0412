import Documents
import Glibc

/// From places in the text to values.
extension Document {
    /// The byte at a line and a column; nil when there is no such line.
    ///
    /// Columns count characters; beyond the line's end it is its last byte.
    func offset(of position: TextPosition) -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var at = 0
            for _ in 1..<max(1, position.line) {
                guard let feed = memchr(base + at, 0x0A, bytes.count - at) else { return nil }
                at = UnsafeRawPointer(feed) - base + 1
            }
            var column = 1
            while column < position.column, at < bytes.count, bytes[at] != 0x0A {
                at += 1
                while at < bytes.count, bytes[at] & 0xC0 == 0x80 { at += 1 }
                column += 1
            }
            return at < bytes.count ? at : nil
        }
    }

    /// The last value that begins at a byte or before it; O(log n).
    func node(around offset: Int) -> NodeIndex? {
        var (low, high) = (0, nodeCount)
        while low < high {
            let middle = (low + high) / 2
            let node = NodeIndex(middle)
            let start = keyRange(of: node)?.lowerBound ?? valueStart(of: node)
            // The key's quote belongs to it.
            if start - 1 <= offset { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? NodeIndex(low - 1) : nil
    }
}
