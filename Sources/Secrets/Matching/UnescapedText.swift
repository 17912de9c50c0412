import Documents

/// A text with its escapes decoded, which knows where in the text each byte came from.
///
/// Nothing here recurses, and each byte is added and removed at most once, so that the time is linear in the
/// length of any text.
struct UnescapedText {
    /// The range in the text of an escape or of an unescaped byte.
    private struct Place: Equatable {
        var start: Int
        var end: Int
    }

    /// Consecutive bytes whose places follow from that of the first.
    ///
    /// A place for each byte would take 16 times the memory of the text. Unescaped text, or escapes of equal
    /// length, are one run.
    private struct Run {
        /// The index of its first byte.
        let first: Int
        /// The place of its first byte.
        let source: Place
        /// Whether all its bytes come from one escape; otherwise each has an escape or a byte of its own.
        var isOneEscape = false

        func place(at index: Int) -> Place {
            guard !isOneEscape else { return source }
            let offset = (index - first) * (source.end - source.start)
            return Place(start: source.start + offset, end: source.end + offset)
        }
    }

    private(set) var bytes: [UInt8] = []
    /// In order; the first begins at 0.
    private var runs: [Run] = []

    /// The number of runs, which is the memory needed in addition to the bytes.
    var runCount: Int { runs.count }

    /// Creates a text in which no escape is decoded yet.
    init(_ text: some Sequence<UInt8>) {
        bytes = Array(text)
        runs = [Run(first: 0, source: Place(start: 0, end: 1))]
    }

    private init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// The range of the text that a range of the bytes stands for, which must not be empty.
    func source(of range: Range<Int>) -> Range<Int> {
        let last = range.upperBound - 1
        return run(at: range.lowerBound).place(at: range.lowerBound)
            .start..<run(at: last).place(at: last).end
    }

    private mutating func append(_ byte: UInt8, _ place: Place) {
        let index = bytes.count
        bytes.append(byte)
        guard let last = runs.last else {
            runs.append(Run(first: index, source: place))
            return
        }
        guard last.place(at: index) != place else { return }
        guard last.place(at: index - 1) == place else {
            runs.append(Run(first: index, source: place))
            return
        }
        // A second byte of the same escape; the first one looked like a run of its own.
        let first = last.first == index - 1 ? runs.removeLast().first : index
        runs.append(Run(first: first, source: place, isOneEscape: true))
    }

    private mutating func removeLast(_ count: Int) {
        bytes.removeLast(count)
        while let last = runs.last, last.first >= bytes.count { runs.removeLast() }
    }

    private func run(at index: Int) -> Run {
        // The last run that begins at or before the byte.
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].first <= index { low = middle + 1 } else { high = middle }
        }
        return runs[low - 1]
    }

    /// Finds the places of bytes that are asked for in ascending order.
    private struct Places {
        private let runs: [Run]
        private var current = 0

        init(_ runs: [Run]) { self.runs = runs }

        mutating func place(at index: Int) -> Place {
            while current + 1 < runs.count, runs[current + 1].first <= index { current += 1 }
            return runs[current].place(at: index)
        }
    }

    // MARK: one kind of escapes

    /// Decodes percent-encoding (RFC 3986, 2.1) once.
    func percentDecoded() -> UnescapedText { decoded(percentEscape) }

    /// Decodes the escapes of JSON strings (RFC 8259, section 7) once.
    func jsonDecoded() -> UnescapedText { decoded(jsonEscape) }

    private func decoded(_ escapeAt: (Int) -> Escape?) -> UnescapedText {
        var result = UnescapedText(capacity: bytes.count)
        var places = Places(runs)
        var index = 0
        while index < bytes.count {
            var place = places.place(at: index)
            if let escape = escapeAt(index) {
                index += escape.length
                place.end = places.place(at: index - 1).end
                for byte in escape.bytes { result.append(byte, place) }
            } else {
                result.append(bytes[index], place)
                index += 1
            }
        }
        return result
    }

    /// What an escape stands for, and how many bytes it has.
    private typealias Escape = (bytes: [UInt8], length: Int)

    private func percentEscape(at index: Int) -> Escape? {
        guard index >= 0, bytes[index] == UInt8(ascii: "%"), let value = hex(2, at: index + 1)
        else {
            return nil
        }
        return (Self.single[Int(value)], 3)
    }

    /// Each byte as an array: to make one for each escape of a text would take most of the time.
    private static let single = (0...UInt8.max).map { [$0] }

    private func jsonEscape(at index: Int) -> Escape? {
        guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else { return nil }
        let letter = bytes[index + 1]
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            return (Self.single[Int(letter)], 2)
        case UInt8(ascii: "n"): return (Self.single[0x0A], 2)
        case UInt8(ascii: "t"): return (Self.single[0x09], 2)
        case UInt8(ascii: "r"): return (Self.single[0x0D], 2)
        case UInt8(ascii: "b"): return (Self.single[0x08], 2)
        case UInt8(ascii: "f"): return (Self.single[0x0C], 2)
        default: return unicodeEscape(at: index)
        }
    }

    /// `\u00e9`, or two of them that are surrogates.
    private func unicodeEscape(at index: Int) -> Escape? {
        guard let unit = codeUnit(at: index) else { return nil }
        if let scalar = Unicode.Scalar(unit) { return (Array(String(scalar).utf8), 6) }
        guard let low = codeUnit(at: index + 6), let scalar = Self.scalar(unit, low) else {
            return nil
        }
        return (Array(String(scalar).utf8), 12)
    }

    // MARK: all kinds at once

    /// Decodes all escapes until none is left, for texts that mix them.
    ///
    /// Any characters of a text may be escaped, in any of these ways and several times; the normal form stays
    /// that of the text without escapes. No escape overlaps another, so the order of decoding does not
    /// matter. To achieve this, backslashes are dropped, a control character becomes the letter of its JSON
    /// escape (what `\\n` means depends on where one starts to read), and `+` becomes a space.
    func normalized() -> UnescapedText {
        var read = UnescapedText(capacity: bytes.count)
        var places = Places(runs)
        for index in bytes.indices { read.push(bytes[index], places.place(at: index)) }
        var result = UnescapedText(capacity: read.bytes.count)
        places = Places(read.runs)
        for (index, byte) in read.bytes.enumerated() where byte != UInt8(ascii: "\\") {
            result.append(Self.normalForm(of: byte), places.place(at: index))
        }
        return result
    }

    private static func normalForm(of byte: UInt8) -> UInt8 {
        switch byte {
        case 0x0A: UInt8(ascii: "n")
        case 0x09: UInt8(ascii: "t")
        case 0x0D: UInt8(ascii: "r")
        case 0x08: UInt8(ascii: "b")
        case 0x0C: UInt8(ascii: "f")
        case UInt8(ascii: "+"): UInt8(ascii: " ")
        default: byte
        }
    }

    /// Adds a byte.
    ///
    /// One that completes an escape is replaced by the decoded byte, which may complete another one.
    private mutating func push(_ byte: UInt8, _ place: Place) {
        var (byte, place) = (byte, place)
        while true {
            // Backslashes double with each level of JSON, so their number means nothing.
            if byte == UInt8(ascii: "\\"), bytes.last == byte { return }
            append(byte, place)
            guard HexDigit.value(byte) != nil, let escape = escapeAtEnd() else { return }
            place.start = startOfLast(escape.length)
            removeLast(escape.length)
            guard escape.bytes.count == 1, let only = escape.bytes.first else {
                for byte in escape.bytes { append(byte, place) }
                return
            }
            byte = only
        }
    }

    /// Where the last bytes begin in the text.
    private func startOfLast(_ count: Int) -> Int {
        let index = bytes.count - count
        // Few runs begin within so few bytes.
        let run = runs.last { $0.first <= index }
        return run.map { $0.place(at: index).start } ?? 0
    }

    private func escapeAtEnd() -> Escape? {
        percentEscape(at: bytes.count - 3) ?? unicodeEscape(at: bytes.count - 6)
            ?? unicodeEscape(at: bytes.count - 12)
    }

    // MARK: parts of escapes

    /// The value of `\u00e9`.
    private func codeUnit(at index: Int) -> UInt32? {
        guard index >= 0, index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"),
            bytes[index + 1] == UInt8(ascii: "u")
        else { return nil }
        return hex(4, at: index + 2)
    }

    /// The scalar that two surrogates stand for.
    private static func scalar(_ high: UInt32, _ low: UInt32) -> Unicode.Scalar? {
        guard (0xD800..<0xDC00).contains(high), (0xDC00..<0xE000).contains(low) else { return nil }
        return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    }

    private func hex(_ digits: Int, at index: Int) -> UInt32? {
        guard index + digits <= bytes.count else { return nil }
        var value: UInt32 = 0
        for byte in bytes[index..<index + digits] {
            guard let digit = HexDigit.value(byte) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
