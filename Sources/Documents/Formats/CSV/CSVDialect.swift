/// How a text separates values: told, or found out from its first rows.
struct CSVDialect: Equatable {
    /// What may separate cells; the first wins among equals.
    private static let delimiters: [UInt8] = [0x2C, 0x3B, 0x09, 0x7C]
    /// How much is looked at.
    private static let window = 64 << 10
    private static let rowLimit = 20

    let delimiter: UInt8
    let hasHeader: Bool

    init(_ text: DocumentBytes, from start: Int, delimiter: UInt8?, hasHeader: Bool?) {
        let delimiter = delimiter ?? Self.sniffDelimiter(text, from: start)
        self.delimiter = delimiter
        self.hasHeader = hasHeader ?? Self.sniffHeader(text, from: start, delimiter: delimiter)
    }

    /// The one that divides every row into the same number of cells, the more the better; else the
    /// one that the first row has most of.
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

    /// How often it comes in each of the first rows, outside of quotes.
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
        // A row that the window cuts off would count too few.
        if !isEmpty && (end == text.count || rows.isEmpty) { rows.append(count) }
        return rows
    }

    /// Whether the first of several rows is all names: distinct, not empty, no numbers.
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
