import CScan

/// Scans bytes, without padding after them, for what a JSON string may hold unescaped.
enum UTF8Text {
    /// U+FFFD.
    static let replacement: StaticString = "\u{FFFD}"

    /// The first byte at or after `at` that is a quote, a backslash, a control character or not ASCII.
    @inline(__always) static func plainEnd(
        _ text: UnsafePointer<UInt8>,
        _ start: Int,
        _ end: Int
    ) -> Int {
        var at = start
        while at &+ 8 <= end {
            let special = cscan_special8(cscan_load_u64(text + at))
            if special != 0 { return at &+ special.trailingZeroBitCount &>> 3 }
            at &+= 8
        }
        while at < end {
            let byte = text[at]
            if byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5C { return at }
            at &+= 1
        }
        return at
    }

    /// The length of the character at a byte: 1 for ASCII, 0 if it is not UTF-8 (RFC 3629).
    @inline(__always) static func sequenceLength(
        _ text: UnsafePointer<UInt8>,
        _ at: Int,
        _ end: Int
    ) -> Int {
        if text[at] < 0x80 { return 1 }
        var word: UInt32 = 0
        let count = min(4, end - at)
        for index in 0..<count { word |= UInt32(text[at + index]) << UInt32(8 * index) }
        // The zero bytes after the end are not continuation bytes.
        return TreeParser<PortableScanner>.multibyteLength(word)
    }

    /// The number of bytes that one U+FFFD replaces: the longest valid start of a character (Unicode 3.9).
    static func brokenLength(_ text: UnsafePointer<UInt8>, _ at: Int, _ end: Int) -> Int {
        let lead = text[at]
        guard lead >= 0xC2 && lead <= 0xF4, at + 1 < end else { return 1 }
        let lowest: UInt8 = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80
        let highest: UInt8 = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF
        guard lead >= 0xE0, text[at + 1] >= lowest && text[at + 1] <= highest else { return 1 }
        let isLonger = lead >= 0xF0 && at + 2 < end && text[at + 2] & 0xC0 == 0x80
        return isLonger ? 3 : 2
    }

    /// Whether all bytes are UTF-8.
    static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let text = bytes.baseAddress else { return true }
        var at = 0
        while at < bytes.count {
            let length = sequenceLength(text, at, bytes.count)
            guard length > 0 else { return false }
            at += length
        }
        return true
    }
}

/// Checks that a text is UTF-8 while it arrives in pieces, cut anywhere.
package struct UTF8Check {
    /// The start of a character that continues in the next piece.
    private var cut: [UInt8] = []
    private var isBroken = false

    package init() {}

    /// Whether everything so far is UTF-8 and ends with a whole character.
    package var isValid: Bool { !isBroken && cut.isEmpty }

    /// Checks the next piece; false once the text cannot be UTF-8, whatever follows.
    package mutating func check(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard !isBroken, !piece.isEmpty else { return !isBroken }
        var rest = piece[...]
        while !cut.isEmpty, let byte = rest.first {
            cut.append(byte)
            rest.removeFirst()
            if cut.count == Self.length(after: cut[0]) || byte & 0xC0 != 0x80 {
                isBroken = String(validating: cut, as: UTF8.self) == nil
                cut = []
            }
        }
        guard !isBroken else { return false }
        cut += rest[Self.wholeEnd(rest)...]
        rest = rest[..<Self.wholeEnd(rest)]
        let whole = UnsafeRawBufferPointer(rebasing: rest).bindMemory(to: UInt8.self)
        isBroken = (try? UTF8Span(validating: whole.span)) == nil
        return !isBroken
    }

    /// Where a character begins that may continue after the end; the end if there is none.
    private static func wholeEnd(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        let lead = bytes.suffix(3).lastIndex { $0 & 0xC0 != 0x80 }
        guard let lead, bytes.endIndex - lead < length(after: bytes[lead]) else {
            return bytes.endIndex
        }
        return lead
    }

    private static func length(after lead: UInt8) -> Int {
        switch lead {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }
}

extension StringProtocol {
    /// The text without the whitespace at both of its ends.
    package var trimmed: String {
        let rest = drop(while: \.isWhitespace)
        return String(
            rest[
                ..<(rest.lastIndex { !$0.isWhitespace }.map(rest.index(after:)) ?? rest.startIndex)
            ]
        )
    }
}
