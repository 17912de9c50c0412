/// The filter for everything that goes into a cell, so that a server's text never reaches the terminal unchanged.
///
/// ncurses does not filter: it sends an ESC among combining marks, bidirectional overrides and zero-width
/// characters as they are.
///
/// Text that does not go through the grid passes `TerminalGate`, which has the same rules.
enum Sanitizer {
    /// What is shown for a scalar: the scalar itself, a symbol for it, or nil for nothing.
    static func shown(_ scalar: UInt32) -> UInt32? {
        switch scalar {
        case 0x20..<0x7F: return scalar
        case 0..<0x20: return 0x2400 + scalar  // control pictures
        case 0x7F: return 0x2421
        case 0x80..<0xA0: return replacement  // C1: CSI and OSC in one byte
        default: break
        }
        if isInvisible(scalar) { return nil }
        if isBidirectionalControl(scalar) || isBlankLetter(scalar) { return replacement }
        return WidthTable.class(of: scalar) == .unprintable ? replacement : scalar
    }

    static let replacement: UInt32 = 0xFFFD

    /// Overrides and isolates can show a text in a misleading order, so something visible replaces them.
    private static func isBidirectionalControl(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Letters and marks that are drawn as nothing: the rest of Default_Ignorable_Code_Point.
    private static func isBlankLetter(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2065, 0x3164, 0xFFA0, 0xFFF0...0xFFF8, 0x16FE4,
            0x1BCA0...0x1BCA3, 0x1D173...0x1D17A:
            true
        default: false
        }
    }

    /// Soft hyphen, zero-width characters, joiners, variation selectors, tags: terminals disagree about their
    /// width, and a row is broken if ncurses and the terminal disagree.
    private static func isInvisible(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0xAD, 0x034F, 0x180B...0x180F, 0x200B...0x200D, 0x2060...0x2064, 0x206A...0x206F,
            0xFE00...0xFE0F, 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE0FFF:
            true
        default: false
        }
    }
}
