/// The bytes of a secret in one of its forms.
struct SecretPattern: Sendable {
    /// How many bytes tell that a text may have it, or a part of it that is worth masking.
    static let sampleSize = 4

    var bytes: [UInt8]
    /// Whether it is masked only where it is a word of its own.
    var isWord = false
    var isBase64 = false

    /// Finds it in a text, by Knuth, Morris and Pratt: each byte of the text is compared twice at most
    /// on average, also for `aaaab` in `aaaaaaaa`.
    ///
    /// It begins at `start` or later; the result is how many bytes of it the text ends with.
    func find(
        in text: UnsafeBufferPointer<UInt8>,
        from start: Int,
        _ found: (Range<Int>) -> Void
    ) -> Int {
        // More of it than the text has can only be cut.
        let length = min(bytes.count, text.count)
        let borders = borders(length)
        var matched = 0
        for position in start..<text.count {
            while matched > 0, text[position] != bytes[matched] { matched = borders[matched - 1] }
            if text[position] == bytes[matched] { matched += 1 }
            guard matched == length else { continue }
            guard length == bytes.count else { break }
            found(position + 1 - length..<position + 1)
            matched = borders[length - 1]
        }
        return matched
    }

    /// For each beginning of it, how many of its first bytes that ends with.
    private func borders(_ length: Int) -> [Int] {
        var borders = [Int](repeating: 0, count: length)
        var border = 0
        for index in borders.indices.dropFirst() {
            while border > 0, bytes[index] != bytes[border] { border = borders[border - 1] }
            if bytes[index] == bytes[border] { border += 1 }
            borders[index] = border
        }
        return borders
    }
}

/// What is looked for in a text.
struct SecretPatterns: Sendable {
    private var patterns: [SecretPattern] = []
    private var known: Set<[UInt8]> = []
    /// Those that begin with a byte; empty without patterns.
    private var byFirstByte: [[Int]] = []

    var isEmpty: Bool { patterns.isEmpty }

    /// Adds one, if its bytes are new.
    mutating func add(_ pattern: SecretPattern) {
        guard let first = pattern.bytes.first, known.insert(pattern.bytes).inserted else { return }
        if byFirstByte.isEmpty { byFirstByte = Array(repeating: [], count: 256) }
        byFirstByte[Int(first)].append(patterns.count)
        patterns.append(pattern)
    }

    /// Finds the secrets of a text that was decoded from `source`, in which `place` says where bytes of
    /// it stand; if it may be cut, a secret's beginning at its end counts too.
    func find(
        in text: UnsafeBufferPointer<UInt8>,
        of source: UnsafeBufferPointer<UInt8>,
        _ isCut: Bool,
        _ place: (Range<Int>) -> Range<Int>,
        _ ranges: inout [Range<Int>]
    ) {
        for (index, start) in beginnings(in: text, isCut) {
            let pattern = patterns[index]
            let first = ranges.count
            let left = pattern.find(in: text, from: start) { range in
                var range = place(range)
                if pattern.isWord, !Self.isWord(range, in: source) { return }
                if pattern.isBase64 {
                    let rest = source[range.upperBound...].prefix { $0 == UInt8(ascii: "=") }
                    range = range.lowerBound..<rest.endIndex
                }
                if ranges.count > first, let last = ranges.last, range.lowerBound < last.upperBound
                {
                    ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
                } else {
                    ranges.append(range)
                }
            }
            guard isCut, !pattern.isWord, left >= SecretPattern.sampleSize else { continue }
            let cut = place(text.count - left..<text.count)
            ranges.append(cut.lowerBound..<source.count)
        }
    }

    /// The patterns that may be in a text, and where they begin first.
    private func beginnings(
        in text: UnsafeBufferPointer<UInt8>,
        _ isCut: Bool
    ) -> [(index: Int, start: Int)] {
        var beginnings: [(index: Int, start: Int)] = []
        guard !isEmpty else { return [] }
        var isFound: [Bool] = []
        for position in text.indices {
            for index in byFirstByte[Int(text[position])] {
                if !isFound.isEmpty, isFound[index] { continue }
                let bytes = patterns[index].bytes
                let sample = bytes.prefix(SecretPattern.sampleSize)
                guard isCut || bytes.count <= text.count - position,
                    text[position...].starts(with: sample)
                else { continue }
                if isFound.isEmpty { isFound = Array(repeating: false, count: patterns.count) }
                isFound[index] = true
                beginnings.append((index, position))
            }
        }
        return beginnings
    }

    private static func isWord(_ range: Range<Int>, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        let before = range.lowerBound > 0 ? text[range.lowerBound - 1] : 0x20
        let after = range.upperBound < text.count ? text[range.upperBound] : 0x20
        return !isLetterOrDigit(before) && !isLetterOrDigit(after)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        byte >= 0x80 || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
    }
}
