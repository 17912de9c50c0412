internal import CScan
import Synchronization

extension TextDocument {
    /// The line in which a byte lies, from 0, its end included; nil when it was not found yet.
    package func row(at offset: Int) -> Int? {
        guard offset >= 0 && offset < bytes.count else { return nil }
        let mark = index.withLock { index in
            offset < index.scanned ? index.mark(beforeByte: offset) : nil
        }
        guard let mark else { return nil }
        var missing = Int.max
        _ = cscan_skip_lines(bytes.base, mark.offset, offset, &missing)
        return mark.line + (Int.max - missing)
    }
}

extension LineIndex {
    /// The last mark at or before a byte.
    func mark(beforeByte offset: Int) -> Mark {
        var low = 0
        var high = marks.count
        while low + 1 < high {
            let middle = (low + high) / 2
            if marks[middle].offset <= offset { low = middle } else { high = middle }
        }
        return marks[low]
    }
}
