/// Reads separated values: rows become objects if there is a header, else arrays.
///
/// Cells are strings, so that `007` and `1.10` stay as sent. Empty lines are skipped. A row
/// that is too short has fewer members; surplus cells go into the member `#surplus`.
enum CSVReader {
    static func read(_ out: inout JSONConversion, delimiter: UInt8?, hasHeader: Bool?) {
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

    private static func readHeader(
        _ scanner: inout CSVScanner,
        _ out: inout JSONConversion
    ) -> WrittenKeys {
        var keys = WrittenKeys()
        while let cell = scanner.next() {
            check(cell, &out)
            scanner.content(of: cell).withUnsafeBufferPointer { keys.append($0) }
            if cell.endsRow { break }
        }
        return keys
    }

    private static func readRow(_ scanner: inout CSVScanner, _ out: inout JSONConversion) {
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
        _ out: inout JSONConversion
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

    @inline(__always) private static func write(_ cell: CSVCell, _ out: inout JSONConversion) {
        if cell.isPlain { return out.writer.plainString(out.slice(cell.range)) }
        writeEscaped(cell, &out)
    }

    private static func writeEscaped(_ cell: CSVCell, _ out: inout JSONConversion) {
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
            // Of two quotes, the first is written and the second is left out.
            out.writer.content(out.slice(start..<at + 1))
            at = min(at + 2, cell.range.upperBound)
            start = at
        }
        out.writer.content(out.slice(start..<cell.range.upperBound))
        out.writer.content(out.slice(cell.surplus))
        out.writer.endString()
    }

    private static func check(_ cell: CSVCell, _ out: inout JSONConversion) {
        if cell.isOpen {
            out.fault(.openQuote, at: cell.range.lowerBound - 1)
        } else if !cell.surplus.isEmpty {
            out.fault(.textAfterQuote, at: cell.surplus.lowerBound)
        }
    }
}

/// How a text separates values, as given or as detected from its first rows.
struct CSVDialect: Equatable {
    /// The possible delimiters, in order of preference.
    private static let delimiters: [UInt8] = [0x2C, 0x3B, 0x09, 0x7C]
    /// How much of the text is examined, in bytes and in rows.
    private static let window = 64 << 10
    private static let rowLimit = 20

    let delimiter: UInt8
    let hasHeader: Bool

    init(_ text: DocumentBytes, from start: Int, delimiter: UInt8?, hasHeader: Bool?) {
        let delimiter = delimiter ?? Self.sniffDelimiter(text, from: start)
        self.delimiter = delimiter
        self.hasHeader = hasHeader ?? Self.sniffHeader(text, from: start, delimiter: delimiter)
    }

    /// The delimiter that splits every row into the same number of cells, preferring more cells; if none
    /// does, the most frequent one in the first row.
    private static func sniffDelimiter(_ text: DocumentBytes, from start: Int) -> UInt8 {
        let candidates = delimiters.map { counts(of: $0, in: text, from: start) }
        var best = 0
        var bestScore = 0
        for (index, rows) in candidates.enumerated() {
            guard let first = rows.first, first > 0 else { continue }
            let isEven = rows.allSatisfy { $0 == first }
            let score = isEven ? first + 1_000_000 : first
            if score > bestScore { (best, bestScore) = (index, score) }
        }
        return delimiters[best]
    }

    /// The number of delimiters in each of the first rows, outside quotes.
    private static func counts(
        of delimiter: UInt8,
        in text: DocumentBytes,
        from start: Int
    ) -> [Int] {
        var rows: [Int] = []
        var count = 0
        var isQuoted = false
        var isEmpty = true
        let end = min(text.count, start + window)
        for at in start..<max(start, end) {
            let byte = text.base[at]
            if byte == 0x22 { isQuoted.toggle() }
            let isLineEnd = !isQuoted && (byte == 0x0A || byte == 0x0D)
            if isLineEnd {
                if !isEmpty { rows.append(count) }
                if rows.count == rowLimit { return rows }
                (count, isEmpty) = (0, true)
            } else {
                isEmpty = false
                if !isQuoted && byte == delimiter { count += 1 }
            }
        }
        // The count of a row that the window cuts off would be too low.
        if !isEmpty && (end == text.count || rows.isEmpty) { rows.append(count) }
        return rows
    }

    /// Whether the first row consists of distinct, nonempty names that are not numbers, and more rows follow.
    private static func sniffHeader(
        _ text: DocumentBytes,
        from start: Int,
        delimiter: UInt8
    ) -> Bool {
        var scanner = CSVScanner(text, from: start, delimiter: delimiter)
        var names: Set<[UInt8]> = []
        while let cell = scanner.next() {
            let name = scanner.content(of: cell)
            guard !name.isEmpty, !isNumber(name), names.insert(name).inserted else { return false }
            if cell.endsRow { return scanner.skipBlankLines() }
        }
        return false
    }

    private static func isNumber(_ cell: [UInt8]) -> Bool {
        cell.contains { $0 >= 0x30 && $0 <= 0x39 }
            && cell.allSatisfy {
                (0x30...0x39).contains($0) || [0x2B, 0x2C, 0x2D, 0x2E].contains($0)
            }
    }
}

/// One cell, as a range of the text.
struct CSVCell {
    /// The bytes inside the quotes; doubled quotes are still doubled.
    let range: Range<Int>
    /// The bytes after the closing quote, normally none.
    let surplus: Range<Int>
    let isQuoted: Bool
    /// Whether the cell can be copied into a JSON string unchanged.
    let isPlain: Bool
    /// Whether the closing quote is missing.
    let isOpen: Bool
    let endsRow: Bool
}
