/// Reads separated values: rows as objects when there is a header, else as arrays.
///
/// Cells are strings, because `007` and `1.10` are what was sent. Empty lines are no rows. A row
/// that is too short has fewer members; what is too much is the member `#surplus`.
enum CSVReader {
    static func read(_ out: inout Transcription, delimiter: UInt8?, hasHeader: Bool?) {
        let start = out.start
        let dialect = CSVDialect(
            out.text,
            from: start,
            delimiter: delimiter,
            hasHeader: hasHeader
        )
        var scanner = CSVScanner(out.text, from: start, delimiter: dialect.delimiter)
        out.writer.beginArray()
        var header = WrittenKeys()
        if dialect.hasHeader && scanner.skipBlankLines() {
            header = readHeader(&scanner, &out)
        }
        while scanner.skipBlankLines() {
            if out.shouldStop(at: scanner.at) { return }
            out.mark(scanner.at)
            if header.count == 0 {
                readRow(&scanner, &out)
            } else {
                readRow(&scanner, header, &out)
            }
        }
        out.writer.endArray()
    }

    /// The keys with quotes and colon, escaped once for all rows.
    private static func readHeader(
        _ scanner: inout CSVScanner,
        _ out: inout Transcription
    ) -> WrittenKeys {
        var keys = WrittenKeys()
        while let cell = scanner.next() {
            check(cell, &out)
            scanner.content(of: cell).withUnsafeBufferPointer { keys.append($0) }
            if cell.endsRow { break }
        }
        return keys
    }

    private static func readRow(_ scanner: inout CSVScanner, _ out: inout Transcription) {
        out.writer.beginArray()
        while let cell = scanner.next() {
            write(cell, &out)
            if cell.endsRow { break }
        }
        out.writer.endArray()
    }

    private static func readRow(
        _ scanner: inout CSVScanner,
        _ header: borrowing WrittenKeys,
        _ out: inout Transcription
    ) {
        out.writer.beginObject()
        var column = 0
        while let cell = scanner.next() {
            if column < header.count {
                header.write(column, &out.writer)
            } else if column == header.count {
                out.writer.key("#surplus")
                out.writer.beginArray()
            }
            write(cell, &out)
            column += 1
            if cell.endsRow { break }
        }
        if column > header.count { out.writer.endArray() }
        out.writer.endObject()
    }

    @inline(__always) private static func write(_ cell: CSVCell, _ out: inout Transcription) {
        if cell.isPlain { return out.writer.plainString(out.slice(cell.range)) }
        writeEscaped(cell, &out)
    }

    private static func writeEscaped(_ cell: CSVCell, _ out: inout Transcription) {
        check(cell, &out)
        guard cell.isQuoted else { return out.writer.string(out.slice(cell.range)) }
        out.writer.beginString()
        var start = cell.range.lowerBound
        var at = start
        while at < cell.range.upperBound {
            guard out.text.base[at] == 0x22 else {
                at += 1
                continue
            }
            // The first of two quotes is written, the second left out.
            out.writer.content(out.slice(start..<at + 1))
            at = min(at + 2, cell.range.upperBound)
            start = at
        }
        out.writer.content(out.slice(start..<cell.range.upperBound))
        out.writer.content(out.slice(cell.surplus))
        out.writer.endString()
    }

    private static func check(_ cell: CSVCell, _ out: inout Transcription) {
        if cell.isOpen {
            out.fault(.openQuote, at: cell.range.lowerBound - 1)
        } else if !cell.surplus.isEmpty {
            out.fault(.textAfterQuote, at: cell.surplus.lowerBound)
        }
    }
}
