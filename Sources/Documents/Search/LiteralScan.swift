internal import CScan
import Glibc

/// Finds a needle in one slice of a text.
///
/// Vector code finds backslashes and the offsets where the needle may begin. There the needle is compared
/// as bytes. Every escape is decoded, and if it is a character of the needle, the needle is compared
/// around it. So hardly any text is decoded outside of hits, and no byte of an escape is mistaken for text.
struct LiteralScan {
    private let needle: Needle
    private let text: UnsafePointer<UInt8>
    private let limit: Int
    private let decodes: Bool
    private let slice: Range<Int>
    private var escapeEnd: Int
    private var hasEscapedHits = false
    private(set) var found: [PackedHit] = []

    init(
        _ needle: Needle,
        in slice: Range<Int>,
        of text: UnsafePointer<UInt8>,
        limit: Int,
        decodes: Bool,
        escapeEnd: Int
    ) {
        self.needle = needle
        self.slice = slice
        self.text = text
        self.limit = limit
        self.decodes = decodes
        self.escapeEnd = escapeEnd
    }

    /// How many bytes hits can reach beyond a slice.
    static func reach(of needle: Needle, decodes: Bool) -> Int {
        // A character of the needle takes at most two escapes.
        (decodes ? 12 * (needle.characters.count + 1) : 4 * needle.bytes.count) + 64
    }

    /// Finds all hits that begin in the slice, including overlapping ones, in order.
    ///
    /// Returns the end of the last escape that begins in it.
    mutating func run() -> Int {
        var anchor = needle.anchor
        // If the needle has a backslash, every hit has an escape.
        if decodes && needle.hasBackslash { anchor.pair_count = 0 }
        let readable = limit - Int(max(anchor.first_offset, anchor.second_offset))
        let tail = look(from: slice.lowerBound, to: slice.upperBound, until: readable, &anchor)
        let lastEscape: Int
        if decodes {
            anchor.pair_count = 0
            _ = look(from: tail, to: slice.upperBound, until: Int.max, &anchor)
            lastEscape = escapeEnd
            let back = 4 * max(0, needle.characters.count - 1)
            let end = min(limit, slice.upperBound + back)
            _ = look(from: slice.upperBound, to: end, until: Int.max, &anchor)
        } else {
            lastEscape = 0
        }
        // A hit around an escape may begin before one that was found earlier.
        if hasEscapedHits { found.sort() }
        return lastEscape
    }

    /// Examines blocks up to `end` that begin at or before `readable`; returns where it stopped.
    private mutating func look(
        from start: Int,
        to end: Int,
        until readable: Int,
        _ anchor: inout csearch_anchor
    ) -> Int {
        var masks = csearch_masks()
        var at = start
        let stop = min(end, readable == Int.max ? end : readable + 1)
        while at < stop {
            at = csearch_next(text, at, stop, &anchor, decodes, &masks)
            guard at < stop else { break }
            var bits = masks.starts | masks.slashes
            if end - at < 64 { bits &= 1 << UInt64(end - at) - 1 }
            while bits != 0 {
                let bit = bits & (0 &- bits)
                bits ^= bit
                let position = at + bit.trailingZeroBitCount
                if masks.slashes & bit != 0 { escape(at: position) } else { plain(at: position) }
            }
            at += 64
        }
        return min(at, end)
    }

    @inline(__always) private mutating func plain(at start: Int) {
        // Bytes inside an escape are not text.
        guard start >= escapeEnd, let end = needle.end(in: text, at: start, limit: limit)
        else { return }
        found.append(PackedHit(start, end))
    }

    /// Tries the needle at every offset from which it would reach into the escape at `backslash`.
    private mutating func escape(at backslash: Int) {
        guard backslash >= escapeEnd else { return }
        let (scalar, length) = JSONCharacter.escape(in: text, at: backslash, end: limit)
        let floor = escapeEnd
        escapeEnd = backslash + length
        var start = backslash
        for spellings in needle.characters {
            if start >= slice.lowerBound, start < slice.upperBound, spellings.contains(scalar),
                let end = needle.decodedEnd(in: text, at: start, limit: limit), end > backslash
            {
                found.append(PackedHit(start, end))
                hasEscapedHits = true
            }
            // Hits that reach over an earlier escape were found there.
            guard start > floor else { break }
            start -= 1
            while start > floor && text[start] & 0xC0 == 0x80 { start -= 1 }
        }
    }
}

/// A text or some bytes to search for, prepared for fast searching.
struct Needle: Sendable {
    enum Folding {
        /// Bytes must be equal.
        case none
        /// Bytes must be equal except for the case of ASCII letters.
        case ascii
        /// Characters must be equal by simple case folding.
        case unicode
    }

    /// The anchor is chosen among this many bytes at the beginning of the needle.
    private static let anchored = 64

    /// The bytes to compare, in lowercase if ASCII is folded.
    let bytes: [UInt8]
    let folding: Folding
    /// The spellings of each character; empty if the needle is made of bytes.
    let characters: [[UInt32]]
    /// The two bytes that are searched for first.
    let anchor: csearch_anchor

    init(_ text: String, isCaseSensitive: Bool) {
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        let hasLetters = text.utf8.contains { Self.lowered($0) &- 0x61 < 26 }
        folding = isCaseSensitive || isASCII && !hasLetters ? .none : isASCII ? .ascii : .unicode
        let scalars = text.unicodeScalars
        characters =
            switch folding {
            case .none: scalars.map { [$0.value] }
            case .ascii: scalars.map { Self.asciiVariants(of: UInt8($0.value)) }
            case .unicode: scalars.map { CaseVariants.all(of: $0) }
            }
        bytes = folding == .ascii ? text.utf8.map(Self.lowered) : Array(text.utf8)
        anchor =
            folding == .unicode
            ? Self.anchor(spellings: characters.first ?? [])
            : Self.anchor(of: bytes, isFolded: folding == .ascii)
    }

    init(bytes: [UInt8]) {
        self.bytes = bytes
        folding = .none
        characters = []
        anchor = Self.anchor(of: bytes, isFolded: false)
    }

    var hasBackslash: Bool { bytes.contains(0x5C) }

    // MARK: - Comparing

    /// The end of the needle if it is at `start` without escapes; else nil.
    @inline(__always) func end(in text: UnsafePointer<UInt8>, at start: Int, limit: Int) -> Int? {
        switch folding {
        case .unicode: return decodedEnd(in: text, at: start, limit: limit, decodes: false)
        case .none:
            guard start + bytes.count <= limit else { return nil }
            let isEqual = bytes.withUnsafeBytes { bytes in
                bytes.baseAddress.map { memcmp(text + start, $0, bytes.count) == 0 } ?? false
            }
            return isEqual ? start + bytes.count : nil
        case .ascii:
            guard start + bytes.count <= limit else { return nil }
            let isEqual = bytes.withUnsafeBufferPointer { bytes in
                for index in 0..<bytes.count
                where Self.lowered(text[start + index]) != bytes[index] { return false }
                return true
            }
            return isEqual ? start + bytes.count : nil
        }
    }

    /// The end of the needle if it is at `start`, with or without escapes; else nil.
    func decodedEnd(
        in text: UnsafePointer<UInt8>,
        at start: Int,
        limit: Int,
        decodes: Bool = true
    ) -> Int? {
        var at = start
        for spellings in characters {
            guard at < limit else { return nil }
            let (scalar, length) =
                decodes && text[at] == 0x5C
                ? JSONCharacter.escape(in: text, at: at, end: limit)
                : JSONCharacter.plain(in: text, at: at, end: limit)
            guard spellings.contains(scalar) else { return nil }
            at += length
        }
        return at
    }

    @inline(__always) private static func lowered(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    private static func asciiVariants(of byte: UInt8) -> [UInt32] {
        let isLetter = lowered(byte) &- 0x61 < 26
        return isLetter ? [UInt32(byte), UInt32(byte ^ 0x20)] : [UInt32(byte)]
    }

    // MARK: - Anchors

    /// The two rarest bytes near the beginning.
    private static func anchor(of bytes: [UInt8], isFolded: Bool) -> csearch_anchor {
        var anchor = csearch_anchor()
        guard !bytes.isEmpty else { return anchor }
        let order = bytes.indices.prefix(anchored).sorted {
            let ranks = (commonness(of: bytes[$0]), commonness(of: bytes[$1]))
            return ranks.0 == ranks.1 ? $0 < $1 : ranks.0 < ranks.1
        }
        let first = order[0]
        let second = order.dropFirst().first ?? first
        anchor.pair_count = 1
        anchor.first_offset = UInt32(min(first, second))
        anchor.second_offset = UInt32(max(first, second))
        let (firstByte, secondByte) = (bytes[min(first, second)], bytes[max(first, second)])
        anchor.pairs.0 = csearch_pair(
            first_or: isFolded ? caseBit(of: firstByte) : 0,
            first: firstByte,
            second_or: isFolded ? caseBit(of: secondByte) : 0,
            second: secondByte
        )
        return anchor
    }

    /// The first two bytes of each spelling of the first character.
    private static func anchor(spellings: [UInt32]) -> csearch_anchor {
        var anchor = csearch_anchor()
        anchor.second_offset = 1
        let pairs = spellings.compactMap(Unicode.Scalar.init).prefix(4).map { scalar in
            let bytes = Array(String(scalar).utf8)
            // A single byte may be followed by anything.
            return csearch_pair(
                first_or: 0,
                first: bytes[0],
                second_or: bytes.count > 1 ? 0 : 0xFF,
                second: bytes.count > 1 ? bytes[1] : 0xFF
            )
        }
        anchor.pair_count = UInt32(pairs.count)
        withUnsafeMutableBytes(of: &anchor.pairs) { memory in
            let slots = memory.bindMemory(to: csearch_pair.self)
            for (index, pair) in pairs.enumerated() { slots[index] = pair }
        }
        return anchor
    }

    private static func caseBit(of byte: UInt8) -> UInt8 { byte &- 0x61 < 26 ? 0x20 : 0 }

    /// Bytes in the order of their frequency in JSON texts, the most common first.
    private static let common = Array(
        #"" ,:0123456789eatoinsrldcumphgyfbvw{}[].-_/TSACxkjq\"#.utf8
    )

    private static func commonness(of byte: UInt8) -> Int {
        // Bytes outside ASCII are rare in most texts but common in some.
        if byte >= 0x80 { return common.count / 3 }
        return common.firstIndex(of: byte).map { common.count - $0 } ?? 0
    }
}
