/// Reads UTF-8 as glyphs: the one type that decides what text looks like and how wide it is.
///
/// These rules make ncurses, libc and the terminal agree about every column:
/// - a base keeps up to 4 marks of width 0; a mark without a base stands on a dotted circle;
/// - a glyph ends after 32 scalars, which bounds the bytes that a number of columns takes;
/// - a hidden character is its code: `‹200B›`;
/// - the two letters of a flag are two narrow glyphs;
/// - a tab fills up to the next multiple of 4 columns from the beginning of the text;
/// - an invalid byte is U+FFFD.
///
/// Terminals disagree about the width of an emoji sequence, so it is never sent as one. Its parts are shown
/// in a short form, without which 👍🏽 would look like 👍, and a family like its first member:
///
/// | Part | Shown as |
/// |---|---|
/// | variation selector 16, 15 | `ᵉ` (emoji), `ᵗ` (text) |
/// | skin tone | `₁` to `₅`, from light to dark |
/// | joiner between two pictures | `‿` |
/// | tags of a flag | their letters: `‹gbeng›` |
struct GlyphReader {
    private let bytes: UnsafeRawBufferPointer
    /// The offset of the next byte to read.
    private(set) var position = 0
    /// The number of columns read so far.
    private(set) var column = 0

    private static let tabStop = 4
    private static let longestGlyph = 32
    private static let dottedCircle: UInt32 = 0x25CC

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    mutating func next() -> Glyph? {
        guard position < bytes.count else { return nil }
        let (scalar, length) = decode(at: position)
        position += length
        if scalar == 0x09 { return taken(tab()) }
        guard let base = Sanitizer.shown(scalar) else {
            return taken(Glyph(base: Sanitizer.opening, symbols: Sanitizer.code(of: scalar)))
        }
        return taken(glyph(base))
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
        // A cell with a blank is drawn as nothing, so a mark on it needs a circle.
        guard base != 0x20 else { return glyph }
        takeMarks(of: &glyph)
        return glyph
    }

    private mutating func takeMarks(of glyph: inout Glyph) {
        var count = 1
        while position < bytes.count, bytes[position] >= 0x80, count < Self.longestGlyph {
            count += 1
            let (scalar, length) = decode(at: position)
            if let (symbols, end) = EmojiPart.read(
                scalar,
                after: glyph,
                until: position + length,
                in: bytes
            ) {
                glyph.append(symbols)
                position = end
            } else if glyph.symbols.isEmpty || EmojiPart.isKeycap(scalar, on: glyph),
                Sanitizer.shown(scalar) == scalar, WidthTable.class(of: scalar) == .mark
            {
                glyph.marks.append(scalar)
                position += length
            } else {
                return
            }
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

/// The content of some cells: a base and its marks, already filtered, and the symbols after them.
struct Glyph {
    var base: UInt32
    var marks = CombiningMarks()
    /// Narrow characters after the base that show what is hidden there.
    private(set) var symbols: [UInt32] = []
    /// 1 or 2 and one for each symbol; a tab has as many as it fills.
    private(set) var columns: Int

    init(base: UInt32, columns: Int) {
        self.base = base
        self.columns = columns
    }

    init(base: UInt32, symbols: [UInt32]) {
        self.init(base: base, columns: 1)
        append(symbols)
    }

    mutating func append(_ more: [UInt32]) {
        symbols += more
        columns += more.count
    }
}

/// What belongs to an emoji besides its picture, and the short form in which it is shown.
enum EmojiPart {
    private static let joiner: UInt32 = 0x200D
    private static let emojiSelector: UInt32 = 0xFE0F
    private static let textSelector: UInt32 = 0xFE0E
    private static let keycap: UInt32 = 0x20E3
    private static let blackFlag: UInt32 = 0x1F3F4
    private static let lastTag: UInt32 = 0xE007F
    /// The tags of a flag are at most a country, a region and the end.
    private static let mostTags = 8

    /// The symbols of the part that a scalar begins, and the offset after it; nil if it is not part of the emoji.
    ///
    /// `next` is the offset after the scalar.
    static func read(
        _ scalar: UInt32,
        after glyph: Glyph,
        until next: Int,
        in bytes: UnsafeRawBufferPointer
    ) -> (symbols: [UInt32], end: Int)? {
        guard glyph.marks.count == 0 else { return nil }
        switch scalar {
        case emojiSelector, textSelector:
            let isKeycap =
                glyph.symbols.isEmpty && isKeycapBase(glyph.base)
                && self.scalar(at: next, in: bytes)?.scalar == keycap
            guard isPicture(glyph.base) || isKeycap else { return nil }
            return ([scalar == emojiSelector ? 0x1D49 : 0x1D57], next)
        case _ where isSkinTone(scalar):
            return isPicture(glyph.base) ? ([0x2081 + scalar - 0x1F3FB], next) : nil
        case joiner:
            guard isPicture(glyph.base), let other = self.scalar(at: next, in: bytes)?.scalar,
                isPicture(other)
            else { return nil }
            return ([0x203F], next)
        case 0xE0020..<lastTag:
            return glyph.base == blackFlag ? tags(scalar, next, in: bytes) : nil
        default: return nil
        }
    }

    /// Whether a scalar is the box of a keycap such as 1️⃣.
    static func isKeycap(_ scalar: UInt32, on glyph: Glyph) -> Bool {
        scalar == keycap && glyph.symbols.count == 1 && isKeycapBase(glyph.base)
    }

    /// The letters of tags that a last tag ends; without it they are not a flag, and stand for themselves.
    private static func tags(
        _ first: UInt32,
        _ next: Int,
        in bytes: UnsafeRawBufferPointer
    ) -> (symbols: [UInt32], end: Int)? {
        var symbols = [Sanitizer.opening, first - 0xE0000]
        var at = next
        while symbols.count <= mostTags, let (tag, end) = scalar(at: at, in: bytes) {
            at = end
            if tag == lastTag { return (symbols + [Sanitizer.closing], at) }
            guard (0xE0020..<lastTag).contains(tag) else { return nil }
            symbols.append(tag - 0xE0000)
        }
        return nil
    }

    private static func scalar(
        at offset: Int,
        in bytes: UnsafeRawBufferPointer
    ) -> (scalar: UInt32, end: Int)? {
        guard offset < bytes.count else { return nil }
        let (scalar, length) = GlyphReader.decode(bytes, at: offset)
        return (scalar, offset + length)
    }

    private static func isKeycapBase(_ scalar: UInt32) -> Bool {
        (0x30...0x39).contains(scalar) || scalar == 0x23 || scalar == 0x2A
    }

    static func isSkinTone(_ scalar: UInt32) -> Bool { (0x1F3FB...0x1F3FF).contains(scalar) }

    /// Whether a scalar is in one of the blocks of emoji, which is near enough.
    static func isPicture(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x1F1E6...0x1F1FF, 0x1F3FB...0x1F3FF: false  // the letters of flags, and skin tones
        case 0xA9, 0xAE, 0x203C, 0x2049, 0x2122, 0x2139, 0x2190...0x21FF, 0x2300...0x23FF,
            0x24C2, 0x25A0...0x25FF, 0x2600...0x27BF, 0x2934, 0x2935, 0x2B00...0x2BFF, 0x3030,
            0x303D, 0x3297, 0x3299, 0x1F000...0x1FAFF:
            true
        default: false
        }
    }
}
