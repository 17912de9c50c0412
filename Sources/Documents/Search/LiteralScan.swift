internal import CScan

/// Finds a needle in one slice of a text.
///
/// Vector code finds where the needle may begin and where backslashes are. A hit without escapes is
/// compared as bytes; every escape that is a character of the needle is decoded, and the needle is
/// tried around it. So nothing is decoded that cannot be part of a hit, and no byte of an escape is
/// taken for text.
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

    /// How far behind a slice its hits can reach.
    static func reach(of needle: Needle, decodes: Bool) -> Int {
        // A character of the needle is at most a pair of escapes.
        (decodes ? 12 * (needle.characters.count + 1) : 4 * needle.bytes.count) + 64
    }

    /// Finds all hits that begin in the slice, also overlapping ones, in order; returns the end of
    /// the last escape that begins in it.
    mutating func run() -> Int {
        var anchor = needle.anchor
        // With a backslash in the needle every hit has an escape.
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
        // An escape's hit may begin before one that was found earlier.
        if hasEscapedHits { found.sort() }
        return lastEscape
    }

    /// Looks at blocks up to `end`, as long as they begin at `readable` or before; returns where
    /// it stopped.
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
        // Inside of an escape there is no text.
        guard start >= escapeEnd, let end = needle.end(in: text, at: start, limit: limit)
        else { return }
        found.append(PackedHit(start, end))
    }

    /// Tries the needle at every place from which it would reach into the escape at a byte.
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
            // What reaches over an earlier escape was found there.
            guard start > floor else { break }
            start -= 1
            while start > floor && text[start] & 0xC0 == 0x80 { start -= 1 }
        }
    }
}
