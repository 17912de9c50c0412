import CScan
import Glibc

/// Finds the cells of separated values (RFC 4180), eight bytes at a time.
struct CSVScanner {
    private static let low: UInt64 = 0x0101_0101_0101_0101
    private static let high: UInt64 = 0x8080_8080_8080_8080

    private let text: UnsafePointer<UInt8>
    private let end: Int
    private let delimiter: UInt8
    /// Where the next cell begins.
    private(set) var at: Int
    /// Whether the text ended with a delimiter, so that one empty cell follows.
    private var hasLastCell = false

    // The text must live as long as the scanner.
    init(_ text: DocumentBytes, from start: Int, delimiter: UInt8) {
        self.text = text.base
        end = text.count
        at = start
        self.delimiter = delimiter
    }

    /// Skips empty lines; false at the end of the text.
    @inline(__always) mutating func skipBlankLines() -> Bool {
        while at < end, text[at] == 0x0A || text[at] == 0x0D { at &+= 1 }
        return at < end
    }

    /// The next cell; nil at the end of the text.
    @inline(__always) mutating func next() -> CSVCell? {
        guard at < end else {
            guard hasLastCell else { return nil }
            hasLastCell = false
            return cell(end..<end, isPlain: true, endsRow: true)
        }
        if text[at] == 0x22 { return quotedCell() }
        let start = at
        let (stop, isPlain) = plainEnd(from: start)
        return cell(start..<stop, isPlain: isPlain, endsRow: goPast(stop))
    }

    /// The bytes of a cell, with doubled quotes made single.
    func content(of cell: CSVCell) -> [UInt8] {
        var bytes: [UInt8] = []
        var isDoubled = false
        for index in cell.range {
            let byte = text[index]
            isDoubled = cell.isQuoted && byte == 0x22 && !isDoubled
            if !isDoubled { bytes.append(byte) }
        }
        return bytes + cell.surplus.map { text[$0] }
    }

    /// Skips the delimiter or line end at `stop`; true if the row ends there.
    @inline(__always) private mutating func goPast(_ stop: Int) -> Bool {
        guard stop < end else {
            at = end
            return true
        }
        at = stop &+ 1
        if text[stop] == delimiter {
            hasLastCell = at == end
            return false
        }
        if text[stop] == 0x0D && at < end && text[at] == 0x0A { at &+= 1 }
        return true
    }

    /// The next delimiter or line end, and whether no byte before it needs an escape.
    @inline(__always) private func plainEnd(from start: Int) -> (stop: Int, isPlain: Bool) {
        var at = start
        var isPlain = true
        let pattern = Self.low &* UInt64(delimiter)
        // The last load may read into the padding after the text.
        while at < end {
            let word = cscan_load_u64(text + at)
            let found =
                Self.zeros(word ^ pattern) | Self.zeros(word ^ Self.low &* 0x0A)
                | Self.zeros(word ^ Self.low &* 0x0D)
            let special = cscan_special8(word)
            if found != 0 {
                // Only the lowest mark of each mask is exact, and no other is used.
                let stop = at &+ found.trailingZeroBitCount &>> 3
                if special.trailingZeroBitCount < found.trailingZeroBitCount { isPlain = false }
                return (min(stop, end), isPlain)
            }
            if special != 0 && at &+ special.trailingZeroBitCount &>> 3 < end { isPlain = false }
            at &+= 8
        }
        return (end, isPlain)
    }

    @inline(__always) private static func zeros(_ word: UInt64) -> UInt64 {
        (word &- low) & ~word & high
    }

    private mutating func quotedCell() -> CSVCell {
        let start = at + 1
        var quote = start
        var isOpen = false
        while true {
            guard quote < end, let found = memchr(text + quote, 0x22, end - quote) else {
                (quote, isOpen) = (end, true)
                break
            }
            quote = UnsafeRawPointer(found) - UnsafeRawPointer(text)
            guard quote + 1 < end, text[quote + 1] == 0x22 else { break }
            quote += 2
        }
        let after = min(quote + 1, end)
        let stop = plainEnd(from: after).stop
        let endsRow = goPast(stop)
        return CSVCell(
            range: start..<max(start, quote),
            surplus: after..<max(after, stop),
            isQuoted: true,
            isPlain: false,
            isOpen: isOpen,
            endsRow: endsRow
        )
    }

    @inline(__always) private func cell(
        _ range: Range<Int>,
        isPlain: Bool,
        endsRow: Bool
    ) -> CSVCell {
        CSVCell(
            range: range,
            surplus: range.upperBound..<range.upperBound,
            isQuoted: false,
            isPlain: isPlain,
            isOpen: false,
            endsRow: endsRow
        )
    }
}
