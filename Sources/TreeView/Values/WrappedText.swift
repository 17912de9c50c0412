package import Documents
import Glibc
import Terminal

/// A long text wrapped to a number of columns, laid out only where it is shown.
///
/// Layout goes forward from the first byte of a row. To go backward, a line longer than a few kilobytes is laid
/// out in pieces, whose beginnings can be computed from that of the line:
///
/// ```
/// line    ├──────────────────────────────────────────┤\n
/// pieces  ├────────────────┼────────────────┼────────┤
/// rows    ├──┼──┼──┼──┼──┼─┼──┼──┼──┼──┼──┼─┼──┼──┼──┤
/// ```
package struct WrappedText: Sendable {
    /// The approximate length of a piece, in bytes.
    private static let pieceLength = 4096

    /// A row: its bytes, and where the next one begins.
    package struct Row: Equatable {
        /// The bytes that are shown, without a blank after the edge and without the line feed.
        package var bytes: Range<Int>
        /// Nil after the last row.
        package var next: Int?
        /// Whether a line feed ends it.
        package var endsLine = false
    }

    /// The beginning of a row.
    package struct Place: Equatable, Sendable {
        /// The first byte of the row.
        package var offset: Int
        /// The first byte of the line that contains the row.
        package var line: Int

        /// The beginning of a text.
        package static let start = Place(offset: 0, line: 0)
    }

    private enum Storage {
        /// Stored as UTF-8.
        case text(String)
        /// Lines of a body, which may be growing.
        case bytes(DocumentBytes)
    }

    private let storage: Storage
    /// The length in bytes.
    package let count: Int

    /// Wraps a text.
    package init(_ text: String) {
        var text = text
        text.makeContiguousUTF8()
        storage = .text(text)
        count = text.utf8.count
    }

    /// The lines of a body, of which CRLF may be the end.
    package init(_ bytes: DocumentBytes) {
        storage = .bytes(bytes)
        count = bytes.count
    }

    /// The text of a row.
    package func text(of row: Row) -> String {
        withBytes { bytes in
            String(decoding: UnsafeRawBufferPointer(rebasing: bytes[row.bytes]), as: UTF8.self)
        }
    }

    /// The row that begins at a place.
    package func row(at place: Place, columns: Int) -> Row {
        withBytes { row(at: place, columns: columns, in: $0) }
    }

    /// The beginning of the row that has a byte of the line where the row began that is given.
    package func place(containing place: Place, columns: Int) -> Place {
        withBytes { bytes in
            let end = min(place.offset, max(0, count - 1)) + 1
            guard place.line < end else { return Place(offset: place.line, line: place.line) }
            let piece = pieceStart(before: end, line: place.line, columns: columns, in: bytes)
            return lastRow(from: piece, before: end, place.line, columns, bytes)
        }
    }

    /// The beginning of the next row; nil after the last.
    package func place(after place: Place, columns: Int) -> Place? {
        withBytes { bytes in
            let row = row(at: place, columns: columns, in: bytes)
            guard let next = row.next else { return nil }
            return Place(offset: next, line: row.endsLine ? next : place.line)
        }
    }

    /// The beginning of the row before; nil before the first.
    package func place(before place: Place, columns: Int) -> Place? {
        guard place.offset > 0 else { return nil }
        return withBytes { bytes in
            var line = place.line
            // The last byte that belongs to the row before.
            var end = place.offset
            if place.offset == place.line {
                line = Self.lineStart(before: place.line - 1, in: bytes)
                end = place.line - 1
            }
            let piece = pieceStart(before: end, line: line, columns: columns, in: bytes)
            return lastRow(from: piece, before: place.offset, line, columns, bytes)
        }
    }

    /// The beginning of the last row.
    func lastPlace(columns: Int) -> Place {
        withBytes { bytes in
            let line = Self.lineStart(before: count, in: bytes)
            guard line < count else { return Place(offset: line, line: line) }
            let piece = pieceStart(before: count, line: line, columns: columns, in: bytes)
            return lastRow(from: piece, before: count, line, columns, bytes)
        }
    }

    // MARK: Parts

    private func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        switch storage {
        case .bytes(let bytes):
            return bytes.withUnsafeBytes {
                body(UnsafeRawBufferPointer(rebasing: $0.prefix(count)))
            }
        case .text(var text): return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
        }
    }

    private func row(at place: Place, columns: Int, in bytes: UnsafeRawBufferPointer) -> Row {
        let start = place.offset
        let limit = pieceEnd(after: start, line: place.line, columns: columns, in: bytes)
        let window = UnsafeRawBufferPointer(rebasing: bytes[start..<limit])
        let feed = Self.feed(in: window)
        var lineEnd = feed ?? window.count
        if case .bytes = storage, feed != nil, lineEnd > 0, window[lineEnd - 1] == 0x0D {
            lineEnd -= 1
        }
        let line = UnsafeRawBufferPointer(rebasing: window[..<lineEnd])
        var length = TextWidth.bytes(ofUTF8: line, fittingIn: max(1, columns))
        // A glyph wider than the pane is taken and cut, because layout would never pass it otherwise.
        if length == 0, !line.isEmpty {
            length = line.dropFirst().firstIndex { $0 & 0xC0 != 0x80 } ?? line.count
        }
        let taken = length < line.count ? Self.wordEnd(in: line, length: length) : length
        let end = start + taken
        let shown = start..<start + min(taken, length)
        if taken < line.count { return Row(bytes: shown, next: end) }
        if let feed { return Row(bytes: shown, next: start + feed + 1, endsLine: true) }
        return Row(bytes: shown, next: end < bytes.count ? end : nil)
    }

    private static func feed(in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        return memchr(base, 0x0A, bytes.count).map { UnsafeRawPointer($0) - base }
    }

    /// The length up to and with the last blank of a row, unless that leaves half of the row empty.
    private static func wordEnd(in line: UnsafeRawBufferPointer, length: Int) -> Int {
        // A blank after the edge belongs to the row, but is not shown.
        if line[length] == 0x20 { return length + 1 }
        let blank = line[length / 2..<length].lastIndex(of: 0x20)
        return blank.map { $0 + 1 } ?? length
    }

    private func lastRow(
        from piece: Int,
        before end: Int,
        _ line: Int,
        _ columns: Int,
        _ bytes: UnsafeRawBufferPointer
    ) -> Place {
        var place = Place(offset: piece, line: line)
        while let next = row(at: place, columns: columns, in: bytes).next, next < end {
            place.offset = next
        }
        return place
    }

    private func step(_ columns: Int) -> Int {
        let columns = max(1, columns)
        // A multiple of the columns, so that no row of plain letters ends early at the end of a piece.
        return max(columns, Self.pieceLength / columns * columns)
    }

    private func pieceEnd(
        after offset: Int,
        line: Int,
        columns: Int,
        in bytes: UnsafeRawBufferPointer
    ) -> Int {
        let step = step(columns)
        var end = line + ((offset - line) / step + 1) * step
        // Moved back to the beginning of a character, the end may not be after the offset.
        if Self.character(at: end, in: bytes) <= offset { end += step }
        return Self.character(at: end, in: bytes)
    }

    private func pieceStart(
        before offset: Int,
        line: Int,
        columns: Int,
        in bytes: UnsafeRawBufferPointer
    ) -> Int {
        let step = step(columns)
        var start = line + max(0, offset - line - 1) / step * step
        if Self.character(at: start, in: bytes) >= offset { start -= step }
        return max(line, Self.character(at: start, in: bytes))
    }

    /// The offset, moved back to the beginning of its character.
    private static func character(at offset: Int, in bytes: UnsafeRawBufferPointer) -> Int {
        var offset = min(max(0, offset), bytes.count)
        while offset > 0, offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset -= 1 }
        return offset
    }

    /// The beginning of the line that ends at an offset.
    private static func lineStart(before end: Int, in bytes: UnsafeRawBufferPointer) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        var end = end
        // Goes backward block by block, because `memchr` only searches forward.
        while end > 0 {
            let start = max(0, end - blockLength)
            var found: Int?
            var at = start
            while at < end, let feed = memchr(base + at, 0x0A, end - at) {
                at = UnsafeRawPointer(feed) - base + 1
                found = at
            }
            if let found { return found }
            end = start
        }
        return 0
    }

    private static let blockLength = 16 << 10
}
