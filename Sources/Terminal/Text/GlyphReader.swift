/// Reads UTF-8 as glyphs: the one place that decides what text looks like and how wide it is.
///
/// These rules make ncurses, libc and the terminal agree about every column:
/// - a base keeps up to 4 marks of width 0; a mark without a base stands on a dotted circle;
/// - a glyph ends after 32 scalars, shown or not, which bounds the bytes that a number of columns takes;
/// - only the first of emoji joined by ZWJ is shown; variation selectors and skin tones are dropped;
/// - the two letters of a flag are two narrow glyphs;
/// - a tab fills up to the next multiple of 4 columns from the beginning of the text;
/// - an invalid byte is U+FFFD.
struct GlyphReader {
    private let bytes: UnsafeRawBufferPointer
    /// The next byte.
    private(set) var position = 0
    /// The number of columns read so far.
    private(set) var column = 0

    private static let tabStop = 4
    private static let longestGlyph = 32
    private static let joiner: UInt32 = 0x200D
    private static let dottedCircle: UInt32 = 0x25CC

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    mutating func next() -> Glyph? {
        var hidden = 0
        while position < bytes.count {
            let (scalar, length) = decode(at: position)
            position += length
            if scalar == 0x09 { return taken(tab()) }
            if let base = Sanitizer.shown(scalar) { return taken(glyph(base)) }
            hidden += 1
            guard hidden < Self.longestGlyph else {
                return taken(Glyph(base: Sanitizer.replacement, columns: 1))
            }
        }
        return nil
    }

    /// The length of the plain ASCII that comes next.
    ///
    /// If a non-ASCII byte follows, it leaves out the last character, which `next` reads because a mark may
    /// follow it.
    func plainRun(limit: Int) -> Int {
        let end = position + min(limit, bytes.count - position)
        var at = position
        while at < end, bytes[at] >= 0x20, bytes[at] < 0x7F { at += 1 }
        let isFollowedByMore = at < bytes.count && bytes[at] >= 0x80
        return max(0, at - position - (isFollowedByMore ? 1 : 0))
    }

    @inline(__always)
    func byte(ahead offset: Int) -> UInt8 { bytes[position + offset] }

    mutating func skip(plain count: Int) {
        position += count
        column += count
    }

    private mutating func taken(_ glyph: Glyph) -> Glyph {
        column += glyph.columns
        return glyph
    }

    private func tab() -> Glyph {
        Glyph(base: 0x20, columns: Self.tabStop - column % Self.tabStop)
    }

    private mutating func glyph(_ base: UInt32) -> Glyph {
        var glyph: Glyph
        switch WidthTable.class(of: base) {
        case .wide: glyph = Glyph(base: base, columns: 2)
        case .mark:
            glyph = Glyph(base: Self.dottedCircle, columns: 1)
            glyph.marks.append(base)
        case .narrow, .unprintable: glyph = Glyph(base: base, columns: 1)
        }
        takeMarks(of: &glyph)
        return glyph
    }

    private mutating func takeMarks(of glyph: inout Glyph) {
        var isJoined = false
        var count = 1
        while position < bytes.count, bytes[position] >= 0x80, count < Self.longestGlyph {
            count += 1
            let (scalar, length) = decode(at: position)
            if scalar == Self.joiner {
                isJoined = true
            } else if let shown = Sanitizer.shown(scalar) {
                if isJoined, Self.isPictograph(glyph.base), Self.isPictograph(shown) {
                    isJoined = false
                } else if Self.isSkinTone(shown), Self.isPictograph(glyph.base) {
                    // dropped
                } else if shown == scalar, WidthTable.class(of: shown) == .mark {
                    glyph.marks.append(shown)
                } else {
                    return
                }
            }
            position += length
        }
    }

    private static func isSkinTone(_ scalar: UInt32) -> Bool { (0x1F3FB...0x1F3FF) ~= scalar }

    /// Whether a scalar is in one of the blocks of joined emoji, which is near enough.
    private static func isPictograph(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x1F1E6...0x1F1FF: false  // the letters of flags
        case 0x2190...0x21FF, 0x2300...0x23FF, 0x2600...0x27BF, 0x2B00...0x2BFF,
            0x1F000...0x1FAFF:
            true
        default: false
        }
    }

    private func decode(at start: Int) -> (UInt32, Int) { Self.decode(bytes, at: start) }

    /// The scalar at `start` and its length; an invalid byte is U+FFFD.
    static func decode(_ bytes: UnsafeRawBufferPointer, at start: Int) -> (UInt32, Int) {
        let lead = bytes[start]
        if lead < 0x80 { return (UInt32(lead), 1) }
        let length = length(after: lead)
        guard length > 0, start + length <= bytes.count else { return (Sanitizer.replacement, 1) }
        var scalar = UInt32(lead) & (0x7F >> UInt32(length))
        for offset in 1..<length {
            let byte = bytes[start + offset]
            guard byte & 0xC0 == 0x80 else { return (Sanitizer.replacement, 1) }
            scalar = scalar << 6 | UInt32(byte & 0x3F)
        }
        let least: UInt32 = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000
        guard scalar >= least, Unicode.Scalar(scalar) != nil else {
            return (Sanitizer.replacement, 1)
        }
        return (scalar, length)
    }

    /// The length of a sequence that begins with `lead`, 0x80 or more; 0 if there is none.
    static func length(after lead: UInt8) -> Int {
        guard lead >= 0xC2, lead < 0xF5 else { return 0 }
        return lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
    }
}

/// The content of one or two cells: a base and its marks, already filtered.
struct Glyph {
    var base: UInt32
    var marks = CombiningMarks()
    /// 1 or 2; a tab has as many as it fills.
    var columns: Int
}
