import CScan
import Synchronization

/// Bytes as lines, found chunk by chunk; any thread may read what was found so far.
///
/// Lines end with a line feed, alone or behind a carriage return. A line is a range of bytes and
/// may be as long as the text: rows make text only of the part that is asked for.
package final class TextDocument: Sendable {
    static let firstChunk = 64 << 10
    static let chunk = 4 << 20

    /// The text.
    package let bytes: DocumentBytes
    let index = Mutex(LineIndex())
    private let isScanning = Atomic(false)

    /// Finds the lines of the first 64 KiB.
    package init(_ bytes: DocumentBytes) {
        self.bytes = bytes
        scan(length: Self.firstChunk)
    }

    // MARK: - Finding lines

    /// Whether all lines were found.
    package var isFinished: Bool { bytes.isComplete && isScanned }

    /// Whether the lines of what is there were found.
    private var isScanned: Bool { index.withLock { $0.scanned } == bytes.count }

    /// How far the search for lines is.
    package var progress: ParseProgress {
        let scanned = index.withLock { $0.scanned }
        return ParseProgress(parsedBytes: scanned, totalBytes: bytes.loadProgress.totalBytes)
    }

    /// Finds the other lines, off the calling actor; cancellable, and a later call goes on.
    ///
    /// Bytes that stream are read to their end.
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
                // Somebody else does it.
                break
            }
        }
        if isFinished { onProgress?(progress) }
    }

    /// Looks at more bytes; false when there is nothing to do, or somebody else does it.
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
            // To the next mark: so many lines on, or the first line that begins far enough away.
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

    /// The lines found so far; an unfinished one at the end counts.
    package var rowCount: Int {
        let (feeds, scanned) = index.withLock { ($0.feeds, $0.scanned) }
        // Behind a final line feed there is no further line.
        return scanned > 0 && bytes.base[scanned - 1] != 0x0A ? feeds + 1 : feeds
    }

    /// The bytes of a line, from 0, without its end; nil when it was not found yet.
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

    /// Behind the line feed of the line that begins at `start`, or where the search stands.
    private func lineEnd(from start: Int) -> Int {
        let scanned = index.withLock { $0.scanned }
        // A long line that is not over yet has no feed in what was looked at since its start,
        // and a short one is over within a mark's distance.
        let near = min(scanned, start + LineIndex.bytesPerMark)
        var one = 1
        let end = cscan_skip_lines(bytes.base, start, near, &one)
        return one == 0 ? end : scanned
    }

    /// The part of a line that begins at byte `textOffset` of it, at most `textLimit` bytes.
    package func row(at row: Int, textLimit: Int, textOffset: Int = 0) -> TextRow? {
        guard let range = range(ofRow: row) else { return nil }
        let start = bytes.characterStart(from: range.lowerBound + max(0, textOffset), in: range)
        let (text, isCut) = bytes.cutText(start..<range.upperBound, limit: textLimit)
        return TextRow(number: row + 1, range: range, text: text, isCut: isCut)
    }
}

/// One line of a text as a pane shows it.
package struct TextRow: Sendable, Equatable {
    /// The line's number, from 1.
    package let number: Int
    /// The line's bytes without its end.
    package let range: Range<Int>
    /// What is shown of it; what is not UTF-8 is U+FFFD.
    package let text: String
    /// Whether the line goes on behind the text.
    package let isCut: Bool
}

/// Where some lines begin: one of every few, so that a line is found by a short scan.
///
/// A mark is set at the first line after every 64 lines or 64 KiB: a million short lines cost
/// 250 KB, and no line is more than 64 KiB away from a mark, however long the lines are.
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
    /// The bytes that were looked at.
    var scanned = 0

    mutating func append(_ found: [Mark]) {
        marks.append(contentsOf: found)
    }

    /// The last mark at or before a line.
    func mark(before line: Int) -> Mark {
        var low = 0
        var high = marks.count
        while low + 1 < high {
            let middle = (low + high) / 2
            if marks[middle].line <= line { low = middle } else { high = middle }
        }
        return marks[low]
    }

    /// Where a line begins, when a mark says so.
    func markedStart(of line: Int) -> Int? {
        let mark = mark(before: line)
        return mark.line == line ? mark.offset : nil
    }
}
