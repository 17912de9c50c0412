/// A part of a token or line as a regular expression sees it: decoded, with the way back.
struct ExpressionSubject {
    /// A longer text is matched in parts of about so many bytes, so that no pattern takes for ever.
    static let longest = 64 << 10
    /// By how much two parts overlap: what is longer may not be found at a border.
    static let overlap = 4 << 10
    /// What a part repeats before its first match, for lookbehind and `\b`.
    static let context = 64

    /// The raw byte of each decoded byte, and of the end; nil when nothing was decoded.
    private var offsets: [Int]?
    private var decoded: [UInt8] = []
    private let range: Range<Int>
    private let text: UnsafePointer<UInt8>

    /// The first part of a range.
    init(_ range: Range<Int>, of text: UnsafePointer<UInt8>, decodes: Bool) {
        self.text = text
        guard decodes else {
            var end = range.upperBound
            if range.count > Self.longest {
                end = range.lowerBound + Self.longest
                let earliest = end - 3
                while end > earliest && text[end] & 0xC0 == 0x80 { end -= 1 }
            }
            self.range = range.lowerBound..<end
            return
        }
        var offsets: [Int] = []
        var at = range.lowerBound
        while at < range.upperBound
            && (at - range.lowerBound < Self.longest || text[at] & 0xC0 == 0x80)
        {
            guard text[at] == 0x5C else {
                decoded.append(text[at])
                offsets.append(at)
                at += 1
                continue
            }
            let (value, length) = JSONCharacter.escape(in: text, at: at, end: range.upperBound)
            let scalar = Unicode.Scalar(value) ?? "\u{FFFD}"
            for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                decoded.append(byte)
                offsets.append(at)
            }
            at += length
        }
        offsets.append(at)
        self.offsets = offsets
        self.range = range.lowerBound..<at
    }

    /// Where the part ends in the text.
    var end: Int { range.upperBound }

    var count: Int { offsets == nil ? range.count : decoded.count }

    /// The raw byte of a decoded one.
    func raw(_ offset: Int) -> Int { offsets?[offset] ?? range.lowerBound + offset }

    /// Calls `body` with the decoded bytes.
    func withBytes<Value>(_ body: (UnsafePointer<UInt8>?) -> Value) -> Value {
        if offsets == nil { return body(text + range.lowerBound) }
        return decoded.withUnsafeBufferPointer { body($0.baseAddress) }
    }

    /// The begin of a character, up to `distance` bytes before an offset.
    func characterStart(_ distance: Int, before offset: Int) -> Int {
        withBytes { bytes in
            guard let bytes else { return 0 }
            var at = max(0, offset - distance)
            while at > 0 && at < offset && bytes[at] & 0xC0 == 0x80 { at -= 1 }
            return at
        }
    }
}
