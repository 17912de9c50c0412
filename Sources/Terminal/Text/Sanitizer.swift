/// The only gate into a cell: what a server says never reaches the terminal as it came.
///
/// ncurses is no such gate: an ESC among combining marks, bidirectional overrides and zero-width
/// characters reach the wire raw.
///
/// Text that does not go through the grid passes `TerminalGate`, which asks here too.
enum Sanitizer {
    /// What stands on the screen for a scalar: itself, a picture of it, or nil for nothing at all.
    static func shown(_ scalar: UInt32) -> UInt32? {
        switch scalar {
        case 0x20..<0x7F: return scalar
        case 0..<0x20: return 0x2400 + scalar  // control pictures
        case 0x7F: return 0x2421
        case 0x80..<0xA0: return replacement  // C1: CSI and OSC in one byte
        default: break
        }
        if isInvisible(scalar) { return nil }
        if isBidirectionalControl(scalar) { return replacement }
        return WidthTable.class(of: scalar) == .unprintable ? replacement : scalar
    }

    static let replacement: UInt32 = 0xFFFD

    /// Overrides and isolates can show a text in an order that lies: something must be seen there.
    private static func isBidirectionalControl(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Soft hyphen, zero-width characters, joiners, variation selectors, tags: terminals disagree
    /// about their width, and a row where ncurses and the terminal disagree is a broken row.
    private static func isInvisible(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0xAD, 0x034F, 0x180B...0x180F, 0x200B...0x200D, 0x2060...0x2064, 0x206A...0x206F,
            0xFE00...0xFE0F, 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE0FFF:
            true
        default: false
        }
    }
}
