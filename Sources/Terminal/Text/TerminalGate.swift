/// The filter for all text that goes to a terminal outside the grid.
///
/// A terminal obeys control characters, hides zero-width ones, reorders by bidirectional ones, and piles
/// combining marks up over other lines. File names, keys and responses may have all of them. The rules are
/// the grid's (`Sanitizer`), except that line ends and tabs stay, and that an emoji sequence passes as it is:
/// no column depends on its width here. The program's own sequences are written past the gate, by the owner
/// of the descriptor.
///
/// Text can come in pieces that are cut anywhere.
package struct TerminalGate {
    /// What replaces a character that must not be shown as it is.
    package enum Form: Sendable {
        /// A symbol or a code, as in the grid.
        case text
        /// A JSON escape, so that the text stays the same JSON.
        case json
    }

    /// As many as a cell of the grid can have.
    private static let maximumMarks = 4
    /// U+200D, which joins two emoji.
    private static let joiner: [UInt8] = [0xE2, 0x80, 0x8D]

    private let form: Form
    /// An incomplete sequence or a carriage return; the next piece completes it.
    private var held: [UInt8] = []
    /// The number of combining marks since the last base.
    private var marks = 0
    /// The emoji that the text ends with so far; nil if it ends with something else.
    private var picture: Unicode.Scalar?
    /// Whether all text so far has passed unchanged.
    package private(set) var isUnchanged = true

    /// Makes a gate for one text.
    package init(_ form: Form) { self.form = form }

    /// A whole text, filtered for a terminal.
    package static func shown(_ text: String, as form: Form = .text) -> [UInt8] {
        var gate = TerminalGate(form)
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        var text = text
        text.withUTF8 { gate.pass(UnsafeRawBufferPointer($0), into: &result) }
        gate.finish(into: &result)
        return result
    }

    /// Filters the next piece, and adds it to `result`.
    package mutating func pass(_ bytes: UnsafeRawBufferPointer, into result: inout [UInt8]) {
        guard !held.isEmpty else { return passWhole(bytes, into: &result) }
        let joined = held + bytes
        held = []
        joined.withUnsafeBytes { passWhole($0, into: &result) }
    }

    /// Ends the text, and adds what was held back.
    package mutating func finish(into result: inout [UInt8]) {
        if held.elementsEqual(Self.joiner) {
            pass(scalar: 0x200D, into: &result)
            held = []
        }
        for byte in held {
            if byte == 0x0D { pass(scalar: 0x0D, into: &result) } else { mend(into: &result) }
        }
        held = []
        marks = 0
        picture = nil
    }

    private mutating func passWhole(_ bytes: UnsafeRawBufferPointer, into result: inout [UInt8]) {
        var position = 0
        while position < bytes.count {
            let start = position
            while position < bytes.count, Self.isPlain(bytes[position]) { position += 1 }
            if position > start {
                result.append(contentsOf: bytes[start..<position])
                marks = 0
                picture = nil
                continue
            }
            if isCut(bytes, at: position) {
                held = Array(bytes[position...])
                return
            }
            let (scalar, length) = GlyphReader.decode(bytes, at: position)
            if scalar == 0x0D, position + 1 < bytes.count, bytes[position + 1] == 0x0A {
                // CRLF is a line end.
                result.append(0x0D)
                picture = nil
            } else if scalar == 0x200D, picture != nil,
                joinsPicture(bytes, after: position + length)
            {
                Self.append(scalar, to: &result)
            } else if length == 1, scalar == Sanitizer.replacement {
                mend(into: &result)
            } else {
                pass(scalar: scalar, into: &result)
            }
            position += length
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) || byte == 0x0A || byte == 0x09
    }

    /// Whether the rest may be the beginning of a sequence, or of CRLF, that the next piece completes.
    private func isCut(_ bytes: UnsafeRawBufferPointer, at position: Int) -> Bool {
        let rest = bytes.count - position
        if bytes[position] == 0x0D { return rest == 1 }
        // Whether a joiner is part of an emoji depends on what follows it.
        if picture != nil, bytes[position...].prefix(3).elementsEqual(Self.joiner) {
            return rest == 3
                || rest - 3 < GlyphReader.length(after: bytes[position + 3])
                    && bytes[(position + 4)...].allSatisfy { $0 & 0xC0 == 0x80 }
        }
        return rest < GlyphReader.length(after: bytes[position])
            && bytes[(position + 1)...].allSatisfy { $0 & 0xC0 == 0x80 }
    }

    private func joinsPicture(_ bytes: UnsafeRawBufferPointer, after offset: Int) -> Bool {
        offset < bytes.count && EmojiPart.isPicture(GlyphReader.decode(bytes, at: offset).0)
    }

    private mutating func pass(scalar: UInt32, into result: inout [UInt8]) {
        if isSelector(scalar) { return Self.append(scalar, to: &result) }
        let shown = shown(scalar)
        if shown == scalar { return Self.append(scalar, to: &result) }
        isUnchanged = false
        switch form {
        case .text:
            if let shown {
                Self.append(shown, to: &result)
            } else {
                appendCode(of: scalar, to: &result)
            }
        case .json: Self.appendEscape(of: scalar, to: &result)
        }
    }

    /// Whether a scalar is a variation selector that changes the look of the emoji before it.
    private mutating func isSelector(_ scalar: UInt32) -> Bool {
        guard let emoji = picture?.properties, scalar == 0xFE0E || scalar == 0xFE0F else {
            return false
        }
        return emoji.isEmoji && emoji.isEmojiPresentation == (scalar == 0xFE0E)
    }

    /// Writes U+FFFD for a byte that is not UTF-8.
    private mutating func mend(into result: inout [UInt8]) {
        isUnchanged = false
        marks = 0
        picture = nil
        Self.append(Sanitizer.replacement, to: &result)
    }

    /// What the grid shows for a scalar; nil for a code, and for too many marks on one base.
    private mutating func shown(_ scalar: UInt32) -> UInt32? {
        if picture == nil || !EmojiPart.isSkinTone(scalar) {
            picture = EmojiPart.isPicture(scalar) ? Unicode.Scalar(scalar) : nil
        }
        let shown = Sanitizer.shown(scalar)
        guard shown == scalar, WidthTable.class(of: scalar) == .mark else {
            marks = 0
            return shown
        }
        marks += 1
        return marks <= Self.maximumMarks ? scalar : nil
    }

    /// Writes `‹200B›`, or nothing for a mark beyond those that a base can have.
    private func appendCode(of scalar: UInt32, to result: inout [UInt8]) {
        guard marks <= Self.maximumMarks else { return }
        Self.append(Sanitizer.opening, to: &result)
        for symbol in Sanitizer.code(of: scalar) { Self.append(symbol, to: &result) }
    }

    private static func append(_ scalar: UInt32, to result: inout [UInt8]) {
        guard let scalar = Unicode.Scalar(scalar) else { return }
        result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    /// Writes `\u001b`; beyond the first plane, a pair of surrogates (RFC 8259, section 7).
    private static func appendEscape(of scalar: UInt32, to result: inout [UInt8]) {
        guard let scalar = Unicode.Scalar(scalar) else { return }
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
            let digits = String(unit, radix: 16)
            result.append(contentsOf: #"\u"#.utf8)
            result.append(contentsOf: String(repeating: "0", count: 4 - digits.utf8.count).utf8)
            result.append(contentsOf: digits.utf8)
        }
    }
}

/// The filter for everything that goes into a cell, so that a server's text never reaches the terminal unchanged.
///
/// ncurses does not filter: it sends an ESC among combining marks, bidirectional overrides and zero-width
/// characters as they are. Nothing is left out either, because two different values must not look equal.
///
/// Text that does not go through the grid passes `TerminalGate`, which has the same rules.
enum Sanitizer {
    /// What is shown for a scalar: the scalar itself, a symbol for it, or nil if its code is shown.
    static func shown(_ scalar: UInt32) -> UInt32? {
        switch scalar {
        case 0x20..<0x7F: return scalar
        case 0..<0x20: return 0x2400 + scalar  // control pictures
        case 0x7F: return 0x2421
        case 0x80..<0xA0: return nil  // C1: CSI and OSC in one byte
        default: break
        }
        if isHidden(scalar) || WidthTable.class(of: scalar) == .unprintable { return nil }
        return scalar
    }

    static let replacement: UInt32 = 0xFFFD
    /// `‹`, before a code.
    static let opening: UInt32 = 0x2039
    /// `›`, after a code.
    static let closing: UInt32 = 0x203A

    /// The code of a scalar and `›`, to be shown after `‹`.
    static func code(of scalar: UInt32) -> [UInt32] {
        let digits = String(scalar, radix: 16, uppercase: true)
        let zeros = String(repeating: "0", count: max(0, 4 - digits.utf8.count))
        return (zeros + digits).unicodeScalars.map(\.value) + [closing]
    }

    /// Whether a scalar is drawn as nothing, or only changes what is around it: Default_Ignorable_Code_Point of
    /// Unicode, the marks of interlinear annotation, and the ends of lines and paragraphs.
    ///
    /// Soft hyphens, joiners and variation selectors change the width of a row on some terminals and not on
    /// others; overrides and isolates show a text in a misleading order; the blank letters have a width and no
    /// shape.
    private static func isHidden(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0xAD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B...0x180F,
            0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x3164, 0xFE00...0xFE0F, 0xFEFF,
            0xFFA0, 0xFFF0...0xFFFB, 0x16FE4, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A,
            0xE0000...0xE0FFF:
            true
        default: false
        }
    }
}
