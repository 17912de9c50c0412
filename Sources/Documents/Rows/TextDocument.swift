import CScan
import Synchronization

/// Bytes as lines, found chunk by chunk; any thread may read the lines found so far.
///
/// Lines end with LF or CRLF. A line is a range of bytes and may be as long as the text; only the requested
/// part of it becomes text.
package final class TextDocument: Sendable {
    static let firstChunk = 64 << 10
    static let chunk = 4 << 20

    /// The bytes of the text, which need not be valid UTF-8.
    package let bytes: DocumentBytes
    let index = Mutex(LineIndex())
    private let isScanning = Atomic(false)

    /// Creates a document and finds the lines of the first 64 KiB.
    package init(_ bytes: DocumentBytes) {
        self.bytes = bytes
        scan(length: Self.firstChunk)
    }

    // MARK: - Finding lines

    /// Whether all lines have been found.
    package var isFinished: Bool { bytes.isComplete && isScanned }

    /// Whether the lines of all bytes available so far have been found.
    private var isScanned: Bool { index.withLock { $0.scanned } == bytes.count }

    /// How many bytes have been searched for lines.
    package var progress: ParseProgress {
        let scanned = index.withLock { $0.scanned }
        return ParseProgress(parsedBytes: scanned, totalBytes: bytes.loadProgress.totalBytes)
    }

    /// Finds the remaining lines off the calling actor; if it is cancelled, a later call continues.
    ///
    /// Reads streaming bytes to their end.
    @concurrent package func finish(
        onProgress: (@Sendable (ParseProgress) -> Void)? = nil
    ) async {
        while !Task.isCancelled, !isFinished {
            if scan(length: Self.chunk) {
                onProgress?(progress)
                await Task.yield()
            } else if isScanned {
                _ = await bytes.loadMore(Self.chunk)
            } else {
                // Another thread is searching.
                break
            }
        }
        if isFinished { onProgress?(progress) }
    }

    /// Searches more bytes; false if there is nothing to do or another thread is searching.
    @discardableResult func scan(length: Int) -> Bool {
        guard !isScanning.exchange(true, ordering: .acquiring) else { return false }
        defer { isScanning.store(false, ordering: .releasing) }
        var (line, offset, last) = index.withLock {
            ($0.feeds, $0.scanned, $0.marks.last?.offset ?? 0)
        }
        let count = bytes.count
        guard offset < count else { return false }
        let end = min(offset + length, count)
        var found: [LineIndex.Mark] = []
        while offset < end {
            // To the next mark, which is some lines ahead or at the first line that begins far enough away.
            var missing = LineIndex.linesPerMark - line % LineIndex.linesPerMark
            let before = missing
            let limit = min(end, max(offset, last + LineIndex.bytesPerMark))
            offset = cscan_skip_lines(bytes.base, offset, limit, &missing)
            line += before - missing
            if missing > 0 && offset < end {
                var one = 1
                offset = cscan_skip_lines(bytes.base, offset, end, &one)
                line += 1 - one
                missing = one
            }
            guard missing == 0 else { break }
            found.append(LineIndex.Mark(line: line, offset: offset))
            last = offset
        }
        index.withLock { index in
            index.append(found)
            index.feeds = line
            index.scanned = end
        }
        return true
    }

    // MARK: - Rows

    /// The number of lines found so far, including an unfinished one at the end.
    package var rowCount: Int {
        let (feeds, scanned) = index.withLock { ($0.feeds, $0.scanned) }
        // A final line feed does not begin another line.
        return scanned > 0 && bytes.base[scanned - 1] != 0x0A ? feeds + 1 : feeds
    }

    /// The bytes of a line, counted from 0, without its end; nil if the line has not been found yet.
    package func range(ofRow row: Int) -> Range<Int>? {
        guard row >= 0 && row < rowCount else { return nil }
        let (mark, next) = index.withLock { ($0.mark(before: row), $0.markedStart(of: row + 1)) }
        var missing = row - mark.line
        let start = cscan_skip_lines(bytes.base, mark.offset, bytes.count, &missing)
        var end = next ?? lineEnd(from: start)
        if end > start && bytes.base[end - 1] == 0x0A { end -= 1 }
        if end > start && bytes.base[end - 1] == 0x0D { end -= 1 }
        return start..<end
    }

    /// The offset after the line feed of the line that begins at `start`, or the end of the searched bytes.
    private func lineEnd(from start: Int) -> Int {
        let scanned = index.withLock { $0.scanned }
        // A long unfinished line has no line feed in the searched bytes after its start, and a short line
        // ends within a mark's distance.
        let near = min(scanned, start + LineIndex.bytesPerMark)
        var one = 1
        let end = cscan_skip_lines(bytes.base, start, near, &one)
        return one == 0 ? end : scanned
    }

    /// The line that contains a byte, from 0, or ends with it; nil if the byte has not been indexed yet.
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

    /// The part of a line from byte `textOffset` on, at most `textLimit` bytes; nil if there is no such line.
    package func row(at row: Int, textLimit: Int, textOffset: Int = 0) -> TextRow? {
        guard let range = range(ofRow: row) else { return nil }
        let start = bytes.characterStart(from: range.lowerBound + max(0, textOffset), in: range)
        let (text, isCut) = bytes.cutText(start..<range.upperBound, limit: textLimit)
        return TextRow(number: row + 1, range: range, text: text, isCut: isCut)
    }
}

/// One line of a text, as shown in a pane.
package struct TextRow: Sendable, Equatable {
    /// The line's number, from 1.
    package let number: Int
    /// The line's bytes without its end.
    package let range: Range<Int>
    /// The shown text, with U+FFFD for invalid UTF-8.
    package let text: String
    /// Whether the line continues after the text.
    package let isCut: Bool

    /// Makes a row.
    package init(number: Int, range: Range<Int>, text: String, isCut: Bool) {
        (self.number, self.range, self.text, self.isCut) = (number, range, text, isCut)
    }
}

/// The starts of some lines, from which any line can be found by a short scan.
///
/// There is a mark at the first line after every 64 lines or 64 KiB. A million short lines take 250 KB, and
/// no line begins more than 64 KiB after a mark, however long the lines are.
struct LineIndex: Sendable {
    static let linesPerMark = 64
    static let bytesPerMark = 64 << 10

    struct Mark: Sendable {
        let line: Int
        let offset: Int
    }

    private(set) var marks = [Mark(line: 0, offset: 0)]
    /// The line feeds before `scanned`.
    var feeds = 0
    /// The number of bytes searched.
    var scanned = 0

    mutating func append(_ found: [Mark]) {
        marks.append(contentsOf: found)
    }

    /// The last mark at or before a line.
    func mark(before line: Int) -> Mark {
        marks[(1..<marks.count).partitionPoint { marks[$0].line <= line } - 1]
    }

    /// The last mark at or before a byte.
    func mark(beforeByte offset: Int) -> Mark {
        marks[(1..<marks.count).partitionPoint { marks[$0].offset <= offset } - 1]
    }

    /// Where a line begins, if it has a mark; else nil.
    func markedStart(of line: Int) -> Int? {
        let mark = mark(before: line)
        return mark.line == line ? mark.offset : nil
    }
}
